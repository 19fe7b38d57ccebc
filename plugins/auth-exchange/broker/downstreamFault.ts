import { isObject, messageOf } from 'pegboard';
import { GuardedFetchError } from 'pegboard/net';
import { OAuthError } from '../../auth-server/contract.ts';

const RETRY_AFTER_S = 5;
const MAX_RETRY_AFTER_S = 300;
const SERVER_FAULT = 500;
const TOO_MANY = 429;
/** The credentials of this gateway are refused, not the subject. */
const OF_OURS = ['invalid_client', 'unauthorized_client'];

type Kind = 'refused' | 'unavailable' | 'unusable' | 'private-address';

/** Why there is no downstream token. */
export class DownstreamFault extends Error {
  /** For the client. */
  readonly refusal: OAuthError;
  /** For the log. */
  readonly detail: string;

  constructor(kind: Kind, reason: string, detail: string, retryAfterS = RETRY_AFTER_S) {
    super(detail);
    this.refusal = refusalFor(kind, `downstream-${reason}`, retryAfterS);
    this.detail = detail;
  }

  /** Of a response with another status than 200. */
  static async of(response: Response): Promise<DownstreamFault> {
    const { status, headers } = response;
    const body: unknown = await response.json().catch(() => undefined);
    const code = isObject(body) && typeof body['error'] === 'string' ? body['error'].slice(0, 80) : '';
    const detail = `status ${status} ${code}`.trim();
    if (status === TOO_MANY) return new DownstreamFault('unavailable', 'busy', detail, retryAfterOf(headers));
    if (status >= SERVER_FAULT)
      return new DownstreamFault('unavailable', 'status-5xx', detail, retryAfterOf(headers));
    if (OF_OURS.includes(code) || status === 401)
      return new DownstreamFault('unavailable', 'credentials-refused', detail);
    return code === ''
      ? new DownstreamFault('unusable', 'status', detail)
      : new DownstreamFault('refused', 'refused', detail);
  }
}

/** @param error what a request to the provider has thrown */
export function faultOf(error: unknown): DownstreamFault {
  if (error instanceof DownstreamFault) return error;
  if (!(error instanceof GuardedFetchError))
    return new DownstreamFault('unusable', 'answer', messageOf(error));
  const { reason, message } = error;
  if (reason !== 'private-address') return new DownstreamFault('unavailable', reason, message);
  const fix = 'if it may, set aggregator.oauth.server.tokenExchangeBroker.allowPrivateIP';
  return new DownstreamFault('private-address', reason, `${message}; ${fix}`);
}

function refusalFor(kind: Kind, reason: string, retryAfterS: number): OAuthError {
  switch (kind) {
    case 'refused':
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
      return new OAuthError(
        'temporarily_unavailable',
        'the downstream provider does not answer, please retry',
        {
          status: 503,
          headers: { 'retry-after': String(retryAfterS) },
          reason,
        },
      );
  }
}

function retryAfterOf(headers: Headers): number {
  const given = Number(headers.get('retry-after') ?? RETRY_AFTER_S);
  return Number.isInteger(given) && given > 0 ? Math.min(given, MAX_RETRY_AFTER_S) : RETRY_AFTER_S;
}
