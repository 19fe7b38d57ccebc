import type { Reply } from 'pegboard';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { AnyFlow, Flows } from '../state/flows.ts';
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
  /** Scopes to ask the provider for. */
  readonly scopes: () => readonly string[];
}

/** Sends the browser to the identity provider; it returns to /oauth/callback. @throws OAuthError temporarily_unavailable
 *  @throws GatewayError STORE_UNREACHABLE */
export async function toProvider(
  { flows, provider, scopes }: ProviderLeg,
  flow: AnyFlow,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { verifier, nonce, hints } = flow;
  // The provider has the hints; without them the address stays short.
  const state = await flows.seal('callback', { ...flow, hints: {} });
  const location = await provider.signInAddress({ state, nonce, verifier, hints, scopes: scopes() });
  return { status: 302, headers: { location, ...headers } };
}
