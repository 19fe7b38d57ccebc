import { HIDDEN } from 'pegboard';
import { hideInWords, isHidden } from './secretPlaces.ts';
import { hideMarked } from './hideMarked.ts';
import type { JsonObject, JsonSchema } from 'pegboard';

/** The spec of a definition as it may be shown: literal secrets are replaced, references and HIDDEN stay (decision D19).
 *  @param schema of the kind @param mark put in their place */
export function hiddenSpec(spec: JsonObject, schema: JsonSchema, mark: string = HIDDEN): JsonObject {
  const { command, args, ...rest } = spec;
  const [head, tail] = [[command ?? []].flat(), [args ?? []].flat()] as [string[], string[]];
  // One list, because a flag may end the command, and its value begin the arguments.
  const all = [...head, ...tail];
  if (typeof args === 'string' || !all.every((word) => typeof word === 'string'))
    return hideMarked(schema, spec, mark) as JsonObject;
  const words = hideInWords(all, (secret) => (isHidden(secret) ? secret : mark));
  return {
    ...spec,
    ...(hideMarked(schema, rest, mark) as JsonObject),
    ...(typeof command === 'string' && { command: words[0] }),
    ...(Array.isArray(command) && { command: words.slice(0, head.length) }),
    ...(Array.isArray(args) && { args: words.slice(head.length) }),
  };
}
