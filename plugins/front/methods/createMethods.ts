import { CallPath, GatewayError, ToolTable, isGatewayError, isObject } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { firstAnswer } from '../../kit/calls/firstAnswer.ts';
import { withRawMeta } from '../../kit/text/rawJson.ts';
import { McpPromptSource, McpResourceSource } from '../../contracts/mcp.ts';
import { CodecError, RPC } from '../message/codec.ts';
import { completeArgument } from './completeArgument.ts';
import { inOlderShape } from '../message/inOlderShape.ts';
import { idempotencyKeyOf } from '../message/idempotencyKeyOf.ts';
import { createLists } from '../client/createLists.ts';
import type { Method, MethodContext } from './method.ts';
import { callNative } from './callNative.ts';
import { directCallMessage } from './directCallMessage.ts';
import { NO_META_TOOLS, errorResult, resourceNotFound, wantsBrowser } from '../message/results.ts';

/** The requests that all revisions share, each turned into a kernel call and back. */
export function createMethods(scope: Scope<unknown>): ReadonlyMap<string, Method> {
  const lists = createLists(scope);
  return new Map<string, Method>([
    ['tools/list', whole((request) => lists.tools(request))],
    ['tools/call', (params, context) => callTool(scope, params, context)],
    ['resources/list', narrowed(scope, (request) => lists.resources(request))],
    ['resources/templates/list', narrowed(scope, (request) => lists.templates(request))],
    ['resources/read', (params, context) => readResource(scope, params, context)],
    ['prompts/list', narrowed(scope, (request) => lists.prompts(request))],
    ['prompts/get', (params, context) => getPrompt(scope, params, context)],
    ['completion/complete', (params, context) => completeArgument(scope, params, context)],
  ]);
}

/** Every list is one page, so a cursor cannot come from here. Source: MCP 2025-11-25, Pagination. */
function whole(list: (request: InboundRequest) => string): Method {
  return ({ cursor }, { request }) => {
    if (typeof cursor === 'string' && cursor !== '')
      throw new CodecError(RPC.invalidParams, 'params.cursor is not from this server; leave it out');
    return list(request);
  };
}

/** A toolset that cannot be used is an error, not an empty list. */
function narrowed(scope: Scope<unknown>, list: (request: InboundRequest) => string): Method {
  return whole((request) => {
    scope.get(ToolTable).admit('', undefined, request);
    return list(request);
  });
}

/** Failures of a tool are results; only a malformed request is an error. */
async function callTool(
  scope: Scope<unknown>,
  params: JsonObject,
  { request, options, session }: MethodContext,
): Promise<string> {
  const { name, arguments: given } = params;
  if (typeof name !== 'string') throw new CodecError(RPC.invalidParams, 'params.name must be a string');
  const args = given ?? {};
  if (!isObject(args)) throw new CodecError(RPC.invalidParams, 'params.arguments must be a JSON object');
  const idempotencyKey = idempotencyKeyOf(params, request);
  try {
    const asked = idempotencyKey === undefined ? options : { ...options, idempotencyKey };
    const { json } = await scope.get(CallPath).call(name, args, request, asked);
    return noted(params, session === undefined ? json : inOlderShape(json));
  } catch (error) {
    if (isDirect(error)) {
      const hasMetaTools = scope.get(ToolTable).metaTools().length > 0;
      throw new CodecError(
        RPC.invalidParams,
        hasMetaTools ? directCallMessage({ name, args }, scope, request) : NO_META_TOOLS,
      );
    }
    if (wantsBrowser(error, options.client?.capabilities)) throw error;
    const log = scope.log.child({ request: request.id });
    return noted(params, errorResult(error, log, options.meta).json);
  }
}

const NO_TASK = 'not created: this gateway offers no tasks, so the call ran as an ordinary one';

/** A call that asks for a task must run as if it did not; its result says so. Source: MCP 2025-11-25, Task Support and
 *  Handling; D105. @param result JSON text */
function noted({ task }: JsonObject, result: string): string {
  return task === undefined ? result : withRawMeta(result, 'pegboard.dev/task', JSON.stringify(NO_TASK));
}

/** Whether the request calls a tool that is not a meta-tool by its name. */
function isDirect(error: unknown): boolean {
  return isGatewayError(error) && error.code === 'TOOL_NOT_FOUND' && error.details.direct === true;
}

function readResource(scope: Scope<unknown>, params: JsonObject, context: MethodContext): Promise<string> {
  const { uri } = params;
  const { request, options } = context;
  if (typeof uri !== 'string') throw new CodecError(RPC.invalidParams, 'params.uri must be a string');
  const run = (): Promise<string> =>
    firstAnswer(
      scope.all(McpResourceSource),
      (source) => source.read(uri, request, options),
      () => resourceNotFound(uri, scope.all(McpResourceSource), request),
    );
  return callNative(scope, { method: 'resources/read', params, run }, context);
}

function getPrompt(scope: Scope<unknown>, params: JsonObject, context: MethodContext): Promise<string> {
  const { request, options } = context;
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') throw new CodecError(RPC.invalidParams, 'params.name must be a string');
  if (!isObject(args)) throw new CodecError(RPC.invalidParams, 'params.arguments must be a JSON object');
  const run = (): Promise<string> =>
    firstAnswer(
      scope.all(McpPromptSource),
      (source) => source.get(name, args, request, options),
      () => {
        const unread = scope
          .all(McpPromptSource)
          .flatMap((source) => source.unreadPrompts?.(name, request) ?? []);
        const text = [`prompt not found: ${name}`, ...unread, 'see prompts/list'].join('; ');
        return new GatewayError('PROMPT_NOT_FOUND', text);
      },
    );
  return callNative(scope, { method: 'prompts/get', params, run }, context);
}
