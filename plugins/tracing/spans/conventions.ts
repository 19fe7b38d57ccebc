import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { isGatewayError, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { rawMember } from '../../kit/text/rawJson.ts';
import type { RequestWork, ServerWork, SpanEnd, Work } from '../../contracts/tracing.ts';
import type { KnownValues } from './knownValues.ts';

// Names of spans and attributes. Source:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
// Arguments, results and identities are left out.

/** Required of a request that is sent or received. */
export const REQUEST_ID = 'jsonrpc.request.id';
/** A client chooses the text. */
const MAX_CHARS = 200;

export function spanKindOf({ type }: Work): SpanKind {
  if (type === 'request') return SpanKind.SERVER;
  return type === 'server' ? SpanKind.CLIENT : SpanKind.INTERNAL;
}

/** `<method> <tool or prompt>`; uris are too many for names. */
export function spanNameOf(work: Work): string {
  switch (work.type) {
    case 'request':
      return named(work.method, targetOf(work));
    case 'server':
      return named(work.method, isUri(work.method) ? undefined : work.target);
    case 'dispatch':
      return `execute_tool ${work.tool}`;
    case 'run':
      return `invoke_workflow ${work.workflow}`;
    default:
      return `step ${work.step}`;
  }
}

export function attributesOf(work: Work, known: KnownValues): Attributes {
  switch (work.type) {
    case 'request':
      return requestAttributes(work, known);
    case 'server':
      return serverAttributes(work, known);
    case 'dispatch':
      return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': work.tool };
    case 'run':
      return {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': work.workflow,
        'pegboard.workflow.execution': work.execution,
      };
    default:
      return {
        'gen_ai.workflow.name': work.workflow,
        'gen_ai.tool.name': work.tool,
        'pegboard.workflow.step': work.step,
        ...(work.iteration !== undefined && { 'pegboard.workflow.iteration': work.iteration }),
      };
  }
}

function requestAttributes(work: RequestWork, known: KnownValues): Attributes {
  const { id, method, params, request, revision } = work;
  return {
    ...calledAttributes(method, targetOf(work), params['uri']),
    [REQUEST_ID]: short(String(id)),
    ...(revision !== undefined && { 'mcp.protocol.version': revision }),
    ...(request.sessionId !== undefined && { 'mcp.session.id': known.sessionDigest(request.sessionId) }),
    'network.transport': request.transport === 'stdio' ? 'pipe' : 'tcp',
  };
}

function serverAttributes(
  { server, method, target, url, revision }: ServerWork,
  known: KnownValues,
): Attributes {
  return {
    ...calledAttributes(method, target, target),
    'pegboard.server': server,
    ...(revision !== undefined && { 'mcp.protocol.version': revision }),
    'network.transport': url === undefined ? 'pipe' : 'tcp',
    ...(url !== undefined && known.placeOf(url)),
  };
}

function calledAttributes(method: string, name: string | undefined, uri: unknown): Attributes {
  const attributes: Attributes = { 'mcp.method.name': short(method) };
  if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool';
  if (method === 'tools/call' && name !== undefined) attributes['gen_ai.tool.name'] = name;
  if (method === 'prompts/get' && name !== undefined) attributes['gen_ai.prompt.name'] = name;
  if (isUri(method) && typeof uri === 'string') attributes['mcp.resource.uri'] = short(uri);
  return attributes;
}

/** `tool_error` for a result that is an error, else a code of Pegboard, or of JSON-RPC if a server or Pegboard answers with
 *  one. @returns undefined for a success */
export function errorTypeOf(how: SpanEnd): string | undefined {
  const { json, status } = how;
  if ('error' in how) return codeOf(how.error);
  if (status === 'failed' || status === 'cancelled') return status;
  // Most results are never parsed: parse only those that may have the member.
  if (json?.includes('"isError"') !== true || rawMember(json, 'isError') !== 'true') return undefined;
  const own: unknown = JSON.parse(rawMember(json, '_meta') ?? '{}');
  const facts = isObject(own) ? own['pegboard.dev/error'] : undefined;
  return isObject(facts) && typeof facts['code'] === 'string' ? facts['code'] : 'tool_error';
}

function codeOf(error: unknown): string {
  if (isGatewayError(error)) {
    const { code, details } = error;
    return code === 'UPSTREAM_ERROR' && Number.isInteger(details.code) ? String(details.code) : code;
  }
  // Thrown by plugins/front for what it answers with a code of JSON-RPC.
  const rpcCode = isObject(error) ? error['rpcCode'] : undefined;
  return typeof rpcCode === 'number' ? String(rpcCode) : 'internal_error';
}

function targetOf({
  method,
  params,
}: {
  readonly method: string;
  readonly params: JsonObject;
}): string | undefined {
  const { name } = params;
  const isNamed = method === 'tools/call' || method === 'prompts/get';
  return isNamed && typeof name === 'string' ? short(name) : undefined;
}

function isUri(method: string): boolean {
  return method.startsWith('resources/');
}

function named(method: string, target: string | undefined): string {
  return target === undefined ? short(method) : `${short(method)} ${target}`;
}

function short(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
