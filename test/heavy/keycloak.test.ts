import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import type { JsonObject } from '../../kernel/index.ts';
import { REDIRECT, startAuthServer, tokensOf } from '../support/authServer.ts';
import type { AuthServer, AuthServerOptions, TokenAnswer, Tokens } from '../support/authServer.ts';
import { newBrowser, signIn } from '../support/browser.ts';
import { needKeycloak } from '../support/keycloak/distribution.ts';
import { startKeycloak } from '../support/keycloak/keycloak.ts';
import type { Keycloak } from '../support/keycloak/keycloak.ts';
import { AS_PORTAL, PORTAL_SECRET, TOKEN_EXCHANGE, basic, typeUri } from '../support/exchangeGateway.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { personWith } from '../support/people.ts';
import { serveWithOutages } from '../support/serveWithOutages.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import { startTrustingSite } from '../support/trustingSite.ts';
import { until } from '../support/until.ts';

const REALM = {
  realm: 'pb',
  enabled: true,
  sslRequired: 'none',
  // Each refresh token of Keycloak counts once.
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  groups: [{ name: 'ops' }, { name: 'dev' }],
};
const GROUPS_MAPPER = {
  name: 'groups',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-group-membership-mapper',
  config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
};
const SECRET = 'secret of pegboard';
const PASSWORD = 'wonderland';
const BUILT_INS = ['http', 'front', 'transport-http', 'metatools', 'toolsets', 'vault-memory', 'auth-server'];
const KEY_CHANGES = 3;

interface Named {
  readonly id: string;
  readonly username?: string;
  readonly name?: string;
}

describe('sign-in at a real Keycloak', function () {
  this.timeout(60_000);
  let keycloak: Keycloak;
  let plain: AuthServer;
  let offline: AuthServer;
  let keys = 0;
  before(async function () {
    this.timeout(180_000);
    needKeycloak(this);
    keycloak = await startKeycloak();
    await keycloak.admin('POST', '', REALM);
    plain = await gatewayAt('plain', { scopes: ['openid', 'profile', 'email'] });
    offline = await gatewayAt('offline', { provider: 'keycloak' });
  });

  /** A gateway, and its client at Keycloak. @param client more of that client @param issuerUrl of a realm behind a proxy */
  async function gatewayAt(
    clientId: string,
    idp: JsonObject,
    {
      client = {},
      issuerUrl = `${keycloak.url}/realms/pb`,
      ...options
    }: AuthServerOptions & { readonly client?: JsonObject; readonly issuerUrl?: string } = {},
  ): Promise<AuthServer> {
    const auth = await startAuthServer({
      ...options,
      idp: {
        issuerUrl,
        clientId,
        clientSecret: SECRET,
        allowPrivateIPOIDC: true,
        ...idp,
      },
      builtIns: options.builtIns ?? [...BUILT_INS, 'access'],
      settings: options.settings ?? {
        access: [
          { groups: ['ops'], toolset: ['tool:stop'] },
          { groups: ['dev'], toolset: ['server:git'] },
        ],
      },
    });
    await keycloak.admin('POST', `/${issuerUrl.split('/').at(-1)}/clients`, {
      clientId,
      secret: SECRET,
      redirectUris: [`${auth.base}/oauth/callback`],
      attributes: { 'post.logout.redirect.uris': `${auth.base}/oauth/signed-out` },
      protocolMappers: [GROUPS_MAPPER],
      ...client,
    });
    await auth.discovered();
    return auth;
  }

  async function find(path: string, name: string): Promise<string> {
    const found = (await keycloak.admin('GET', path)) as readonly Named[];
    const { id = '' } = found.find((one) => [one.username, one.name].includes(name)) ?? {};
    return id;
  }
  const clientIdOf = async (clientId: string): Promise<string> => {
    const [found] = (await keycloak.admin('GET', `/pb/clients?clientId=${clientId}`)) as readonly Named[];
    return found?.id ?? '';
  };

  /** A new person of these groups. @returns their id */
  async function person(username: string, ...groups: readonly string[]): Promise<string> {
    return personIn('pb', username, ...groups);
  }
  async function personIn(realm: string, username: string, ...groups: readonly string[]): Promise<string> {
    await keycloak.admin('POST', `/${realm}/users`, {
      username,
      enabled: true,
      email: `${username}@example.com`,
      emailVerified: true,
      firstName: username,
      lastName: 'Example',
      groups,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    });
    return find(`/${realm}/users?exact=true&username=${username}`, username);
  }

  /** Signs in by Keycloak's form, which a browser that is signed in does not see again. */
  async function tokensAs(auth: AuthServer, username: string, browser = newBrowser()): Promise<Tokens> {
    const { searchParams } = await signIn(auth.authorizeUrl(), {
      browser,
      until: (url) => url.startsWith(REDIRECT),
      fill: () => ({ username, password: PASSWORD }),
    });
    return tokensOf(await auth.redeem(searchParams.get('code') ?? ''));
  }

  const userinfo = async ({ base }: AuthServer, access: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${base}/oauth/userinfo`, { headers: { authorization: `Bearer ${access}` } });
    return (await answer.json()) as Record<string, unknown>;
  };
  const toolsetOf = async (auth: AuthServer, access: string): Promise<readonly string[]> => {
    const client = await McpClient.connect(auth.base, { headers: { authorization: `Bearer ${access}` } });
    const { toolset } = JSON.parse(textOf(await client.callMeta('list_tools'))) as { toolset: string[] };
    return toolset;
  };
  const isEnded = ({ status, body }: TokenAnswer): void => {
    expect({ status, error: body['error'] }).deep.equal({ status: 400, error: 'invalid_grant' });
  };
  /** Refreshes so often. */
  const refreshed = async (auth: AuthServer, tokens: Tokens, times = 1): Promise<Tokens> =>
    times === 0 ? tokens : refreshed(auth, tokensOf(await auth.refresh(tokens.refresh)), times - 1);

  /** Keycloak signs with it from now on. */
  async function newSigningKey(): Promise<void> {
    const signingKey = async (): Promise<string | undefined> => {
      const { active } = (await keycloak.admin('GET', '/pb/keys')) as { active: Record<string, string> };
      return active['RS256'];
    };
    const former = await signingKey();
    keys += 1;
    await keycloak.admin('POST', '/pb/components', {
      name: `key-${keys}`,
      providerId: 'rsa-generated',
      providerType: 'org.keycloak.keys.KeyProvider',
      config: { priority: [String(1_000 + keys)] },
    });
    expect(await signingKey()).not.equal(former);
  }

  /** Lets Keycloak report the ends of sessions. @returns the tokens that it sends */
  async function reports(auth: AuthServer, clientId: string): Promise<readonly string[]> {
    const logouts: string[] = [];
    const site = await serveWithOutages(async (request, response) => {
      const body = await text(request);
      logouts.push(new URLSearchParams(body).get('logout_token') ?? '');
      const answer = await fetch(`${auth.base}/oauth/backchannel-logout`, {
        method: 'POST',
        headers: { 'content-type': String(request.headers['content-type']) },
        body,
      });
      response.writeHead(answer.status).end(await answer.text());
    });
    const id = await clientIdOf(clientId);
    const client = (await keycloak.admin('GET', `/pb/clients/${id}`)) as { readonly attributes: object };
    const attributes = {
      ...client.attributes,
      'backchannel.logout.url': site.url,
      'backchannel.logout.session.required': 'true',
      'backchannel.logout.revoke.offline.tokens': 'true',
    };
    await keycloak.admin('PUT', `/pb/clients/${id}`, { ...client, attributes });
    return logouts;
  }

  it('gives a person the tools of their groups, and takes away those of a group that they lose, at the next refresh', async () => {
    const id = await person('alice', '/ops', '/dev');
    const first = await tokensAs(plain, 'alice');
    expect(await userinfo(plain, first.access)).deep.include({
      name: 'alice Example',
      email: 'alice@example.com',
    });
    expect(await toolsetOf(plain, first.access)).deep.equal(['tool:stop', 'server:git']);

    await keycloak.admin('DELETE', `/pb/users/${id}/groups/${await find('/pb/groups', 'ops')}`);
    const { access } = await refreshed(plain, first);
    expect(await toolsetOf(plain, access)).deep.equal(['server:git']);
  });

  for (const [name, of] of [
    ['of a session', () => plain],
    ['with offline_access', () => offline],
  ] as const) {
    describe(`sign-ins ${name}`, () => {
      let auth: AuthServer;
      const called = (who: string): string => `${who}-${auth === plain ? 'plain' : 'offline'}`;
      before(() => (auth = of()));

      it('stay while others of the person begin and end, in one browser and in another', async () => {
        await person(called('bob'));
        const browser = newBrowser();
        const first = await tokensAs(auth, called('bob'), browser);
        const second = await tokensAs(auth, called('bob'), browser);
        const third = await tokensAs(auth, called('bob'));
        let kept = await refreshed(auth, first, 2);
        const other = await refreshed(auth, second, 2);
        const elsewhere = await refreshed(auth, third);
        expect((await auth.post({ token: other.refresh }, {}, '/oauth/revoke')).status).equal(200);
        isEnded(await auth.refresh(other.refresh));
        expect((await auth.mcp(other.access)).status).equal(401);
        kept = await refreshed(auth, kept, 2);
        expect((await auth.post({ token: elsewhere.refresh }, {}, '/oauth/revoke')).status).equal(200);
        isEnded(await auth.refresh(elsewhere.refresh));
        await refreshed(auth, kept, 2);
      });

      it('end at the next refresh of a person who is disabled', async () => {
        const id = await person(called('dave'));
        const tokens = await tokensAs(auth, called('dave'));
        await keycloak.admin('PUT', `/pb/users/${id}`, { username: called('dave'), enabled: false });
        isEnded(await auth.refresh(tokens.refresh));
        expect((await auth.mcp(tokens.access)).status).equal(401);
      });
    });
  }
  it('sign-ins survive new signing keys of higher priority while they are refreshed all the time', async () => {
    await person('carol');
    const people = [plain, plain, offline, offline];
    const counts = people.map(() => 0);
    let isOver = false;
    const refreshing = people.map(async (auth, at) => {
      let tokens = await tokensAs(auth, 'carol');
      for (; !isOver; counts[at] = (counts[at] ?? 0) + 1) tokens = await refreshed(auth, tokens);
      expect((await auth.mcp(tokens.access)).status).equal(200);
    });
    const changing = async (): Promise<void> => {
      for (let change = 0; change < KEY_CHANGES; change += 1) {
        await newSigningKey();
        const before = [...counts];
        // The refreshes that had begun before are over, too.
        await until(() => counts.every((count, at) => count >= (before[at] ?? 0) + 2), {
          what: 'refreshes after a new key',
        });
      }
    };
    const changed = changing().finally(() => (isOver = true));
    await Promise.all([changed, ...refreshing]);
    console.log(`      ${KEY_CHANGES} new keys, refreshes: ${counts.join(', ')}`);
    for (const auth of [plain, offline]) await tokensAs(auth, 'carol');
  });

  it('sign-ins end at the next refresh after an administrator ends all sessions of the person', async () => {
    const id = await person('erin');
    const signedIn = [
      [plain, await tokensAs(plain, 'erin')],
      [offline, await tokensAs(offline, 'erin')],
    ] as const;
    // Keycloak keeps offline tokens that it issued in the same second.
    const second = Math.floor(Date.now() / 1_000);
    await until(() => Date.now() / 1_000 > second + 1, { what: 'the next second' });
    await keycloak.admin('POST', `/pb/users/${id}/logout`);
    for (const [auth, { refresh }] of signedIn) isEnded(await auth.refresh(refresh));
    for (const [auth] of signedIn) await refreshed(auth, await tokensAs(auth, 'erin'));
  });

  it('a sign-in with offline_access ends at the next refresh after an administrator ends it', async () => {
    const id = await person('frank');
    const tokens = await tokensAs(offline, 'frank');
    await keycloak.admin('DELETE', `/pb/users/${id}/consents/offline`);
    isEnded(await offline.refresh(tokens.refresh));
  });

  for (const [name, of] of [
    ['a sign-in', () => plain],
    ['a sign-in with offline_access', () => offline],
  ] as const)
    it(`${name} ends at once when Keycloak reports the end of its session, and no other does`, async () => {
      const auth = of();
      const clientId = auth === plain ? 'plain' : 'offline';
      const username = `grace-${clientId}`;
      const logouts = await reports(auth, clientId);
      const id = await person(username);
      const mine = await Promise.all([tokensAs(auth, username), tokensAs(auth, username)]);
      await person(`heidi-${clientId}`);
      const foreign = await tokensAs(auth, `heidi-${clientId}`);
      const isAlive = async ({ access }: Tokens): Promise<boolean> => (await auth.mcp(access)).status === 200;
      const alive = async (): Promise<readonly Tokens[]> => {
        const states = await Promise.all(mine.map(isAlive));
        return mine.filter((_, at) => states[at]);
      };
      const end = async (): Promise<void> => {
        const path = `/pb/users/${id}/${auth === plain ? 'sessions' : `offline-sessions/${await clientIdOf(clientId)}`}`;
        const [session] = (await keycloak.admin('GET', path)) as readonly Named[];
        await keycloak.admin('DELETE', `/pb/sessions/${session?.id}?isOffline=${auth === offline}`);
      };

      await end();
      const [kept, ...others] = await until(
        async () => [await alive()].find(({ length }) => length < mine.length),
        { what: 'the end of one' },
      );
      expect(others).empty;
      expect(logouts.map((token) => decodeJwt(token)['events'])).deep.equal([
        { 'http://schemas.openid.net/event/backchannel-logout': {}, revoke_offline_access: true },
      ]);
      for (const tokens of mine.filter((one) => one !== kept)) isEnded(await auth.refresh(tokens.refresh));
      if (kept !== undefined) await refreshed(auth, kept);

      await end();
      await until(async () => (await alive()).length === 0, { what: 'the end of both' });
      await refreshed(auth, foreign);
    });

  for (const [name, of] of [
    ['sign-ins', () => plain],
    ['sign-ins with offline_access', () => offline],
  ] as const)
    it(`${name} and the session of the browser at Keycloak end at the page that signs people out`, async () => {
      const auth = of();
      const username = `kim-${auth === plain ? 'plain' : 'offline'}`;
      const id = await person(username);
      const [browser, elsewhere] = [newBrowser(), newBrowser()];
      const signedIn = [
        await tokensAs(auth, username, browser),
        await tokensAs(auth, username, browser),
        await tokensAs(auth, username, elsewhere),
      ];
      const sessions = async (): Promise<number> =>
        ((await keycloak.admin('GET', `/pb/users/${id}/sessions`)) as readonly Named[]).length;
      // It keeps none for offline tokens alone.
      const count = auth === plain ? 2 : 0;
      expect(await sessions()).equal(count);
      const page = await browser.open(`${auth.base}/oauth/logout`);
      expect(page.text).include(`${username}@example.com`);
      const end = await browser.submit(page, { end: 'provider' });
      expect([end.status, end.url.split('?')[0]], end.text).deep.equal([
        200,
        `${auth.base}/oauth/signed-out`,
      ]);
      expect(end.text).include('You are signed out');
      for (const tokens of signedIn) {
        expect((await auth.mcp(tokens.access)).status).equal(401);
        isEnded(await auth.refresh(tokens.refresh));
      }
      // Those of other browsers are theirs to end.
      expect(await sessions()).equal(Math.max(0, count - 1));
      await tokensAs(auth, username, browser);
    });

  it('a secret that changes at Keycloak ends no sign-in: the log has its words and the key to look at', async () => {
    const auth = await gatewayAt('careless', { provider: 'keycloak' });
    await person('ivan');
    const tokens = await tokensAs(auth, 'ivan');
    const id = await clientIdOf('careless');
    const client = (await keycloak.admin('GET', `/pb/clients/${id}`)) as object;
    await keycloak.admin('PUT', `/pb/clients/${id}`, { ...client, secret: 'another one' });
    const answer = await auth.refresh(tokens.refresh);
    expect(answer.status).equal(503);
    expect(Number(answer.headers.get('retry-after'))).above(0);
    expect(auth.gateway.log.having('did not complete').at(-1)?.data).deep.include({
      step: 'refresh',
      error: 'unauthorized_client',
      description: 'Invalid client or Invalid client credentials',
      fix: 'check clientId and clientSecret of aggregator.oauth.server.idp',
    });
    await keycloak.admin('PUT', `/pb/clients/${id}`, { ...client, secret: SECRET });
    await refreshed(auth, tokens);
  });

  describe('the standard token exchange', () => {
    const EXCHANGES = { 'standard.token.exchange.enabled': 'true' };
    /** A mapper that has the access tokens of a client be for another one too, as an exchange for it wants. */
    const audienceMapper = (audience: string): JsonObject => ({
      name: `audience ${audience}`,
      protocol: 'openid-connect',
      protocolMapper: 'oidc-audience-mapper',
      config: {
        'included.client.audience': audience,
        'access.token.claim': 'true',
        'id.token.claim': 'false',
      },
    });
    const NO_AUDIENCE = /^status 400 invalid_client: Audience not found; check .*audience/;
    const TARGET = { clientId: 'target-api', secret: SECRET };

    it('gives a server an access token for its audience, by auth.tokenExchange', async () => {
      const proxy = await tlsProxy(() => keycloak.url);
      await keycloak.admin('POST', '', {
        realm: 'secure',
        enabled: true,
        attributes: { frontendUrl: proxy.origin },
      });
      await keycloak.admin('POST', '/secure/clients', TARGET);
      const realm = `${proxy.origin}/realms/secure`;
      const site = await startTrustingSite(() => ({
        issuer: realm,
        jwksUrl: `${keycloak.url}/realms/secure/protocol/openid-connect/certs`,
        audience: TARGET.clientId,
      }));
      const definition = (audience: string): string =>
        site.definition({
          auth: {
            tokenExchange: {
              enabled: true,
              idpTokenEndpoint: `${realm}/protocol/openid-connect/token`,
              audience,
              clientId: 'exchanging',
              clientSecret: SECRET,
            },
          },
        });
      const auth = await gatewayAt(
        'exchanging',
        { provider: 'keycloak' },
        {
          issuerUrl: realm,
          builtIns: 'all',
          settings: {
            aggregator: { extraCaFile: proxy.certificate, oauth: { mcpClient: { enabled: true } } },
          },
          files: {
            'mcpservers/notes.yaml': definition('target-api'),
            'mcpservers/no.yaml': definition('unknown'),
          },
          client: { attributes: EXCHANGES, protocolMappers: [GROUPS_MAPPER, audienceMapper('target-api')] },
        },
      );
      const id = await personIn('secure', 'kate');
      const tokens = await tokensAs(auth, 'kate', newBrowser(readFileSync(proxy.certificate, 'utf8')));
      const kate = await personWith(auth, tokens, '');
      expect(await kate.told('x_notes_whoami')).include(id);
      expect(decodeJwt(site.tokens().at(-1) ?? '')).include({
        iss: realm,
        aud: 'target-api',
        azp: 'exchanging',
      });
      await kate.told('x_no_whoami');
      expect(auth.gateway.log.having('gave no token').at(-1)?.data['detail']).match(NO_AUDIENCE);
    });

    it('gives a client of the broker an access token for the audience of its target', async () => {
      const realm = `${keycloak.url}/realms/pb`;
      await keycloak.admin('POST', '/pb/clients', TARGET);
      const target = (audience: string): JsonObject => ({
        idpTokenEndpoint: `${realm}/protocol/openid-connect/token`,
        audience,
        subjectTokenType: 'access_token',
        clientId: 'brokering',
        clientSecretFile: 'brokering-secret',
      });
      const auth = await gatewayAt(
        'brokering',
        { provider: 'keycloak' },
        {
          builtIns: [...BUILT_INS, 'auth-exchange'],
          config: {
            trustedIssuers: [
              {
                issuer: realm,
                jwksUrl: `${realm}/protocol/openid-connect/certs`,
                allowPrivateIPJWKS: true,
                allowedAudiences: ['brokering'],
                acceptedTypHeaders: ['JWT'],
              },
            ],
            tokenExchangeBroker: {
              brokerClients: { portal: { clientSecretFile: 'portal-secret' } },
              clientAudiences: { portal: ['api', 'unknown'] },
              allowPrivateIP: true,
              targets: { api: target(TARGET.clientId), unknown: target('not-there') },
            },
          },
          files: { 'portal-secret': PORTAL_SECRET, 'brokering-secret': SECRET },
          client: { attributes: EXCHANGES, protocolMappers: [GROUPS_MAPPER, audienceMapper('target-api')] },
        },
      );
      await keycloak.admin('POST', '/pb/clients', {
        clientId: 'portal',
        secret: SECRET,
        directAccessGrantsEnabled: true,
        protocolMappers: [audienceMapper('brokering'), audienceMapper('target-api')],
      });
      const id = await person('lea');
      const answer = await fetch(`${realm}/protocol/openid-connect/token`, {
        method: 'POST',
        headers: { authorization: basic('portal', SECRET) },
        body: new URLSearchParams({
          grant_type: 'password',
          username: 'lea',
          password: PASSWORD,
          scope: 'openid',
        }),
      });
      const { access_token, id_token } = (await answer.json()) as Record<string, string>;
      const exchange = (audience: string, name: string, token: string | undefined): Promise<TokenAnswer> =>
        auth.post(
          { grant_type: TOKEN_EXCHANGE, audience, subject_token: token, subject_token_type: typeUri(name) },
          AS_PORTAL,
        );
      const { status, body } = await exchange('api', 'access_token', access_token);
      expect(status, JSON.stringify(body)).equal(200);
      expect(decodeJwt(String(body['access_token']))).include({ iss: realm, sub: id, aud: 'target-api' });
      const other = await exchange('api', 'id_token', id_token);
      expect(other.body).include({ error: 'invalid_request' });
      expect(other.body['error_description']).match(/^subject_token_type must be .*access_token$/);
      isEnded(await exchange('unknown', 'access_token', access_token));
      expect(auth.gateway.log.having('gave no token').at(-1)?.data['detail']).match(NO_AUDIENCE);
    });
  });

  it('denies an offline sign-in to a person without the role, in one line with its words and the key to look at', async () => {
    const id = await person('mia');
    const roles = `/pb/users/${id}/role-mappings/realm`;
    await keycloak.admin('DELETE', roles, await keycloak.admin('GET', roles));
    const { searchParams } = await signIn(offline.authorizeUrl(), {
      browser: newBrowser(),
      until: (url) => url.startsWith(REDIRECT),
      fill: () => ({ username: 'mia', password: PASSWORD }),
    });
    expect(searchParams.get('error')).equal('access_denied');
    expect(searchParams.get('error_description')).include('offline_access');
    const { data } = offline.gateway.log.having('did not complete').at(-1) ?? {};
    expect(data).include({
      error: 'not_allowed',
      description: 'Offline tokens not allowed for the user or client',
    });
    expect(data?.['fix']).include('aggregator.oauth.server.idp.scopes');
    await tokensAs(plain, 'mia');
  });

  it('a Keycloak that is away ends no sign-in, and one that was restarted knows them all', async function () {
    this.timeout(180_000);
    await person('judy');
    const signedIn = [
      [plain, await tokensAs(plain, 'judy')],
      [offline, await tokensAs(offline, 'judy')],
    ] as const;
    await keycloak.stop();
    for (const [auth, { refresh, access }] of signedIn) {
      const { status, headers } = await auth.refresh(refresh);
      expect(status).equal(503);
      expect(Number(headers.get('retry-after'))).above(0);
      expect((await auth.mcp(access)).status).equal(200);
    }
    await keycloak.start();
    for (const [auth, tokens] of signedIn) await refreshed(auth, tokens, 2);
  });
});
