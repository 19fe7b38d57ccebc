import { GatewayError, isGatewayError, isObject, jsonText } from 'pegboard';
import type { ClientAnswer, ClientMeta, JsonObject, Log } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { traceIdOf } from '../../kit/calls/traceIdOf.ts';
import { keepExactNumbers } from '../../kit/calls/exactNumbers.ts';

export type MessageId = string | number;
export type Message =
  | { readonly kind: 'request'; readonly id: MessageId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | {
      readonly kind: 'response';
      readonly id: MessageId;
      readonly answer: ClientAnswer['kind'];
      readonly value: unknown;
    };
export type Body =
  | { readonly batch: false; readonly message: Message }
  | { readonly batch: true; readonly messages: readonly Message[] };

/** Error codes of JSON-RPC 2.0 §5.1 and of MCP. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  resourceNotFound: -32002,
} as const;

/** A message or batch that is refused as a whole. */
export class CodecError extends Error {
  readonly rpcCode: number;
  /** Id of the refused request, if it could be read: a client without HTTP status codes waits for it. */
  readonly id: MessageId | null;
  readonly data: JsonObject | undefined;
  constructor(rpcCode: number, message: string, id: MessageId | null = null, data?: JsonObject) {
    super(message);
    this.rpcCode = rpcCode;
    this.id = id;
    this.data = data;
  }
}

export interface CodecLimits {
  readonly maxDepth: number;
  readonly maxBatch: number;
}

/** @throws CodecError */
export function decodeBody(text: string, { maxDepth, maxBatch }: CodecLimits): Body {
  if (isDeeperThan(text, maxDepth)) {
    throw new CodecError(RPC.invalidRequest, `the message is nested deeper than ${maxDepth} levels`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CodecError(RPC.parse, 'the body is not JSON');
  }
  keepExactNumbers(text, value);
  if (!Array.isArray(value)) return { batch: false, message: readMessage(value) };
  if (value.length === 0) throw new CodecError(RPC.invalidRequest, 'the batch is empty');
  if (value.length > maxBatch)
    throw new CodecError(RPC.invalidRequest, `the batch holds over ${maxBatch} messages`);
  return { batch: true, messages: value.map(readMessage) };
}

function readMessage(value: unknown): Message {
  if (!isObject(value)) throw new CodecError(RPC.invalidRequest, 'a message must be a JSON object');
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== '2.0') throw new CodecError(RPC.invalidRequest, '"jsonrpc" must be "2.0"');
  if (id !== undefined && !isId(id)) {
    throw new CodecError(RPC.invalidRequest, '"id" must be a string or an integer below 2^53');
  }
  const known = id ?? null;
  if (typeof method !== 'string') {
    if (method === undefined && id !== undefined && ('result' in value || 'error' in value))
      return 'result' in value
        ? { kind: 'response', id, answer: 'result', value: value['result'] }
        : { kind: 'response', id, answer: 'error', value: value['error'] };
    throw new CodecError(RPC.invalidRequest, '"method" must be a string', known);
  }
  // Some clients write the parameters that they do not have as null.
  if (params !== undefined && params !== null && !isObject(params)) {
    throw new CodecError(RPC.invalidRequest, '"params" must be a JSON object', known);
  }
  return id === undefined
    ? { kind: 'notification', method, params: params ?? {} }
    : { kind: 'request', id, method, params: params ?? {} };
}

/** A larger number would be rounded, and the client would not recognise the answer's id. */
function isId(id: unknown): id is MessageId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** JSON.parse reads a million levels, JSON.stringify overflows the stack at a few thousand: refuse before parsing. */
function isDeeperThan(text: string, maxDepth: number): boolean {
  if (hasAtMost(maxDepth, text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

/** Whether a text has no more opening brackets than that, also inside of strings: most messages have few. */
function hasAtMost(most: number, text: string): boolean {
  let left = most;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if ((left -= 1) < 0) return false;
  return true;
}

function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

const MAX_ERROR_CHARS = 10_000;

/** Messages quote what a peer sent, of any length; the next step is at the end, so the middle is cut. */
export function shortened(text: string): string {
  if (text.length <= MAX_ERROR_CHARS) return text;
  const [head, tail] = [text.slice(0, MAX_ERROR_CHARS - 1_000), text.slice(-1_000)];
  return `${head}… (${text.length - MAX_ERROR_CHARS} characters left out) …${tail}`;
}

function idJson(id: MessageId | null): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

/** @param result complete JSON text, inserted unchanged */
export function writeResult(id: MessageId, result: string): string {
  return `{"jsonrpc":"2.0","id":${idJson(id)},"result":${result}}`;
}

export function writeError(id: MessageId | null, code: number, message: string, data?: JsonObject): string {
  const short = { code, message: shortened(message) };
  const error = data === undefined ? short : { ...short, data };
  return `{"jsonrpc":"2.0","id":${idJson(id)},"error":${JSON.stringify(error)}}`;
}

export function writeNotification(method: string, params?: JsonObject): string {
  return JSON.stringify(
    params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
  );
}

/** @param params JSON text, which is passed on unchanged */
export function notificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`;
}

/** Answers a request that is not a tool call, where MCP has an error instead of an error result.
 *  @param meta of the request: `data` names its trace, for the operator */
export function writeFailure(
  id: MessageId,
  thrown: unknown,
  { log, meta }: { readonly log: Log; readonly meta: ClientMeta | undefined },
): string {
  const trace = traceIdOf(meta);
  const traced = trace === undefined ? undefined : { trace };
  if (thrown instanceof CodecError) {
    const { rpcCode, message, data } = thrown;
    return writeError(id, rpcCode, message, traced === undefined ? data : { ...data, ...traced });
  }
  if (!isGatewayError(thrown) || !thrown.expose)
    return writeError(id, RPC.internal, internalErrorText('call failed', thrown, log, trace), traced);
  const data = { ...dataOf(thrown), code: thrown.code, ...traced };
  return writeError(id, rpcCodeFor(thrown), thrown.message, data);
}

function rpcCodeFor({ code, details }: GatewayError): number {
  if (code === 'UPSTREAM_ERROR' && Number.isInteger(details.code)) return details.code as number;
  if (code === 'RESOURCE_NOT_FOUND') return RPC.resourceNotFound;
  if (code === 'LIMIT_EXCEEDED') return RPC.refused;
  return /^(TOOL|REQUEST|PROMPT)_/.test(code) ? RPC.invalidParams : RPC.internal;
}

/** The data that the failing server added to its error, or the seconds after which to retry. */
function dataOf({ code, details }: GatewayError): JsonObject {
  const { retryAfter } = details;
  if (typeof retryAfter === 'number') return { retryAfter };
  if (code !== 'UPSTREAM_ERROR') return {};
  const { data } = details;
  return isObject(data) && jsonText(data) !== undefined ? data : {};
}
