import { GatewayError, internalErrorText, isGatewayError, isObject, textResult } from 'pegboard';
import type { CallResult, JsonObject, Log } from 'pegboard';
import { URL_ELICITATION_REQUIRED } from '../../upstream/contract.ts';
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

/** A failed call as an error result: text that an agent can act on, and the code for programs. */
export function errorResult(thrown: unknown, log: Log): CallResult {
  if (!isGatewayError(thrown) || !thrown.expose)
    return textResult(internalErrorText('call failed', thrown, log), true);
  const content = [{ type: 'text', text: shortened(`${thrown.message}${nearWords(thrown)}`) }];
  const json = JSON.stringify({
    content,
    isError: true,
    _meta: { 'pegboard.dev/error': errorFacts(thrown) },
  });
  return { json, value: () => JSON.parse(json) as ReturnType<CallResult['value']> };
}

export function resourceNotFound(uri: string): GatewayError {
  const text = `resource not found: ${uri}; see resources/list`;
  return new GatewayError('RESOURCE_NOT_FOUND', text, { details: { uri } });
}

/** For programs: the code and, if known, how many seconds to wait. */
function errorFacts({ code, details }: GatewayError): JsonObject {
  const { retryAfter } = details;
  return typeof retryAfter === 'number' ? { code, retryAfter } : { code };
}

function nearWords({ code, details }: GatewayError): string {
  if (code !== 'TOOL_NOT_FOUND') return '';
  const { near } = details;
  if (near === undefined) return '';
  if (near.length === 0) return '; find the exact name with filter_tools';
  return `; did you mean ${near.join(' or ')}?`;
}

export const NO_META_TOOLS = 'no tool can be called here: the plugin metatools is switched off';

/** The message to a client that calls an inner tool by its own name. Source: requirement error.direct. */
export function directCallMessage(name: string, args: JsonObject): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  const call = JSON.stringify({ name, arguments: args });
  const example = call.length > 300 ? JSON.stringify({ name: short, arguments: '…' }) : call;
  return `${JSON.stringify(short)} cannot be called by name; only the tools of tools/list can. Call call_tool with ${example}`;
}
