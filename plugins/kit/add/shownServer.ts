import { isObject, plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { shownSpec } from '../definitions/shownSpec.ts';

/** What a definition starts, or where it connects, with the names of its variables or headers. On one line, so that no command can look
 *  like something else. @param spec without its secrets */
export function shownServer(name: string, { command, url, env, headers }: JsonObject): string {
  const values = Object.entries({ ...(isObject(env) && env), ...(isObject(headers) && headers) });
  const names = values.map(([key, value]) => {
    const read = [...String(value).matchAll(/\$\{env:(\w+)/g)].map(([, one = '']) => one);
    const others = read.filter((one) => one !== key);
    return others.length === 0 ? key : `${key} from ${others.join(' and ')}`;
  });
  const given = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return plainText(`${name}: ${shownSpec({ command, url })}${given}`).replaceAll(/\s+/g, ' ');
}
