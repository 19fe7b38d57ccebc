import { UnsupportedOperationError } from 'oauth4webapi';
import { isObject } from 'pegboard';
import { GuardedFetchError } from 'pegboard/net';
import type { Loss } from '../record/grantRecord.ts';
import { errorWords } from '../record/errorWords.ts';
import type { ErrorWords } from '../record/errorWords.ts';

const SERVER_FAULT = 500;
const TOO_MANY = 429;
const UNAUTHORIZED = 401;
const MAX_RETRY_AFTER_S = 300;
/** Other texts may be a token in the wrong place. */
const ERROR_CODE = /^[a-z][a-z_]{1,59}$/;
const OF_THE_CLIENT = ['invalid_client', 'unauthorized_client'];
const PASSING = ['temporarily_unavailable', 'server_error', 'slow_down'];
/** No request has been sent. */
const BEFORE_SENDING = ['bad-url', 'not-https', 'unresolved', 'private-address'];

export interface RefreshFaultFacts {
  /** Undefined: it may succeed later. */
  readonly loss?: Loss;
  /** The authorization server may have accepted the refresh token. */
  readonly mayBeSpent?: boolean;
  readonly retryAfterMs?: number;
  /** What the authorization server has said, for the log only. */
  readonly words?: ErrorWords;
  /** If there is no loss, for people who count them; few words exist. Default: `unusable-answer`. */
  readonly trouble?: string;
}

/** Why there are no new tokens. The message is for people, without anything that the authorization server could choose freely. */
export class RefreshFault extends Error {
  readonly facts: RefreshFaultFacts;

  constructor(message: string, facts: RefreshFaultFacts) {
    super(message);
    this.facts = facts;
  }

  /** One of few words. */
  get kind(): string {
    return this.facts.loss ?? this.facts.trouble ?? 'unusable-answer';
  }

  /** The fault for an answer without tokens. @param body as JSON, if it is */
  static of(response: Response, body: unknown): RefreshFault {
    const { status, headers } = response;
    const code = isObject(body) ? codeIn(body['error']) : '';
    const answer = `the token endpoint answers HTTP ${status} ${code}`.trim();
    if (status === TOO_MANY || status >= SERVER_FAULT || PASSING.includes(code)) {
      const retryAfterMs = retryAfterOf(headers);
      const mayBeSpent = status !== TOO_MANY;
      const trouble = mayBeSpent ? 'unavailable' : 'too-many-requests';
      return new RefreshFault(answer, {
        mayBeSpent,
        trouble,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
    }
    if (code === 'invalid_grant') return new RefreshFault(answer, { loss: 'revoked' });
    const words = errorWords(code, isObject(body) ? body['error_description'] : undefined);
    if (OF_THE_CLIENT.includes(code) || (status === UNAUTHORIZED && code === ''))
      return new RefreshFault(answer, { loss: 'client-unknown', words });
    if (code !== '') return new RefreshFault(answer, { loss: 'not-refreshable', words });
    // Perhaps of a proxy: the authorization server may not have seen the request, or may have answered.
    return new RefreshFault(answer, { mayBeSpent: true });
  }

  /** @param error what a token request has thrown */
  static from(error: unknown): RefreshFault {
    if (error instanceof RefreshFault) return error;
    if (error instanceof GuardedFetchError)
      return new RefreshFault(error.message, {
        mayBeSpent: !BEFORE_SENDING.includes(error.reason),
        trouble: error.reason,
      });
    if (error instanceof UnsupportedOperationError)
      return new RefreshFault('the authorization server gives tokens that are not Bearer', {
        loss: 'token-type',
      });
    // What oauth4webapi throws may quote the answer.
    return new RefreshFault('the answer of the token endpoint cannot be used', { mayBeSpent: true });
  }
}

/** Source: RFC 6749 §5.2 */
function codeIn(error: unknown): string {
  return typeof error === 'string' && ERROR_CODE.test(error) ? error : '';
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1_000 : undefined;
}
