import { fillReferences, isObject, secretsGiven } from 'pegboard';
import type { JsonObject, Secret } from 'pegboard';

/** What the definition of a server gives it in confidence: values of `env` and `headers`, references filled in and each by
 *  itself, and what is secret in its url and command. A reference that cannot be filled is left out: its server does not start either.
 *  @param directory relative `${file:…}` start there */
export function secretsIn(
  { env, headers, url, command, args }: JsonObject,
  directory: string,
): readonly Secret[] {
  const values = [env, headers].flatMap((map) => fillReferences(textsIn(map), directory).secrets);
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return secretsGiven({ values, words, url: typeof url === 'string' ? url : '' });
}

function textsIn(map: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(map) ? map : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
