import type { Reply } from 'pegboard';
import type { Addresses } from '../web/addresses.ts';
import type { OAuthError } from '../../kit/oauth/oauthError.ts';
import { redirectTo } from '../web/redirectTo.ts';

/** The client learns why it got no code. Source: RFC 6749 §4.1.2.1, RFC 9207 §2 */
export function errorRedirect(
  addresses: Addresses,
  redirectUri: string,
  state: string | undefined,
  { error, message }: OAuthError,
): Reply {
  const { base: iss } = addresses;
  return redirectTo(redirectUri, { error, error_description: plain(message), state, iss });
}

/** Source: RFC 6749 §4.1.2.1 (characters of error_description) */
function plain(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, ' ').slice(0, 300);
}
