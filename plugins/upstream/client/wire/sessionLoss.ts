import { GatewayError } from 'pegboard';

/** Statuses with which a session that is spoken of is certainly lost. None of them has run the request. */
const LOST_IN_WORDS: ReadonlySet<number> = new Set([400, 410, 503]);
/** Codes of JSON-RPC with which servers refuse a request for its session. */
const RPC_CODES: ReadonlySet<unknown> = new Set([-32000, -32001, -32002, -32600, -32602]);
/** What the official SDKs say before `initialize`, a ping aside. */
const UNINITIALIZED = /server not initialized|before initialization/i;

/** Whether a status reports a lost session: 404 is the specified way, and the official SDK's server says after a restart that it is not
 *  initialized. Source: MCP 2025-11-25, Session Management */
export function isSessionLoss(status: number, body: string): boolean {
  return status === 404 || (LOST_IN_WORDS.has(status) && /session|not initialized/i.test(body));
}

/** Whether the error of a request in a session says that the server was not initialized, in a status or JSON-RPC error of any kind. */
export function isUninitialized(error: GatewayError): boolean {
  return isRefusal(error) && UNINITIALIZED.test(wordsOf(error));
}

/** Whether the error of a request in a session may report that the session is lost. The words of a tool about sessions of its own look the
 *  same, so a ping decides. */
export function isSessionDoubt(error: GatewayError): boolean {
  return isRefusal(error) && /session/i.test(wordsOf(error));
}

function isRefusal({ details }: GatewayError): boolean {
  const { code, status = 0 } = details as GatewayError['details'] & { readonly code?: unknown };
  return RPC_CODES.has(code) || status >= 400;
}

function wordsOf({ message, details }: GatewayError): string {
  return details.serverMessage ?? message;
}

export function lostSession({ code, message, details, cause }: GatewayError): GatewayError {
  return new GatewayError(code, message, { cause, details: { ...details, isSessionLost: true } });
}
