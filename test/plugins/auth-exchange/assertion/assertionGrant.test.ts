import { Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { PUBLIC_CLIENT } from '../../../support/authServer.ts';
import type { TokenAnswer } from '../../../support/authServer.ts';
import { defer } from '../../../support/cleanup.ts';
import { AS_PORTAL, PORTAL_SECRET, startExchange } from '../../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../../support/exchangeGateway.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

type Claims = Readonly<Record<string, unknown>>;

/** A gateway that accepts identity assertions of its trusted issuer for `portal`. */
class AssertionGateway {
  readonly all: ExchangeGateway;

  constructor(all: ExchangeGateway) {
    this.all = all;
  }

  static async start(allowIdentityAssertions = true): Promise<AssertionGateway> {
    return new AssertionGateway(await startExchange({ trusted: { allowIdentityAssertions } }));
  }

  get base(): string {
    return this.all.gateway.base;
  }

  /** An assertion for five minutes. */
  assertion(claims: Claims = {}, header: Claims = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const honest = {
      aud: this.base,
      client_id: 'portal',
      resource: `${this.base}/mcp`,
      jti: randomUUID(),
      exp: now + 300,
      scope: 'openid email',
    };
    return this.all.issuer.sign({ ...honest, ...claims }, { typ: 'oauth-id-jag+jwt', ...header });
  }

  redeem(
    assertion: string,
    changes: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = AS_PORTAL,
  ): Promise<TokenAnswer> {
    return this.all.gateway.post({ grant_type: JWT_BEARER, assertion, ...changes }, headers);
  }

  /** Status and OAuth error of a refusal, and its reason in the log. */
  async refusal(answer: Promise<TokenAnswer>): Promise<readonly unknown[]> {
    const { status, body } = await answer;
    return [status, body['error'], this.all.gateway.lastReason];
  }
}

describe('auth-exchange: identity assertions', () => {
  it('give a client access for a person: a real client connects without a browser', async () => {
    const site = await AssertionGateway.start();
    const authProvider = new CrossAppAccessProvider({
      assertion: ({ authorizationServerUrl: aud, resourceUrl: resource }) =>
        site.assertion({ aud, resource }),
      clientId: 'portal',
      clientSecret: PORTAL_SECRET,
      expectedIssuer: site.base,
    });
    const client = new Client({ name: 'enterprise', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${site.base}/mcp`), { authProvider }));
    defer(() => client.close());
    expect((await client.listTools()).tools).to.have.length.above(0);
  });

  it('give an opaque access token of the person, with their scope and no refresh token', async () => {
    const site = await AssertionGateway.start();
    const { status, body } = await site.redeem(await site.assertion({ email: 'alice@example.com' }));
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ token_type: 'Bearer', expires_in: 1_800, scope: 'openid email' });
    expect(body).to.not.have.any.keys('refresh_token', 'id_token');
    const token = String(body['access_token']);
    const { gateway, issuer } = site.all;
    expect((await gateway.mcp(token)).status).to.equal(200);
    const facts = (await gateway.post({ token }, AS_PORTAL, '/oauth/introspect')).body;
    expect(facts).to.include({ active: true, sub: 'alice', client_id: 'portal', email: 'alice@example.com' });
    const userinfo = await fetch(`${site.base}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await userinfo.json()).to.deep.equal({ sub: 'alice', email: 'alice@example.com' });
    expect(gateway.gateway.log.having('identity assertion accepted')[0]?.data).to.include({
      client: 'portal',
      issuer: issuer.url,
    });
  });

  it('end with the access token, which the client may revoke', async () => {
    const site = await AssertionGateway.start();
    const token = String((await site.redeem(await site.assertion())).body['access_token']);
    const { gateway } = site.all;
    expect((await gateway.mcp(token)).status).to.equal(200);
    await gateway.post({ token }, AS_PORTAL, '/oauth/revoke');
    expect((await gateway.mcp(token)).status).to.equal(401);
  });

  it('are used once, also when two arrive together', async () => {
    const site = await AssertionGateway.start();
    const assertion = await site.assertion();
    const answers = await Promise.all([site.redeem(assertion), site.redeem(assertion)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const again = ['invalid_grant', 'assertion-reused'];
    expect(await site.refusal(site.redeem(assertion))).to.deep.equal([400, ...again]);
  });

  it('are not used up by a request that is refused', async () => {
    const site = await AssertionGateway.start();
    const assertion = await site.assertion();
    const refused = site.redeem(assertion, { scope: 'admin' });
    expect(await site.refusal(refused)).to.deep.equal([400, 'invalid_scope', 'assertion-scope']);
    const elsewhere = site.redeem(assertion, { resource: 'https://other.example' });
    expect(await site.refusal(elsewhere)).to.deep.equal([400, 'invalid_target', 'resource-not-ours']);
    const asked = await site.redeem(assertion, { scope: 'email', resource: `${site.base}/mcp` });
    expect([asked.status, asked.body['scope']]).to.deep.equal([200, 'email']);
  });

  const now = Math.floor(Date.now() / 1_000);
  const WRONG: readonly (readonly [string, Claims, Claims, string])[] = [
    ['another type', {}, { typ: 'at+jwt' }, 'subject-typ'],
    ['no type', {}, { typ: undefined }, 'subject-typ'],
    ['another audience', { aud: 'https://other.example' }, {}, 'subject-audience'],
    ['two audiences', { aud: ['https://other.example', 'OWN'] }, {}, 'subject-audience'],
    ['no audience', { aud: undefined }, {}, 'subject-audience'],
    ['another client', { client_id: 'other' }, {}, 'assertion-client'],
    ['no client', { client_id: undefined }, {}, 'assertion-client'],
    ['another resource', { resource: 'https://other.example/mcp' }, {}, 'assertion-resource'],
    ['a resource of ours and another', { resource: ['OWN', 'https://b.example'] }, {}, 'assertion-resource'],
    ['no resource', { resource: undefined }, {}, 'assertion-resource'],
    ['no id', { jti: undefined }, {}, 'assertion-no-jti'],
    ['an id that is not a text', { jti: 7 }, {}, 'assertion-no-jti'],
    ['no issue time', { iat: undefined }, {}, 'assertion-too-long'],
    ['a life of a day', { exp: now + 86_400 }, {}, 'assertion-too-long'],
    ['an expiry in the past', { exp: now - 60 }, {}, 'subject-not-verified'],
    ['another issuer', { iss: 'https://other.example' }, {}, 'subject-issuer'],
  ];
  for (const [name, claims, header, reason] of WRONG)
    it(`are refused with ${name}`, async () => {
      const site = await AssertionGateway.start();
      const own = (value: unknown): unknown => (value === 'OWN' ? site.base : value);
      const given = Object.fromEntries(
        Object.entries(claims).map(([key, value]) => [key, Array.isArray(value) ? value.map(own) : value]),
      );
      const refused = site.redeem(await site.assertion(given, header));
      expect(await site.refusal(refused)).to.deep.equal([400, 'invalid_grant', reason]);
    });

  it('are refused from a public client, and without authentication', async () => {
    const site = await AssertionGateway.start();
    const assertion = await site.assertion({ client_id: PUBLIC_CLIENT.id });
    const open = site.redeem(assertion, { client_id: PUBLIC_CLIENT.id }, {});
    expect(await site.refusal(open)).to.deep.equal([400, 'unauthorized_client', 'client-has-no-secret']);
    const unproven = site.redeem(await site.assertion(), { client_id: 'portal' }, {});
    expect((await unproven).status).to.equal(401);
  });

  it('are an unknown grant type unless an issuer may issue them', async () => {
    const closed = await AssertionGateway.start(false);
    const answer = await closed.redeem(await closed.assertion());
    expect([answer.status, answer.body['error']]).to.deep.equal([400, 'unsupported_grant_type']);
    const { gateway } = closed.all;
    await gateway.configureServer({
      trustedIssuers: [closed.all.issuer.trusted({ allowIdentityAssertions: true })],
    });
    const metadata = await fetch(`${closed.base}/.well-known/oauth-authorization-server`);
    const document = (await metadata.json()) as Claims;
    expect(document['grant_types_supported']).to.include(JWT_BEARER);
    expect(document['authorization_grant_profiles_supported']).to.deep.equal([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ]);
    expect((await closed.redeem(await closed.assertion())).status).to.equal(200);
  });

  it('are refused from an issuer that may not issue them, beside one that may', async () => {
    const site = await AssertionGateway.start();
    await site.all.gateway.configureServer({
      trustedIssuers: [
        site.all.issuer.trusted(),
        { ...site.all.issuer.trusted({ allowIdentityAssertions: true }), issuer: 'https://other.example' },
      ],
    });
    const refused = site.redeem(await site.assertion());
    const reason = 'subject-assertions-not-allowed';
    expect(await site.refusal(refused)).to.deep.equal([400, 'invalid_grant', reason]);
  });

  it('give a token that is bound to the key of a DPoP proof', async () => {
    const site = await AssertionGateway.start();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const proof = await new SignJWT({ htm: 'POST', htu: `${site.base}/oauth/token`, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
    const { body } = await site.redeem(await site.assertion(), {}, { ...AS_PORTAL, dpop: proof });
    expect(body['token_type']).to.equal('DPoP');
    const token = String(body['access_token']);
    expect((await site.all.gateway.mcp(token)).status).to.equal(401);
    const facts = (await site.all.gateway.post({ token }, AS_PORTAL, '/oauth/introspect')).body;
    expect(facts['cnf']).to.deep.equal({ jkt: await calculateJwkThumbprint(jwk) });
  });
});
