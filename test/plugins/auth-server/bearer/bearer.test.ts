import { expect } from 'chai';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { createHash, randomUUID } from 'node:crypto';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer, Tokens } from '../../../support/authServer.ts';
import { movableClock } from '../../../support/clock.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { identify } from '../../../support/identify.ts';
import { McpClient } from '../../../support/mcpClient.ts';

const REFUSED = { error: 'invalid_token', error_description: 'Token validation failed' };

describe('auth-server: bearer tokens', () => {
  let auth: AuthServer;
  let tokens: Tokens;
  before(async () => {
    auth = await startAuthServer();
    tokens = await auth.tokens();
  });

  /** As if it had been issued otherwise. */
  async function changeRecord(token: string, changes: object): Promise<void> {
    const key = `oauth-access:${createHash('sha256').update(token).digest('base64url')}`;
    await auth.vault.set(key, { ...((await auth.vault.get(key)) as object), ...changes });
  }
  const facts = async (answer: Response) => ({
    status: answer.status,
    challenge: answer.headers.get('www-authenticate') ?? '',
    body: (await answer.json()) as object,
  });

  it('T53: refuses requests without a token, and says where to go', async () => {
    for (const path of ['/mcp', '/mcp/t/sums', '/message']) {
      const { status, challenge, body } = await facts(await auth.mcp(undefined, { path }));
      expect(status).equal(401);
      expect(challenge).match(/^Bearer resource_metadata="/);
      expect(challenge)
        .include(`${auth.base}/.well-known/oauth-protected-resource${path}"`)
        .and.not.include('error=');
      expect(body).deep.equal({ ...REFUSED, error_description: 'Missing Authorization header' });
    }
    expect((await fetch(`${auth.base}/sse`)).status).equal(401);
    expect((await fetch(`${auth.base}/mcp`, { method: 'DELETE' })).status).equal(401);
  });

  it('T103: has no path that drops tokens: DELETE /user-tokens is 404 for everyone, and tokens stay valid', async () => {
    const { access } = await auth.tokens();
    for (const headers of [{}, { authorization: `Bearer ${access}` }, { authorization: 'Bearer garbage' }])
      expect((await fetch(`${auth.base}/user-tokens`, { method: 'DELETE', headers })).status).equal(404);
    expect((await auth.mcp(access)).status).equal(200);
  });

  it('T53: refuses garbage, ended and expired tokens with one text', async () => {
    const ended = await auth.tokens();
    await auth.post({ token: ended.refresh, client_id: 'test-client' }, {}, '/oauth/revoke');
    const expired = await auth.tokens();
    await changeRecord(expired.access, { expiresAt: Date.now() - 1 });
    const answers = [
      await auth.mcp('garbage'),
      await auth.mcp(`${tokens.access}x`),
      await auth.mcp(ended.access),
      await auth.mcp(expired.access),
    ];
    const reasons = auth.gateway.log.having('not signed in').map(({ data }) => data['reason']);
    expect(reasons.slice(-4)).deep.equal(Array(4).fill('token-not-valid'));
    const [line] = auth.gateway.log.having('not signed in', 'info').slice(-1);
    expect(line?.data).include({ path: '/mcp' }).and.include.keys('address', 'request');
    expect(JSON.stringify(auth.gateway.log.records)).not.include(expired.access);
    for (const answer of answers) {
      const { status, challenge, body } = await facts(answer);
      expect(status).equal(401);
      expect(challenge).include('resource_metadata=').and.include('error="invalid_token"');
      expect(body).deep.equal(REFUSED);
    }
  });

  it('T54, T55: refuses tokens of the identity provider, unless its audience is trusted', async () => {
    const { body } = await auth.redeem(await auth.code());
    const idToken = String(body['id_token']);
    expect((await auth.mcp(idToken)).status).equal(401);
    const stored = await auth.vault.list('oauth-signin:');
    const signIns = (await Promise.all(stored.map((key) => auth.vault.get(key)))) as {
      provider?: { accessToken: string };
    }[];
    for (const { provider } of signIns)
      if (provider !== undefined) expect((await auth.mcp(provider.accessToken)).status).equal(401);
    const trusting = await startAuthServer({ config: { trustedAudiences: ['pegboard'] } });
    const own = await trusting.redeem(await trusting.code());
    expect((await trusting.mcp(String(own.body['id_token']))).status).equal(200);
    expect((await trusting.mcp(idToken)).status, 'of another provider').equal(401);
  });

  it('T55: refuses an id token once its key is not published any more, though it was accepted before', async () => {
    const clock = movableClock();
    const trusting = await startAuthServer({ config: { trustedAudiences: ['pegboard'] } });
    const { body } = await trusting.redeem(await trusting.code());
    const idToken = String(body['id_token']);
    expect((await trusting.mcp(idToken)).status).equal(200);
    trusting.provider.rotateKeys();
    // Longer than the keys of the provider are kept.
    clock.later(11 * 60_000);
    expect((await trusting.mcp(idToken)).status).equal(401);
  });

  it('T56: refuses access tokens for another resource', async () => {
    const other = await auth.tokens();
    await changeRecord(other.access, { aud: 'https://other.example' });
    expect((await auth.mcp(other.access)).status).equal(401);
  });

  it('T57: ignores a token in the query', async () => {
    expect((await auth.mcp(undefined, { path: `/mcp?access_token=${tokens.access}` })).status).equal(401);
  });

  it('T58: refuses refresh tokens and codes', async () => {
    expect((await auth.mcp(tokens.refresh)).status).equal(401);
    expect((await auth.mcp(await auth.code())).status).equal(401);
  });

  it('stores digests of tokens only', async () => {
    const keys = await auth.vault.list('oauth-');
    const all = JSON.stringify(await Promise.all(keys.map(async (key) => [key, await auth.vault.get(key)])));
    expect(all).not.include(tokens.access);
    expect(all).not.include(tokens.refresh.split('.')[1]);
  });

  describe('bound to a key (DPoP)', () => {
    async function prover() {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const jwk = await exportJWK(publicKey);
      return {
        jkt: await calculateJwkThumbprint(jwk),
        proof: (method: string, path: string, token?: string) =>
          new SignJWT({
            htm: method,
            htu: auth.base + path,
            jti: randomUUID(),
            ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
          })
            .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
            .setIssuedAt()
            .sign(privateKey),
      };
    }

    it('T59, T60: are accepted with a fresh proof of that key only', async () => {
      const { proof } = await prover();
      const answer = await auth.redeem(await auth.code(), {}, { dpop: await proof('POST', '/oauth/token') });
      expect(answer.body['token_type']).equal('DPoP');
      const { access, refresh } = tokensOf(answer);
      const call = (scheme: string, dpop?: string): Promise<Response> =>
        auth.mcp(undefined, {
          headers: { authorization: `${scheme} ${access}`, ...(dpop !== undefined && { dpop }) },
        });
      const good = await proof('POST', '/mcp', access);
      expect((await call('DPoP', good)).status).equal(200);
      const stranger = await prover();
      const refusals: Readonly<Record<string, Response>> = {
        'as Bearer': await call('Bearer'),
        'as Bearer with a proof': await call('Bearer', await proof('POST', '/mcp', access)),
        'without a proof': await call('DPoP'),
        replayed: await call('DPoP', good),
        'for another method': await call('DPoP', await proof('GET', '/mcp', access)),
        'for another path': await call('DPoP', await proof('POST', '/sse', access)),
        'without ath': await call('DPoP', await proof('POST', '/mcp')),
        'of another key': await call('DPoP', await stranger.proof('POST', '/mcp', access)),
      };
      for (const [how, { status, headers }] of Object.entries(refusals)) {
        expect(status, how).equal(401);
        expect(headers.get('www-authenticate'), how)
          .include('DPoP error="')
          .and.include('resource_metadata=');
      }
      const byOther = await auth.refresh(refresh, {}, { dpop: await stranger.proof('POST', '/oauth/token') });
      expect(byOther.body['error']).equal('invalid_grant');
      expect((await auth.refresh(refresh)).body['error']).equal('invalid_grant');
      const byOwner = await auth.refresh(refresh, {}, { dpop: await proof('POST', '/oauth/token') });
      expect(byOwner.body['token_type']).equal('DPoP');
      expect(
        (await auth.mcp(tokens.access, { headers: { authorization: `DPoP ${tokens.access}` } })).status,
      ).equal(401);
    });

    it('need a nonce of the gateway if requireDpopNonce is set', async () => {
      const strict = await startAuthServer({ config: { requireDpopNonce: true } });
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const jwk = await exportJWK(publicKey);
      const proof = (nonce?: string): Promise<string> =>
        new SignJWT({
          htm: 'POST',
          htu: `${strict.base}/oauth/token`,
          jti: randomUUID(),
          ...(nonce !== undefined && { nonce }),
        })
          .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
          .setIssuedAt()
          .sign(privateKey);
      const code = await strict.code();
      const first = await strict.redeem(code, {}, { dpop: await proof() });
      expect(first.body['error']).equal('use_dpop_nonce');
      const nonce = first.headers.get('dpop-nonce') ?? '';
      expect((await strict.redeem(code, {}, { dpop: await proof(nonce) })).status).equal(200);
    });
  });

  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  describe('and sessions', () => {
    it('T62: a session of one person is not found by another, not even to end it', async () => {
      const alice = await McpClient.connect(auth.base, bearer(tokens.access));
      auth.provider.loginAs('bob');
      const bob = (await auth.tokens()).access;
      auth.provider.loginAs('alice');
      const headers = { 'mcp-session-id': alice.sessionId ?? '', authorization: `Bearer ${bob}` };
      expect((await alice.post({ jsonrpc: '2.0', id: 9, method: 'tools/list' }, headers)).status).equal(404);
      const stream = { ...headers, accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' };
      expect((await fetch(`${auth.base}/mcp`, { headers: stream })).status).equal(404);
      expect((await fetch(`${auth.base}/mcp`, { method: 'DELETE', headers: stream })).status).equal(404);
      expect(await alice.listTools()).lengthOf(13);
    });

    it('survive a refresh of the tokens', async () => {
      const first = await auth.tokens();
      const client = await McpClient.connect(auth.base, bearer(first.access));
      const second = tokensOf(await auth.refresh(first.refresh));
      const answer = await client.post(
        { jsonrpc: '2.0', id: 9, method: 'tools/list' },
        { authorization: `Bearer ${second.access}` },
      );
      expect(answer.status).equal(200);
    });

    it('two initialize with one token are two sessions', async () => {
      const [one, other] = [
        await McpClient.connect(auth.base, bearer(tokens.access)),
        await McpClient.connect(auth.base, bearer(tokens.access)),
      ];
      expect(one.sessionId).not.equal(other.sessionId);
    });
  });

  it('T65: leaves /health open, and answers 503 to others until the provider is found', async () => {
    const lost = await startAuthServer({
      idp: { ...auth.provider.config, issuerUrl: 'http://127.0.0.1:9' },
    });
    expect(await (await fetch(`${lost.base}/health`)).json()).deep.equal({ status: 'ok' });
    const answer = await lost.mcp(undefined);
    expect(answer.status).equal(503);
    expect(answer.headers.get('retry-after')).equal('30');
    expect(await answer.json()).deep.equal({
      error: 'service_unavailable',
      error_description: 'OIDC discovery in progress, please retry',
    });
    expect((await lost.open(lost.authorizeUrl())).status).equal(503);
    expect((await fetch(`${lost.base}/.well-known/oauth-protected-resource`)).status).equal(200);
  });

  it('admits a caller that another plugin has identified', async () => {
    const own = await startAuthServer({
      settings: { plugins: { 'test-identify': { module: './identify.mjs' } } },
      files: { 'identify.mjs': moduleOf(identify) },
    });
    expect((await own.mcp(undefined)).status).equal(401);
    expect((await own.mcp(undefined, { headers: { 'x-caller': 'test carol' } })).status).equal(200);
  });

  it('tells what the provider said about the person, by scope', async () => {
    const ask = async (scope?: string): Promise<unknown> => {
      const { access } = await auth.tokens({ scope });
      return (await fetch(`${auth.base}/oauth/userinfo`, bearer(access))).json();
    };
    expect(await ask('openid email')).deep.equal({
      sub: 'alice',
      email: 'alice@example.com',
      email_verified: true,
    });
    expect(await ask())
      .include({ sub: 'alice', name: 'alice' })
      .and.have.property('groups');
    const refused = await fetch(`${auth.base}/oauth/userinfo`);
    expect(refused.status).equal(401);
    expect(refused.headers.get('www-authenticate')).include('/.well-known/oauth-protected-resource"');
  });
});
