import type { TokenForm } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Addresses } from './addresses.ts';

/** @param description what the client is told @throws OAuthError invalid_target for a `resource` that is not this gateway. Source: RFC 8707 §2 */
export function refuseOtherResource(
  form: Pick<TokenForm, 'all'>,
  addresses: Pick<Addresses, 'isOwn'>,
  description: string,
): void {
  if (form.all('resource').every((resource) => addresses.isOwn(resource))) return;
  throw new OAuthError('invalid_target', description, { reason: 'resource-not-ours' });
}
