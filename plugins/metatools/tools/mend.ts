import { CallPath, GatewayError, ToolTable, isGatewayError, rawResult } from 'pegboard';
import type { Call, CallResult, JsonObject, Scope, Tool } from 'pegboard';
import { callText, meantCall } from '../../kit/calls/meantCall.ts';
import type { Action } from '../../kit/faults/action.ts';
import type { Meant } from '../../kit/calls/meantCall.ts';
import { withRawMeta } from '../../kit/text/rawJson.ts';
import { quotedName, unknownTool } from '../../kit/calls/unknownTool.ts';
import { argumentFaults } from '../entry/argumentFaults.ts';
import { schemaText } from '../entry/schemaText.ts';
import type { TrimmedSchemaOf } from '../entry/trimmedSchemaOf.ts';
import { withText } from '../results/withText.ts';

/** The call of call_tool that failed. */
export interface FailedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly call: Call;
}
export interface MendParts {
  readonly scope: Scope<unknown>;
  readonly trimmedSchemaOf: TrimmedSchemaOf;
}

/** What servers answer to arguments that do not fit. Source: https://www.jsonrpc.org/specification#error_object */
const INVALID_PARAMS = -32602;
/** A server's error result in the form in which SDKs write it. It is looked for at the end alone, so that no other result is read. */
const ERROR_END = '"isError":true';
const END_CHARS = 40;
const MAX_ERROR_CHARS = 20_000;
const IS_ABOUT_ARGUMENTS = /validation error|invalid (?:argument|param|input)|-32602/i;

/** The answer to a call that failed. A meta-tool that only reads is run by its name in another spelling.
 *  @throws GatewayError with what mends the call in one turn: the right name, or what is wrong with the arguments and their schema */
export async function mendedAnswer(
  error: unknown,
  failed: FailedCall,
  parts: MendParts,
): Promise<CallResult> {
  if (!isGatewayError(error)) throw error;
  const { scope } = parts;
  const table = scope.get(ToolTable);
  const { name, args, call } = failed;
  if (error.code !== 'TOOL_NOT_FOUND' || error.message !== `tool not found: ${name}`)
    throw withArguments(error, failed, parts);
  const meant = meantCall({ name, args }, table, call.request);
  if (meant.call !== undefined && meant.meta !== undefined && isReader(meant.meta)) {
    const result = await runReader(meant.call.name, meant.call.arguments, { scope, call });
    return understood(result, `${quotedName(name)} is ${meant.call.name}`);
  }
  throw withName(error, failed, { scope, meant });
}

/** Whether a meta-tool only reads: call_tool is the one that does not. */
export function isReader({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true;
}

/** Runs a meta-tool for the client that has named it in call_tool. */
export function runReader(
  name: string,
  args: JsonObject,
  { scope, call }: { readonly scope: Scope<unknown>; readonly call: Call },
): Promise<CallResult> {
  const { request, cancel, progress, client, meta } = call;
  return scope.get(CallPath).call(name, args, request, { cancel, progress, client, meta });
}

/** The result, which says for programs what was understood. */
export function understood({ json }: CallResult, what: string): CallResult {
  return rawResult(withRawMeta(json, 'pegboard.dev/understood', JSON.stringify(what)));
}

function withArguments(
  error: GatewayError,
  { name, args, call }: FailedCall,
  { scope, trimmedSchemaOf }: MendParts,
): GatewayError {
  const tool = scope.get(ToolTable).find(name, call.request);
  if (tool === undefined || !isOfArguments(error, tool)) return error;
  const { sentences, keys } = argumentFaults(args, tool.inputSchema);
  const isOwn = error.code === 'TOOL_ARGUMENTS';
  // A tool of Pegboard has said what is wrong; what is wrong inside of its arguments, it has said with their place.
  if (isOwn && sentences.length === 0) return error;
  const schema = schemaText(tool.inputSchema, keys, trimmedSchemaOf);
  const added = [...(isOwn ? [] : sentences), ...(schema === undefined ? [] : [schema])];
  const { code, message, details } = error;
  return new GatewayError(code, [message, ...added].join('; '), { details, cause: error });
}

function withName(
  cause: GatewayError,
  { name, call: { request } }: FailedCall,
  { scope, meant: { call, names } }: { readonly scope: Scope<unknown>; readonly meant: Meant },
): GatewayError {
  const { message } = cause;
  const text = (more: string, action?: Action): GatewayError =>
    new GatewayError('TOOL_NOT_FOUND', `${message}; ${more}`, {
      cause,
      details: { ...(action && { action }) },
    });
  if (call !== undefined) return text(`call ${callText(call)}`);
  if (names.length > 0) return text(`several tools may be meant: ${names.join(', ')}`);
  const unknown = unknownTool(name, scope, request);
  if (unknown.server !== undefined || unknown.near.length === 0) return text(unknown.text, unknown.action);
  // The front adds near names, and programs read them.
  return new GatewayError('TOOL_NOT_FOUND', message, { details: { near: unknown.near }, cause });
}

function isOfArguments({ code, details }: GatewayError, { kind }: Tool): boolean {
  if (code === 'TOOL_ARGUMENTS') return kind === 'core' || kind === 'workflow';
  return code === 'UPSTREAM_ERROR' && (details as { readonly code?: unknown }).code === INVALID_PARAMS;
}

/** Whether a result may be a server's error; costs nothing for others. */
export function maybeError({ json }: CallResult): boolean {
  return json.includes(ERROR_END, json.length - END_CHARS);
}

/** An error result of a server, with one more text if it is about the arguments: what is wrong with them, and their schema. */
export function withSchema(
  result: CallResult,
  failed: FailedCall,
  { scope, trimmedSchemaOf }: MendParts,
): CallResult {
  const { json } = result;
  if (json.length > MAX_ERROR_CHARS || result.value().isError !== true) return result;
  const tool = scope.get(ToolTable).find(failed.name, failed.call.request);
  if (tool?.kind !== 'tool') return result;
  const { sentences, keys } = argumentFaults(failed.args, tool.inputSchema);
  if (sentences.length === 0 && !IS_ABOUT_ARGUMENTS.test(json)) return result;
  const schema = schemaText(tool.inputSchema, keys, trimmedSchemaOf);
  const text = [...sentences, ...(schema === undefined ? [] : [schema])].join('; ');
  return text === '' ? result : withText(result, text);
}
