import { expect } from 'chai';
import { startAuthServer } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { clientAtProvider } from '../../support/clientAtProvider.ts';
import { freePort } from '../../support/everything.ts';
import type { Claims, ProviderOptions } from '../../support/identityProvider.ts';
import type { JsonObject } from '../../../kernel/index.ts';

const OFFLINE = 'openid profile email offline_access';

interface Quirks {
  readonly provider: string;
  /** How the fake differs, as the provider's documentation says. */
  readonly quirks: ProviderOptions;
  readonly claims?: Claims;
  readonly idp?: JsonObject;
  readonly groups: readonly string[];
  readonly asked: string;
}

/** A gateway whose `idp` has the preset, at a fake with the quirks. */
async function started({ provider, quirks, claims, idp }: Quirks): Promise<AuthServer> {
  const port = await freePort();
  const auth = await startAuthServer({
    provider: { port, ...quirks },
    config: { idp: { ...clientAtProvider(`http://127.0.0.1:${port}`), provider, ...idp } },
  });
  auth.provider.loginAs('ann', claims);
  return auth;
}
async function groupsOf(auth: AuthServer, access: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${access}` };
  const answer = await fetch(`${auth.base}/oauth/userinfo`, { headers });
  return ((await answer.json()) as Claims)['groups'] ?? [];
}

/** What the provider is asked. */
async function askedOf(auth: AuthServer): Promise<URLSearchParams> {
  const { headers } = await auth.open(auth.authorizeUrl());
  return new URL(headers.get('location') ?? '').searchParams;
}

const OPS = ['ops'];
const GUIDS = ['4f9c6d1e-0000-4000-8000-000000000001'];
/** A provider without the scope `groups`: what is set up there comes with each sign-in. */
const UNASKED = { knownScopes: OFFLINE, groupsScope: 'openid' };
const ALL: Readonly<Record<string, Quirks>> = {
  'auth0, which lets only namespaced claims pass': {
    provider: 'auth0',
    quirks: { ...UNASKED, groupClaims: ['https://example.com/groups'] },
    claims: { 'https://example.com/groups': OPS },
    idp: { groupsClaim: 'https://example.com/groups' },
    groups: OPS,
    asked: OFFLINE,
  },
  'dex, which tells groups only who asks for them': {
    provider: 'dex',
    quirks: { knownScopes: `${OFFLINE} groups` },
    claims: { groups: OPS },
    groups: OPS,
    asked: 'openid profile email groups offline_access',
  },
  'entra, whose groups are ids and no scope': {
    provider: 'entra',
    quirks: UNASKED,
    claims: { groups: GUIDS, email: undefined },
    groups: GUIDS,
    asked: OFFLINE,
  },
  'google, which has no groups and is offline by a parameter': {
    provider: 'google',
    quirks: { knownScopes: 'openid profile email', offlineBy: ['access_type', 'offline'] },
    groups: [],
    asked: 'openid profile email',
  },
  'keycloak, which refuses scopes that its realm does not have': {
    provider: 'keycloak',
    quirks: UNASKED,
    claims: { groups: OPS },
    groups: OPS,
    asked: OFFLINE,
  },
  'keycloak, for its realm roles': {
    provider: 'keycloak',
    quirks: { ...UNASKED, groupClaims: ['realm_access'] },
    claims: { realm_access: { roles: OPS } },
    idp: { groupsClaim: 'realm_access.roles' },
    groups: OPS,
    asked: OFFLINE,
  },
  'okta, for its org server': {
    provider: 'okta',
    quirks: { knownScopes: `${OFFLINE} groups` },
    claims: { groups: OPS },
    groups: OPS,
    asked: 'openid profile email groups offline_access',
  },
};

describe('auth-server: idp.provider', () => {
  for (const [what, quirks] of Object.entries(ALL))
    it(`signs people in with groups and a refresh token at ${what}`, async () => {
      const auth = await started(quirks);
      const { access, refresh } = await auth.tokens({ scope: 'openid groups' });
      expect(await groupsOf(auth, access)).deep.equal(quirks.groups);
      expect(auth.provider.issued[0]).have.property('refresh_token');
      expect((await askedOf(auth)).get('scope')).equal(quirks.asked);
      expect((await auth.refresh(refresh)).status).equal(200);
    });

  it('lets groups that no scope asks for come with the profile', async () => {
    const told = async (preset: string, scope: string): Promise<unknown> => {
      const quirks = Object.values(ALL).find(({ provider }) => provider === preset)!;
      const auth = await started(quirks);
      return groupsOf(auth, (await auth.tokens({ scope })).access);
    };
    expect(await told('entra', 'openid profile')).deep.equal(GUIDS);
    expect(await told('entra', 'openid email')).deep.equal([]);
    expect(await told('dex', 'openid profile')).deep.equal([]);
  });

  it('does not change what is written', async () => {
    const quirks = { knownScopes: 'openid email', offlineBy: ['access_type', 'offline'] as const };
    const own = { scopes: ['openid', 'email'], parameters: { access_type: 'online' } };
    const auth = await started({ provider: 'google', quirks, idp: own, groups: [], asked: '' });
    await auth.tokens();
    expect(auth.provider.issued[0]).not.have.property('refresh_token');
    const asked = Object.fromEntries(await askedOf(auth));
    expect(asked).include({ scope: 'openid email', access_type: 'online', prompt: 'consent' });
  });
});
