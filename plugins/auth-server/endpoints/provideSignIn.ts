import type { Scope } from 'pegboard';
import { BrowserSignIn, SignInScopes } from '../../contracts/oauth.ts';
import { BrowserCookie } from '../../kit/http/browserCookie.ts';
import { parseDuration } from '../../kit/text/parseDuration.ts';
import type { Clients } from '../clients/clients.ts';
import { deviceAuthorization } from './deviceAuthorization.ts';
import { devicePage } from './devicePage.ts';
import type { Issued } from '../grants/provideIssuing.ts';
import type { AuthServerConfig, ServerConfig } from '../config.ts';
import { AskedScopes } from '../provider/askedScopes.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import { BrowserPeople } from '../state/browserPeople.ts';
import { Flows } from '../state/flows.ts';
import type { Web } from '../web/web.ts';
import { authorize } from './authorize.ts';
import { browserSignIn } from './browserSignIn.ts';
import { consent } from './consent.ts';
import { providerCallback } from './providerCallback.ts';
import { logout } from './logout.ts';
import type { ProviderLeg } from './toProvider.ts';

/** The way of a browser: from a client or a page of this gateway to the provider, and back with a code or a known person. */
export function provideSignIn(
  scope: Scope<AuthServerConfig>,
  web: Web,
  provider: IdentityProvider,
  clients: Clients,
  { codes, devices, tokenSets, people: signIns }: Issued,
): void {
  const { addresses } = web;
  const config = (): ServerConfig => scope.config.aggregator.oauth.server;
  const cookieOf = (name: string): BrowserCookie =>
    new BrowserCookie({ name, isHttps: () => addresses.isHttps });
  const asked = new AskedScopes(
    () => config().idp,
    () => scope.all(SignInScopes),
    scope.log,
  );
  const leg: ProviderLeg = {
    flows: new Flows(scope),
    addresses,
    browsers: cookieOf('pegboard-browser'),
    provider,
    asked,
    tokenSets,
  };
  const sessionMs = (): number => parseDuration(config().sessionDuration) ?? 0;
  const people = new BrowserPeople(scope, cookieOf('pegboard-person'), sessionMs, () => provider.issuer);
  web.serve(authorize(leg, clients, config, people));
  web.serve(consent(leg, devices));
  web.serve(providerCallback(leg, codes, people, clients.registrations, devices));
  web.serve(deviceAuthorization(clients, devices, addresses, config));
  web.serve(devicePage(leg, clients, devices, config));
  for (const endpoint of logout(leg, people, signIns, scope.log)) web.serve(endpoint);
  scope.provide(BrowserSignIn, browserSignIn(leg, people));
}
