import { expect } from 'chai';
import { GatewayError, definePlugin } from '../../../../kernel/index.ts';
import { GrantRelease } from '../../../../plugins/contracts/credentials.ts';
import type { GrantedPerson, ReleasedGrant } from '../../../../plugins/contracts/credentials.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { AS_PORTAL, PORTAL_SECRET, TOKEN_EXCHANGE, typeUri } from '../../../support/exchangeGateway.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';

const TICKETS = 'https://as.tickets.example';
const NO_GRANT = {
  error: 'invalid_target',
  error_description: 'the person has no grant for the requested audience',
};
type Release = (person: GrantedPerson, issuer: string) => Promise<ReleasedGrant | undefined>;

describe('auth-exchange: targets of the grant form', () => {
  let auth: AuthServer;
  let other: TokenIssuer;
  let asked: readonly (readonly [GrantedPerson, string])[] = [];
  const granted: Release = () =>
    Promise.resolve({ accessToken: 'grant of a person', expiresIn: 90.7, scope: 'tickets' });
  let release = granted;
  const releases = definePlugin({
    name: 'releases',
    api: 1,
    configSchema: { type: 'object' },
    provides: [GrantRelease],
    apply: (scope) =>
      scope.provide(GrantRelease, {
        release: (person, issuer) => {
          asked = [...asked, [person, issuer]];
          return release(person, issuer);
        },
      }),
  });
  const start = (plugins: Readonly<Record<string, unknown>>): Promise<AuthServer> =>
    startAuthServer({
      builtIns: [
        ...['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets', 'vault-memory'],
        ...['auth-server', 'auth-exchange'],
      ],
      files: { 'portal-secret': PORTAL_SECRET, 'releases.mjs': moduleOf(releases) },
      settings: { plugins },
    });
  /** Trusts the login provider and another issuer. */
  async function trust(
    gateway: AuthServer,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<AuthServer> {
    const { url: issuer } = gateway.provider;
    const login = { issuer, jwksUrl: `${issuer}/jwks`, allowPrivateIPJWKS: true, ...more };
    await gateway.configureServer({
      trustedIssuers: [login, other.trusted({ acceptedTypHeaders: ['jwt'] })],
      tokenExchangeBroker: {
        clientAudiences: { portal: ['tickets'] },
        brokerClients: { portal: { clientSecretFile: 'portal-secret' } },
        targets: { tickets: { grantIssuer: TICKETS }, others: { grantIssuer: TICKETS } },
      },
    });
    return gateway;
  }
  before(async () => {
    other = await startTokenIssuer();
    auth = await trust(await start({ releases: { module: './releases.mjs' } }));
  });
  beforeEach(() => {
    asked = [];
    release = granted;
    auth.provider.loginAs('alice');
  });
  const idToken = async (gateway = auth): Promise<string> =>
    String((await gateway.redeem(await gateway.code())).body['id_token']);
  const exchange = async (
    changes: Readonly<Record<string, string>> = {},
    gateway = auth,
  ): Promise<TokenAnswer> => {
    const form = { grant_type: TOKEN_EXCHANGE, audience: 'tickets', subject_token_type: typeUri('id_token') };
    return gateway.post(
      { ...form, subject_token: changes['subject_token'] ?? (await idToken(gateway)), ...changes },
      AS_PORTAL,
    );
  };

  it('answer with the grant of the person, and what is left of its life', async () => {
    const { status, body } = await exchange();
    expect([status, body]).deep.equal([
      200,
      {
        access_token: 'grant of a person',
        issued_token_type: typeUri('access_token'),
        token_type: 'Bearer',
        expires_in: 90,
        scope: 'tickets',
      },
    ]);
    expect(asked).deep.equal([[{ issuer: auth.provider.url, subject: 'alice' }, TICKETS]]);
    expect(auth.gateway.log.having('grant released')).lengthOf(1);
    expect(JSON.stringify(auth.gateway.log.records)).not.contain('grant of a person');
  });

  it('answer for a minute if the end of the grant is not known, without a scope if that is not', async () => {
    release = () => Promise.resolve({ accessToken: 'a' });
    const { body } = await exchange();
    expect(body).include({ expires_in: 60 }).not.have.property('scope');
  });

  it('T86: never answer with another token, whatever the grant has', async () => {
    const more = { refreshToken: 'r', idToken: 'i', refresh_token: 'r', id_token: 'i' };
    release = () => Promise.resolve({ accessToken: 'a', expiresIn: 10, ...more });
    const { body } = await exchange();
    expect(body).keys('access_token', 'issued_token_type', 'token_type', 'expires_in');
  });

  it('T84: answer invalid_target without a grant, or with one that has ended', async () => {
    const answers: readonly Release[] = [
      () => Promise.resolve(undefined),
      () => Promise.resolve({ accessToken: 'a', expiresIn: 0.9 }),
      () => Promise.resolve({ accessToken: 'a', expiresIn: -5 }),
    ];
    for (const answer of answers) {
      release = answer;
      const { status, body } = await exchange();
      expect([status, body, auth.lastReason]).deep.equal([400, NO_GRANT, 'no-grant']);
    }
  });

  it('answer invalid_target if no plugin keeps grants', async () => {
    const without = await trust(await start({}));
    const { status, body } = await exchange({}, without);
    expect([status, body]).deep.equal([400, NO_GRANT]);
  });

  it('T85: answer invalid_target to tokens of another trusted issuer for an equal name', async () => {
    const subject_token = await other.sign({ sub: 'alice' }, { typ: 'JWT' });
    const { status, body } = await exchange({ subject_token });
    expect([status, body, asked]).deep.equal([400, NO_GRANT, []]);
    expect(auth.lastReason).equal('subject-of-other-issuer');
    expect((await exchange()).status).equal(200);
  });

  it('T85: know the person by sub, whatever subjectClaim says', async () => {
    const named = await trust(await start({ releases: { module: './releases.mjs' } }), {
      subjectClaim: 'name',
    });
    named.provider.loginAs('mallory', { name: 'alice' });
    const params = await named.redirected({}, newBrowser());
    const { body } = await named.redeem(params.get('code') ?? '');
    await exchange({ subject_token: String(body['id_token']) }, named);
    expect(asked.map(([{ subject }]) => subject)).deep.equal(['mallory']);
  });

  it('answer 503 while a grant that is due cannot be refreshed, or the store cannot be reached', async () => {
    for (const code of ['UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT', 'STORE_UNREACHABLE'] as const) {
      release = () => Promise.reject(new GatewayError(code, 'away'));
      const { status, headers, body } = await exchange();
      expect([status, body['error'], headers.get('retry-after')]).deep.equal([
        503,
        'temporarily_unavailable',
        '5',
      ]);
    }
  });

  it('give access tokens only: another requested_token_type is refused', async () => {
    const [refused, accepted] = [
      await exchange({ requested_token_type: typeUri('id_token') }),
      await exchange({ requested_token_type: typeUri('access_token') }),
    ];
    expect([refused.status, refused.body['error'], accepted.status]).deep.equal([
      400,
      'invalid_request',
      200,
    ]);
  });

  it('ask for no grant before client, target and subject token are proven', async () => {
    const bad = await exchange({ subject_token: 'not.a.token' });
    expect([bad.status, bad.body['error']]).deep.equal([400, 'invalid_grant']);
    const notAllowed = await exchange({ audience: 'others' });
    expect(notAllowed.body['error_description']).equal('the requested audience cannot be served');
    expect(asked).deep.equal([]);
  });
});
