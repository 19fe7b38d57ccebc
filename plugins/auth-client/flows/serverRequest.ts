import * as oauth from 'oauth4webapi';
import { GuardedFetchError } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';
import { errorWords } from '../grants/record/errorWords.ts';
import type { ErrorWords } from '../grants/record/errorWords.ts';

/** Options of requests of oauth4webapi. @param endpoint may be http on this machine, as its discovery has checked */
export function requestOptions(fetch: GuardedFetch, endpoint: string) {
  return {
    [oauth.customFetch]: (url: string, options: object) => fetch(url, options),
    // Deprecated only to be noticed.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    [oauth.allowInsecureRequests]: endpoint.startsWith('http:'),
  };
}

/** Whether the authorization server refuses the client itself. Source: RFC 6749 §5.2 */
export function isUnknownClient(error: unknown): boolean {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status === 401;
  return (
    error instanceof oauth.ResponseBodyError &&
    ['invalid_client', 'unauthorized_client'].includes(error.error)
  );
}

/** Whether the authorization server has had too many requests. Source: RFC 6585 §4 */
export function isBusy(error: unknown): boolean {
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: unknown };
  return (status ?? (cause instanceof Response ? cause.status : undefined)) === 429;
}

/** What the authorization server has said about an error, for the log only. */
export function serverWords(error: unknown): ErrorWords {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError)
    return errorWords(error.error, error.error_description);
  return isUnknownClient(error) ? errorWords('invalid_client', undefined) : {};
}

/** What went wrong with a request to an authorization server, for logs and people: never what its answer says beyond the
 *  error code of RFC 6749 §5.2. */
export function serverFault(error: unknown): string {
  if (error instanceof GuardedFetchError) return error.message;
  if (error instanceof oauth.ResponseBodyError)
    return CODE.test(error.error) ? `${error.error} (HTTP ${error.status})` : `HTTP ${error.status}`;
  if (error instanceof oauth.WWWAuthenticateChallengeError) return `HTTP ${error.status}`;
  if (error instanceof oauth.UnsupportedOperationError) return error.message;
  const { code } = error as { readonly code?: string };
  return code?.startsWith('OAUTH_') === true ? `its answer cannot be used (${code})` : 'it failed';
}
const CODE = /^[a-z_]{1,60}$/;
