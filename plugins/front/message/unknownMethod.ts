import { CodecError, RPC } from './codec.ts';
import type { MessageId } from './codec.ts';

/** Methods of extensions, and what to do instead (decision D105). Source: MCP 2025-11-25, Tasks; SEP-2663; SEP-2640. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/^tasks\//, 'this gateway offers no tasks; call the tool without a task and wait for its result'],
  [
    /^(skills\/|resources\/directory\/)/,
    'this gateway does not offer the skills extension; the files of skills are in resources/list',
  ],
];

export function unknownMethod(method: string, id: MessageId | null = null): CodecError {
  const [, reason] = INSTEAD.find(([pattern]) => pattern.test(method)) ?? [];
  const text = `unknown method ${method}`;
  return new CodecError(RPC.methodNotFound, reason === undefined ? text : `${text}: ${reason}`, id);
}
