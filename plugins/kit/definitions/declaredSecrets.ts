import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Given } from './fromServerJson.ts';
import { scalarText } from './scalarText.ts';
import { ownAt } from './serverInputs.ts';

/** The values of what a description declares to be secret: `isSecret` in a server.json, `sensitive` in the manifest of a bundle. */
export function declaredSecrets(description: JsonObject, given: Given): ReadonlySet<string> {
  const { env, headers, values = {} } = given;
  const texts = inputsIn(description, '').flatMap(({ names, input }) => [
    ...names.flatMap((name) => [ownAt(env, name), ownAt(headers, name), ownAt(values, name)].flat()),
    scalarText(input['value']),
    ...[input['default']].flat().map(scalarText),
  ]);
  // References hold nothing, and templates have secrets of their own.
  return new Set(texts.filter((text) => text !== undefined && text !== '' && !/[{}]/.test(text)) as string[]);
}

interface Input {
  /** Names under which its value may be typed. */
  readonly names: readonly string[];
  readonly input: JsonObject;
}

function inputsIn(value: unknown, key: string): readonly Input[] {
  if (Array.isArray(value)) return value.flatMap((one) => inputsIn(one, ''));
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => inputsIn(one, name));
  if (value['isSecret'] !== true && value['sensitive'] !== true) return inner;
  const said = [key, value['valueHint'], value['name']].filter(
    (one) => typeof one === 'string' && one !== '',
  );
  const names = said.length === 0 ? ['value'] : (said as string[]);
  return [{ names: [...names, ...names.map((one) => one.replace(/^-+/, ''))], input: value }, ...inner];
}
