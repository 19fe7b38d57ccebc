import { isObject } from 'pegboard';
import { fillReferences } from './references.ts';
import { secretsGiven } from './secretPlaces.ts';
import type { ConfigControl, JsonObject } from 'pegboard';
import type { Secret } from 'pegboard/contracts';

/** The secrets of a server's definition: values of `env` and `headers` that are not harmless, with references resolved and
 *  each reference alone, and secret parts of url and command. Unresolvable references are left out, because their server does not start either.
 *  @param directory base of relative `${file:…}` references */
export function secretsIn(
  { env, headers, url, command, args }: JsonObject,
  directory: string,
): readonly Secret[] {
  const values = [env, headers].flatMap((map) => fillReferences(textsIn(map), directory).secrets);
  const words = [command, args, url].flat().filter((word) => typeof word === 'string');
  const filled = fillReferences(Object.fromEntries(words.entries()), directory);
  const texts = Object.values(filled.values);
  const address = typeof url === 'string' ? (texts.pop() ?? '') : '';
  return secretsGiven({ values: [...values, ...filled.referred], words: texts, url: address });
}

/** The secrets of the definitions of all servers, because one may receive another's. */
export function secretsOfServers(control: ConfigControl): readonly Secret[] {
  return control.resources('MCPServer').flatMap(({ spec }) => secretsIn(spec, control.directory));
}

function textsIn(map: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(map) ? map : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
