import { HIDDEN, hideInUrl, hideInWords, holdsOnlyReferences, isHidden, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** The spec of a definition as it may be shown: literal secrets are replaced, references and HIDDEN stay (decision D19).
 *  Values of another type than the schema's stay as they are. @param mark put in their place */
export function hiddenSpec(spec: JsonObject, mark: string = HIDDEN): JsonObject {
  const replace = (secret: string): string => (isHidden(secret) ? secret : mark);
  const text = (value: unknown): unknown =>
    typeof value !== 'string' || value === '' || holdsOnlyReferences(value) ? value : replace(value);
  const texts = (values: unknown): unknown =>
    isObject(values)
      ? Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]))
      : text(values);
  // One list, because a flag may end the command, and its value begin the arguments.
  const { command, args, url, env, headers, auth } = spec;
  const isWords = [command, args].every((part) =>
    [part ?? []].flat().every((word) => typeof word === 'string'),
  );
  const [head, tail] = [[command ?? []].flat(), [args ?? []].flat()] as [string[], string[]];
  const words = isWords ? hideInWords([...head, ...tail], replace) : [...head, ...tail];
  return {
    ...spec,
    ...(typeof command === 'string' && { command: words[0] }),
    ...(Array.isArray(command) && { command: words.slice(0, head.length) }),
    ...(Array.isArray(args) && { args: words.slice(head.length) }),
    ...(typeof url === 'string' && { url: hideInUrl(url, replace) }),
    ...(env !== undefined && { env: texts(env) }),
    ...(headers !== undefined && { headers: texts(headers) }),
    ...(auth !== undefined && { auth: withoutClientSecrets(auth, text) }),
  };
}

/** A literal one is refused, but may be in the file. */
function withoutClientSecrets(value: unknown, text: (value: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === 'clientSecret' ? text(part) : withoutClientSecrets(part, text),
    ]),
  );
}
