import { GuardedFetchError } from 'pegboard/net';
import { HIDDEN, isObject, messageOf } from 'pegboard';
import { OAuthError } from './oauthError.ts';
import { providerWords } from './providerWords.ts';

const RETRY_AFTER_S = 5;
const MAX_RETRY_AFTER_S = 300;
const SERVER_FAULT = 500;
const TOO_MANY = 429;
const UNAUTHORIZED = 401;
/** Its credentials are refused, not the subject. */
const OF_THIS_GATEWAY = ['invalid_client', 'unauthorized_client'];
/** The second one is Dex's, with status 401. */
const OF_THE_SUBJECT = ['invalid_grant', 'access_denied'];
/** Other texts may be a token in the wrong place. */
const ERROR_CODE = /^[a-z][a-z_]{1,59}$/;
/** A word that may be a token. */
const LONG_WORD = /\S{40,}/g;
const FIX =
  'check connectorId, audience, resource, requestedTokenType, subjectTokenType and scopes, and what its provider allows this client';
/** Reasons of guardedFetch after which repeating the request would not help. */
const UNUSABLE = ['redirect', 'encoding', 'too-large'];

type Kind = 'subject-refused' | 'request-refused' | 'unavailable' | 'unusable' | 'private-address';

/** Why there is no downstream token. */
export class DownstreamFault extends Error {
  /** The error for the client. */
  readonly refusal: OAuthError;
  /** The words for the log. */
  readonly detail: string;
  /** A subject that is refused there is not a fault of the configuration. */
  readonly level: 'info' | 'warn';

  constructor(kind: Kind, reason: string, detail: string, retryAfterS = RETRY_AFTER_S) {
    super(detail);
    this.refusal = refusalFor(kind, `downstream-${reason}`, retryAfterS);
    this.detail = detail;
    this.level = kind === 'subject-refused' ? 'info' : 'warn';
  }

  /** The fault for a response with another status than 200. */
  static async of(response: Response): Promise<DownstreamFault> {
    const { status, headers } = response;
    const { code, words } = await errorIn(response);
    const detail = `status ${status} ${code}${words}`.trim();
    if (status === TOO_MANY) return new DownstreamFault('unavailable', 'busy', detail, retryAfterOf(headers));
    if (status >= SERVER_FAULT)
      return new DownstreamFault('unavailable', 'status-5xx', detail, retryAfterOf(headers));
    // Keycloak says so of an audience that it does not know.
    const isOfTarget = code === 'invalid_client' && /\baudience\b/i.test(words);
    if ((OF_THIS_GATEWAY.includes(code) && !isOfTarget) || (status === UNAUTHORIZED && code === ''))
      return new DownstreamFault('unavailable', 'credentials-refused', detail);
    if (code === '') return new DownstreamFault('unusable', 'status', detail);
    if (OF_THE_SUBJECT.includes(code)) return new DownstreamFault('subject-refused', 'refused', detail);
    return new DownstreamFault('request-refused', 'refused', `${detail}; ${FIX}`);
  }
}

/** @param error what a request to the provider has thrown @param privateKey as in DownstreamParts */
export function faultOf(error: unknown, privateKey: string): DownstreamFault {
  if (error instanceof DownstreamFault) return error;
  if (!(error instanceof GuardedFetchError))
    return new DownstreamFault('unusable', 'answer', messageOf(error));
  const { reason, message } = error;
  if (UNUSABLE.includes(reason)) return new DownstreamFault('unusable', reason, message);
  if (reason !== 'private-address') return new DownstreamFault('unavailable', reason, message);
  return new DownstreamFault('private-address', reason, `${message}; if it may, set ${privateKey}`);
}

function refusalFor(kind: Kind, reason: string, retryAfterS: number): OAuthError {
  switch (kind) {
    case 'subject-refused':
    case 'request-refused':
      return new OAuthError('invalid_grant', 'subject token invalid or rejected', { reason });
    case 'private-address': {
      const text = 'hostname resolves to private IP address (DNS rebinding protection)';
      return new OAuthError('invalid_target', `token exchange endpoint: ${text}`, { reason });
    }
    case 'unusable':
      return new OAuthError('server_error', 'the answer of the downstream provider cannot be used', {
        status: 502,
        reason,
      });
    case 'unavailable':
      return OAuthError.unavailable('the downstream provider does not answer', reason, retryAfterS);
  }
}

/** The error code of a refusal, and what the provider says about it, but not about a person; empty if it has none. Source: RFC 6749 §5.2 */
async function errorIn(response: Response): Promise<{ readonly code: string; readonly words: string }> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error: code, error_description: text } = isObject(body) ? body : {};
  if (typeof code !== 'string' || !ERROR_CODE.test(code)) return { code: '', words: '' };
  const isTold = typeof text === 'string' && !OF_THE_SUBJECT.includes(code);
  return { code, words: isTold ? `: ${providerWords(text).replaceAll(LONG_WORD, HIDDEN)}` : '' };
}

function retryAfterOf(headers: Headers): number {
  const given = Number(headers.get('retry-after') ?? RETRY_AFTER_S);
  return Number.isInteger(given) && given > 0 ? Math.min(given, MAX_RETRY_AFTER_S) : RETRY_AFTER_S;
}
