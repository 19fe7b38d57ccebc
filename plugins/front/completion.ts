import { isObject, McpCompletionSource } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { CodecError, RPC } from './codec.ts';
import type { MethodContext } from './methods.ts';

/** `completion/complete`, answered by the server whose prompt or template it is.
 *  @throws CodecError for a reference that nobody knows */
export function complete(
  scope: Scope<unknown>,
  params: JsonObject,
  { request, options }: MethodContext,
): Promise<string> {
  const { ref, argument } = params;
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw new CodecError(RPC.invalidParams, 'params.argument must have a name and a value, both strings');
  if (!isObject(ref)) throw new CodecError(RPC.invalidParams, 'params.ref must be a JSON object');
  for (const source of scope.all(McpCompletionSource)) {
    const found = source.complete(params, request, options);
    if (found !== undefined) return found;
  }
  const what = JSON.stringify(ref['name'] ?? ref['uri'] ?? ref['type']);
  throw new CodecError(
    RPC.invalidParams,
    `nothing to complete for ${what}; see prompts/list and resources/templates/list`,
  );
}
