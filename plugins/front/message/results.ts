import { GatewayError, isGatewayError, isObject, jsonText, resultOf } from 'pegboard';
import type { CallResult, ClientMeta, InboundRequest, JsonObject, Log } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { REMEDY_KEY, remedyOf } from '../../kit/faults/remedy.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import { URL_ELICITATION_REQUIRED } from '../../contracts/servers.ts';
import type { McpResourceSource } from '../../contracts/mcp.ts';
import { shortened } from './codec.ts';

/** Whether a server requires a step in a browser first, and the client supports that. The error contains the step.
 *  Source: MCP 2025-11-25, URLElicitationRequiredError. @param capabilities of the client; undefined for none */
export function wantsBrowser(
  thrown: unknown,
  capabilities: JsonObject | undefined,
): thrown is GatewayError<'UPSTREAM_ERROR'> {
  if (!isGatewayError(thrown) || thrown.code !== 'UPSTREAM_ERROR') return false;
  if (thrown.details.code !== URL_ELICITATION_REQUIRED) return false;
  const modes = capabilities?.['elicitation'];
  return isObject(modes) && 'url' in modes;
}

/** A failed call as an error result: text that an agent can act on, the code for programs, and the id of the trace for the
 *  operator. @param meta of the call */
export function errorResult(thrown: unknown, log: Log, meta: ClientMeta | undefined): CallResult {
  const trace = traceIdOf(meta);
  const isShown = isGatewayError(thrown) && thrown.expose;
  const text = isShown
    ? shortened(`${thrown.message}${nearWords(thrown)}${dataWords(thrown)}`)
    : internalErrorText('call failed', thrown, log, trace);
  const facts = { ...(isShown && errorFacts(thrown)), ...(trace !== undefined && { trace }) };
  const remedy = isShown ? remedyOf(thrown, thrown.details.server, text) : undefined;
  const found = {
    ...(Object.keys(facts).length > 0 && { 'pegboard.dev/error': facts }),
    ...(remedy !== undefined && { [REMEDY_KEY]: remedy }),
  };
  const content = [{ type: 'text', text }];
  return resultOf({ content, isError: true, ...(Object.keys(found).length > 0 && { _meta: found }) });
}

export function resourceNotFound(
  uri: string,
  sources: readonly McpResourceSource[],
  request: InboundRequest,
): GatewayError {
  const unread = sources.flatMap((source) => source.unreadResources?.(request) ?? []);
  const text = [`resource not found: ${uri}`, ...unread, 'see resources/list'].join('; ');
  return new GatewayError('RESOURCE_NOT_FOUND', text, { details: { uri } });
}

/** The facts for programs: the code, whether the tool may have run, what the server said in its own error, and, if known, how
 *  many seconds to wait. */
function errorFacts({ code, details }: GatewayError): JsonObject {
  const { retryAfter, mayHaveRun } = details;
  const upstream = serverFacts(details);
  return {
    code,
    ...(mayHaveRun === true && { mayHaveRun }),
    ...(typeof retryAfter === 'number' && { retryAfter }),
    ...(upstream !== undefined && { upstream }),
  };
}

/** Code and data of a server's JSON-RPC error; data that is too long as the beginning of its text. */
function serverFacts(details: GatewayError['details']): JsonObject | undefined {
  if (details.serverMessage === undefined) return undefined;
  const { code, data } = details as { readonly code?: unknown; readonly data?: unknown };
  const text = jsonText(data);
  const hasData = text !== undefined && text !== 'null';
  if (typeof code !== 'number' && !hasData) return undefined;
  return {
    ...(typeof code === 'number' && { code }),
    ...(hasData && { data: text.length > MAX_DATA_CHARS ? cutData(text) : data }),
  };
}
const MAX_DATA_CHARS = 2_000;

function cutData(text: string): string {
  return `${text.slice(0, MAX_DATA_CHARS)}…`;
}

/** Many servers put the cause, or the way out, into the data of their errors. */
function dataWords({ details }: GatewayError): string {
  const data = serverFacts(details)?.['data'];
  if (data === undefined) return '';
  return `; the server adds: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
}

function nearWords({ code, details }: GatewayError): string {
  if (code !== 'TOOL_NOT_FOUND') return '';
  const { near } = details;
  if (near === undefined) return '';
  if (near.length === 0) return '; find the exact name with filter_tools';
  return `; did you mean ${near.join(' or ')}?`;
}

export const NO_META_TOOLS = 'no tool can be called here: the plugin metatools is switched off';
