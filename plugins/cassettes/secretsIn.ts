import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, secretsGiven } from 'pegboard';
import type { JsonObject, Secret } from 'pegboard';

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;
/** Far more than any key or certificate. */
const MAX_FILE_BYTES = 1_048_576;

/** What the definition of a server gives it in confidence: values of `env` and `headers`, references filled in and each by
 *  itself, and what is secret in its url and command. @param directory relative `${file:…}` start there */
export function secretsIn(
  { env, headers, url, command, args }: JsonObject,
  directory: string,
): readonly Secret[] {
  const given = [env, headers].flatMap((map) => (isObject(map) ? Object.entries(map) : []));
  const values = given.flatMap(([name, value]) =>
    typeof value === 'string' ? filled(value, directory).map((text) => [name, text] as const) : [],
  );
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return secretsGiven({ values, words, url: typeof url === 'string' ? url : '' });
}

/** What cannot be filled is no secret yet: its server is not started either. */
function filled(value: string, directory: string): readonly string[] {
  const parts: string[] = [];
  const whole = value.replace(REFERENCE, (_, kind: string, name: string) => {
    const part = kind === 'env' ? (process.env[name] ?? '') : textIn(resolve(directory, name));
    parts.push(part);
    return part;
  });
  return [whole, ...parts];
}

function textIn(path: string): string {
  try {
    const facts = statSync(path);
    // A pipe or a device would be waited for.
    if (!facts.isFile() || facts.size > MAX_FILE_BYTES) return '';
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    // Whoever connects the server says why; the secrets of the others are still to be hidden.
    return '';
  }
}
