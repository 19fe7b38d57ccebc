import { GatewayError, isObject } from 'pegboard';
import { actionWords } from '../../../kit/faults/action.ts';
import type { Action } from '../../../kit/faults/action.ts';
import { helpedBy } from '../../../kit/faults/remedy.ts';
import { jsonIn } from '../../../kit/text/jsonIn.ts';
import { bodyWords, isPage } from './bodyWords.ts';
import { encodingWords, garbledWords } from './encodingWords.ts';
import { redactedData } from './redactedData.ts';
import { transportWords, wrongPort } from './transportWords.ts';

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** Lines of `WWW-Authenticate`. */
  readonly challenges?: readonly string[] | undefined;
  readonly contentEncoding?: string | undefined;
  readonly decodingFault?: string | undefined;
}

/** The error for an HTTP status outside 2xx. The body is redacted and truncated; headers and queries, which may hold
 *  secrets, are left out. `details.retryAfter`: the wait in seconds that the server requests. `details.challenges`: of a 401, or of a 403 for want of a scope. */
export function statusError(
  { status, location, retryAfter: asked, challenges, ...encoded }: Answer,
  body: string,
  redact: (text: string) => string,
): GatewayError {
  if (status >= 300 && status < 400) {
    const text = `it answered HTTP ${status} with a redirect to ${redact(placeOf(location))}, which is not followed`;
    const action = { do: 'edit', what: 'set url to the address of the server' } as const;
    return helpedBy(action, 'UPSTREAM_UNREACHABLE', text, { status });
  }
  const { message, isRpc, code: rpcCode, data } = messageIn(body);
  const told = bodyWords(redact(message ?? body));
  const rpc = isRpc && { serverMessage: told, code: rpcCode, data: redactedData(data, redact) };
  const answered = { status, ...rpc };
  const garbled = garbledWords(encoded, body, redact);
  const page = isOfProxy(status) && isPage(body) ? " with a proxy's page" : '';
  const said = garbled !== undefined ? ` ${garbled}` : told === '' ? page : `${page}: ${told}`;
  if (status === 431) {
    const action = { do: 'say', what: LARGE_HEADERS_FIX } as const;
    return helpedBy(action, 'UPSTREAM_ERROR', 'it answered HTTP 431: the headers are too large', answered);
  }
  if (status === 400 && rpc === false && WANTS_TLS.test(body))
    return helpedBy(
      { do: 'edit', part: 'url', what: 'begin url with https://' },
      'UPSTREAM_UNREACHABLE',
      `what answers at this port wants TLS (HTTP 400${said})`,
      answered,
    );
  if (isChallenge({ status, challenges })) {
    const action = { do: 'authorize', tokens: isForTokens(challenges) } as const;
    const details = { ...answered, ...(challenges && { challenges }) };
    return helpedBy(
      action,
      'UPSTREAM_AUTH_REQUIRED',
      `it requires credentials (HTTP ${status}${said})`,
      details,
    );
  }
  const code = status === 429 || status >= 502 ? 'UPSTREAM_UNREACHABLE' : 'UPSTREAM_ERROR';
  const retryAfter = secondsIn(asked);
  const mayHaveRun = status === 500 ? !isRpc : isOfProxy(status) && !NOT_REACHED.has(status);
  const details = {
    ...answered,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(mayHaveRun && { mayHaveRun }),
  };
  const wait = retryAfter === undefined ? '' : `; try again in ${retryAfter} s`;
  const text = `it answered HTTP ${status}${said}${wait}`;
  if (status === 404 && rpc === false)
    return helpedBy({ do: 'edit', what: ENDPOINT_FIX }, code, text, details);
  return new GatewayError(code, text, { details });
}

/** Whether proxies answer so where servers do not. */
function isOfProxy(status: number): boolean {
  return status >= 502 || status === 408 || status === 499;
}
/** A proxy says so that it did not forward the request. Sources: RFC 9110 §15.6.4; Cloudflare, 5xx errors */
const NOT_REACHED: ReadonlySet<number> = new Set([503, 521, 522, 523, 525, 526]);

/** How nginx, Go and Apache answer plain HTTP at a port of TLS. */
const WANTS_TLS = /HTTP request (?:was sent )?to (?:an )?HTTPS (?:port|server)|plain HTTP to an SSL-enabled/;

const LARGE_HEADERS_FIX =
  'shorten the arguments whose schema has x-mcp-header, a name or uri, or the headers of its definition';

/** Whether credentials are missing, or do not suffice. Source: RFC 6750 §3.1 */
export function isChallenge({ status, challenges = [] }: Pick<Answer, 'status' | 'challenges'>): boolean {
  return status === 401 || (status === 403 && challenges.some((line) => /insufficient_scope/i.test(line)));
}

/** Whether a token may be what lets a request in: the server names no other scheme. */
export function mayWantToken(challenges: readonly string[]): boolean {
  return challenges.length === 0 || isForTokens(challenges);
}

function isForTokens(challenges: readonly string[] = []): boolean {
  return challenges.some((line) => /(?:^|,)\s*(?:Bearer|DPoP)(?:\s|$)/i.test(line));
}

/** The wait that a header Retry-After asks for: seconds or a date. Source: RFC 9110 §10.2.3 */
export function secondsIn(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

interface Answered {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly decodingFault: string | undefined;
}

/** The error for a success status without an answer to the request. */
export function noAnswerIn(answer: Answered, body: string, redact: (text: string) => string): GatewayError {
  const { status, contentType = '' } = answer;
  const encoding = encodingWords(answer, redact);
  const words = bodyWords(redact(body));
  const said = words === '' ? '' : `: ${words}`;
  const isJson = contentType === '' || /^application\/json\b/i.test(contentType);
  const begin = `it answered HTTP ${status}`;
  const details = { status, mayHaveRun: true };
  if (encoding === undefined && !isJson) {
    const text = `${begin} with ${bodyWords(redact(contentType))} in place of the answer${said}`;
    return helpedBy({ do: 'edit', what: ENDPOINT_FIX }, 'UPSTREAM_PROTOCOL', text, details);
  }
  const text = `${begin} ${encoding ?? `without the answer${said}`}`;
  return new GatewayError('UPSTREAM_PROTOCOL', text, { details });
}

const ENDPOINT_FIX = 'set url to its MCP endpoint';

/** Whether a server of another era refuses the revision. Source: MCP 2026-07-28, Error Codes */
export function isRevisionRefusal(status: number, body: string): boolean {
  return status === 400 && /"code"\s*:\s*-32022\b/.test(body);
}

/** The server received the request, but its answer did not arrive. @param status of an incomplete response, otherwise 0 */
export function cutShort(why: string, status = 0): GatewayError {
  return new GatewayError('UPSTREAM_CLOSED', `the connection ended before the answer: ${why}`, {
    details: { mayHaveRun: true, ...(status > 0 && { status }) },
  });
}

export function unreachable(error: Error): GatewayError {
  const words = transportWords(error);
  const what = wrongPort(words);
  const action = what === undefined ? actionAgainst(error) : ({ do: 'edit', what } as const);
  const fix = action === undefined || what !== undefined ? '' : `; ${actionWords(action, 'agent')}`;
  const details = { ...(action && { action }) };
  return new GatewayError('UPSTREAM_UNREACHABLE', words + fix, { cause: error, details });
}

/** What helps against a failure of the network; undefined if nothing is known. */
function actionAgainst(error: Error): Action | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (UNKNOWN_AUTHORITY.test(code)) return { do: 'trust' };
  if (code === 'ENOTFOUND' && (error.cause === undefined || error.message.endsWith(NO_PROXY)))
    return { do: 'edit', part: 'url', what: HOST_FIX };
  // What explains its failure says what to look at, such as a proxy.
  return NOT_THERE.has(code) && error.cause === undefined ? { do: 'reach' } : undefined;
}
const NO_PROXY = 'aggregator.proxy is set';
const HOST_FIX = 'correct the host in url, or set aggregator.proxy if only a proxy knows it';
const NOT_THERE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH']);

/** Codes of OpenSSL for a certificate whose authority is not trusted. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/;

interface Said {
  readonly message?: string;
  /** Whether it is a JSON-RPC error, with code and data. */
  readonly isRpc: boolean;
  readonly code?: unknown;
  readonly data?: unknown;
}

/** The error message in a JSON body. */
function messageIn(body: string): Said {
  const value = jsonIn(body);
  if (!isObject(value)) return { isRpc: false };
  const { jsonrpc, error, message } = value;
  if (typeof error === 'string') return { message: error, isRpc: false };
  const given = isObject(error) ? error : {};
  const inner = 'message' in given ? given['message'] : message;
  const { code, data } = given;
  return {
    ...(typeof inner === 'string' && { message: inner }),
    isRpc: jsonrpc === '2.0' && isObject(error),
    code,
    data,
  };
}

function placeOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  if (!URL.canParse(location)) return location.split('?')[0] ?? '';
  const { origin, pathname } = new URL(location);
  return origin + pathname;
}
