import { GatewayError, isObject } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { firstAnswer } from '../../kit/calls/firstAnswer.ts';
import { McpCompletionSource } from '../../contracts/mcp.ts';
import { CodecError, RPC } from '../message/codec.ts';
import type { MethodContext } from './method.ts';
import { callNative } from './callNative.ts';

/** `completion/complete`, answered by the server that has the prompt or template.
 *  @throws CodecError, GatewayError */
export function completeArgument(
  scope: Scope<unknown>,
  params: JsonObject,
  context: MethodContext,
): Promise<string> {
  const { request, options } = context;
  const { ref, argument } = params;
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw new CodecError(RPC.invalidParams, 'params.argument must have a name and a value, both strings');
  if (!isObject(ref)) throw new CodecError(RPC.invalidParams, 'params.ref must be a JSON object');
  const none = (): GatewayError => {
    const what = JSON.stringify(ref['name'] ?? ref['uri'] ?? ref['type']);
    const text = `nothing to complete for ${what}; see prompts/list and resources/templates/list`;
    return new GatewayError('REQUEST_NOT_FOUND', text);
  };
  const run = (): Promise<string> =>
    firstAnswer(scope.all(McpCompletionSource), (source) => source.complete(params, request, options), none);
  return callNative(scope, { method: 'completion/complete', params, run }, context);
}
