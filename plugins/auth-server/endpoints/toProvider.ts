import type { Reply } from 'pegboard';
import type { AskedScopes } from '../provider/askedScopes.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { AnyFlow, Flows } from '../state/flows.ts';
import type { TokenSets } from '../state/tokenSets.ts';
import type { BrowserCookie } from '../../kit/http/browserCookie.ts';
import type { Addresses } from '../web/addresses.ts';

/** How long a browser keeps the cookie that its sign-ins are bound to. */
export const BROWSER_S = 3_600;

/** The way of a browser to the identity provider and back. */
export interface ProviderLeg {
  readonly flows: Flows;
  readonly addresses: Addresses;
  readonly browsers: BrowserCookie;
  readonly provider: IdentityProvider;
  readonly asked: AskedScopes;
  readonly tokenSets: Pick<TokenSets, 'renew'>;
}

/** Sends the browser to the identity provider; it returns to /oauth/callback. @throws OAuthError temporarily_unavailable
 *  @throws GatewayError STORE_UNREACHABLE */
export async function toProvider(
  { flows, provider, asked }: ProviderLeg,
  flow: AnyFlow,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { verifier, nonce, hints, lacksAudiences } = flow;
  // The longest hint is left out, so that the address stays short; the others are for a second try.
  const kept = Object.fromEntries(Object.entries(hints).filter(([name]) => name !== 'id_token_hint'));
  const state = await flows.seal('callback', { ...flow, hints: kept });
  const scopes = asked.list(lacksAudiences);
  const location = await provider.signInAddress({ state, nonce, verifier, hints, scopes });
  return { status: 302, headers: { location, ...headers } };
}
