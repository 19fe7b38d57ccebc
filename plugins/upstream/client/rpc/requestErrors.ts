import { GatewayError, isGatewayError, isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { redactedData } from '../wire/redactedData.ts';
import type { Pending } from './pending.ts';
import type { StandardError } from '../wire/standardError.ts';

const INVALID_PARAMS = -32602;
/** MCP 2025-11-25, Resources, Error Handling. */
const RESOURCE_NOT_FOUND = -32002;

const MAY_HAVE_RUN = '; it may have run, check its effect before calling again';

// Errors of requests. Each message names the request and its server.

export function badResult(server: string, pending: Pending): GatewayError {
  return malformed(server, pending, 'was answered with a result that is not an object');
}

/** @param fault where the result deviates from the protocol, and how */
export function oddResult(server: string, { what }: Pick<Pending, 'what'>, fault: string): GatewayError {
  const text = `was answered with a malformed result: result.${fault}`;
  return malformed(server, { what }, text);
}

/** @param answer which is quoted by its first word that JSON does not know only: a part of it could hold a part of a secret */
export function notJson(server: string, { what, isOwn }: Pending, answer: string): GatewayError {
  const [, word] = /[:,[]\s*(NaN|-?Infinity|undefined|None|True|False)\b/.exec(answer) ?? [];
  const text = `was answered with what is not JSON${word === undefined ? '' : ` (${word})`}; the log has it`;
  return malformed(server, { what, isOwn }, text);
}

/** A server may repeat secrets that it was given; an error does not hold them (decision D19).
 *  @param answer `error` of a message without `result` */
export function errorAnswer(
  { server, output }: { readonly server: string; readonly output: Pick<StandardError, 'redact'> },
  pending: Pending,
  answer: unknown,
): GatewayError {
  if (answer === undefined) return malformed(server, pending, 'was answered with neither result nor error');
  const { what, method } = pending;
  const given = isObject(answer) ? answer : {};
  const { data } = given;
  const code = isMissingResource(method, given) ? RESOURCE_NOT_FOUND : given['code'];
  const told = errorWords(answer, output);
  const details = { code, data: redactedData(data, (text) => output.redact(text)), serverMessage: told };
  return errorOf('UPSTREAM_ERROR', { server, what, text: `failed: ${told}`, details });
}

/** What the `error` of a message says: it may be a text itself. */
export function errorWords(answer: unknown, output: Pick<StandardError, 'redact'>): string {
  const words = isObject(answer) ? answer['message'] : answer;
  return typeof words === 'string' && words !== '' ? output.redact(words) : 'an error without a message';
}

/** Whether a server says in the words of 2026-07-28 that it does not have a resource. The front translates the older code.
 *  Source: MCP 2026-07-28, Error Codes */
function isMissingResource(method: string, { code, data }: JsonObject): boolean {
  return (
    method === 'resources/read' &&
    code === INVALID_PARAMS &&
    isObject(data) &&
    typeof data['uri'] === 'string'
  );
}

/** @param limitMs the time-out that has passed @param adrift what the server said meanwhile in an error that names no request */
export function noAnswer(
  server: string,
  { what, sent, isOwn }: Pending,
  { limitMs, adrift }: { readonly limitMs: number; readonly adrift: string | undefined },
): GatewayError {
  const none = `had no answer within ${limitMs} ms${adrift === undefined ? '' : ` (it sent an error that names no request: ${adrift})`}`;
  if (isOwn) return errorOf('UPSTREAM_TIMEOUT', { server, what, text: none });
  const text = sent ? none : `could not be sent within ${limitMs} ms; it has not run, call again later`;
  return errorOf('UPSTREAM_TIMEOUT', { server, what, text, details: { mayHaveRun: sent } });
}

export function cancelled(
  server: string,
  { what, sent }: Pick<Pending, 'what' | 'sent'>,
  reason: string,
): GatewayError {
  const text = `was cancelled: ${reason}`;
  return errorOf('TOOL_CANCELLED', { server, what, text, details: { mayHaveRun: sent } });
}

export function cutOff(
  server: string,
  { what }: Pick<Pending, 'what'>,
  { message }: GatewayError,
): GatewayError {
  const text = `was under way when the connection ended: ${message}`;
  return errorOf('UPSTREAM_CLOSED', { server, what, text, details: { mayHaveRun: true } });
}

/** @param error of the wire, which names neither request nor server; errors of own requests are reported with their server */
export function failure(server: string, { what, isOwn }: Pending, error: GatewayError): GatewayError {
  if (isOwn) return error;
  const { code, message, details } = error;
  return errorOf(code, { server, what, text: `failed: ${message}`, details, cause: error });
}

/** The error says that the server no longer speaks the agreed revision. */
export function outdated(server: string, { what }: Pending): GatewayError {
  const text = 'was refused: the server no longer speaks the revision that it agreed to';
  return errorOf('UPSTREAM_PROTOCOL', { server, what, text });
}

/** The server has answered, so a tool has run. @param text what is wrong with the answer, after the name of the request */
export function malformed(server: string, { what, isOwn }: Named, text: string): GatewayError {
  return errorOf('UPSTREAM_PROTOCOL', {
    server,
    what,
    text,
    details: { ...(!isOwn && { mayHaveRun: true }) },
  });
}

/** The server asks for more before it answers, in a way that cannot be followed. @param text how, after the name of the request */
export function unfinished(server: string, { what }: Pick<Pending, 'what'>, text: string): GatewayError {
  return errorOf('UPSTREAM_PROTOCOL', { server, what, text });
}

/** The answer is a task, which Pegboard never asks for. */
export function taskAnswer(server: string, { what }: Pick<Pending, 'what'>): GatewayError {
  const text = `was answered with a task, which was not asked for: there are no tasks here`;
  return malformed(server, { what }, text);
}

/** @param why the client has not answered a question of the request */
export function unanswered(server: string, { what }: Pick<Pending, 'what'>, why: string): GatewayError {
  return errorOf('UPSTREAM_ERROR', { server, what, text: `failed: ${why}` });
}

export function notConnected(server: string, what: string): GatewayError {
  return errorOf('UPSTREAM_CLOSED', { server, what, text: 'was not sent: there is no connection' });
}

export function asGatewayError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  return new GatewayError('UPSTREAM_UNREACHABLE', messageOf(error), { cause: error });
}

/** A request of a caller, unless it is one of the gateway itself. */
type Named = Pick<Pending, 'what'> & { readonly isOwn?: boolean };

interface Words {
  readonly server: string;
  readonly what: string;
  readonly text: string;
  readonly details?: GatewayError['details'];
  readonly cause?: GatewayError;
}

function errorOf(code: GatewayError['code'], { server, what, text, details, cause }: Words): GatewayError {
  const message = `${what} of server ${server} ${text}${details?.mayHaveRun === true ? MAY_HAVE_RUN : ''}`;
  return new GatewayError(code, message, { cause, details: { server, ...details } });
}
