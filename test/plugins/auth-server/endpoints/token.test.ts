import { expect } from 'chai';
import * as openid from 'openid-client';
import { digest } from '../../../../plugins/kit/secrets/secrets.ts';
import type { OAuthClient } from '../../../../plugins/contracts/oauth.ts';
import {
  PUBLIC_CLIENT,
  REDIRECT,
  VERIFIER,
  newState,
  startAuthServer,
  tokensOf,
} from '../../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../../support/authServer.ts';
import { movableClock } from '../../../support/clock.ts';
import { until } from '../../../support/until.ts';

const SECRET = 'a secret: of%the client';
const CONFIDENTIAL: OAuthClient = {
  ...PUBLIC_CLIENT,
  id: 'confidential client',
  authMethod: 'client_secret_basic',
  secretHash: digest(SECRET),
};
const OTHER: OAuthClient = { ...PUBLIC_CLIENT, id: 'other-client' };
const INVALID_GRANT = {
  error: 'invalid_grant',
  error_description: 'Authorization code is invalid or expired',
};

function basic(id: string, secret: string): { authorization: string } {
  const encoded = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':');
  return { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` };
}

describe('auth-server: /oauth/token', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer();
    await auth.known(CONFIDENTIAL);
    await auth.known(OTHER);
  });
  /** @param reason what the log must say */
  function refused({ status, body }: TokenAnswer, expected: number, error: string, reason?: string): void {
    expect({ status, error: body['error'] }).deep.equal({ status: expected, error });
    if (reason !== undefined) expect(auth.lastReason).equal(reason);
  }
  const isAdmitted = async (token: string): Promise<boolean> => (await auth.mcp(token)).status === 200;

  describe('a code', () => {
    it('gives tokens, with scope, id token and lifetime', async () => {
      const { status, body, headers } = await auth.redeem(await auth.code());
      expect(status).equal(200);
      expect(body).include({ token_type: 'Bearer', expires_in: 1800 });
      expect(body).include.keys('access_token', 'refresh_token', 'scope', 'id_token');
      expect(String(body['access_token'])).match(/^[\w-]{43}$/);
      expect(headers.get('cache-control'), 'T52').equal('no-store');
    });

    it('gives an id token only to a client that asked for the scope openid, also at a refresh', async () => {
      for (const scope of ['profile', undefined]) {
        const { body } = await auth.redeem(await auth.code({ scope }));
        expect(body).include.keys('access_token', 'refresh_token').and.not.include.keys('id_token');
        const next = await auth.refresh(String(body['refresh_token']));
        expect(next.body).include.keys('access_token', 'refresh_token').and.not.include.keys('id_token');
      }
    });

    it('is redeemed by openid-client, with and without a scope', async () => {
      const server = new URL(auth.base);
      const found = await openid.discovery(server, auth.clientId, undefined, openid.None(), {
        // Deprecated only to be noticed.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        execute: [openid.allowInsecureRequests],
        algorithm: 'oauth2',
      });
      for (const scope of ['profile email', undefined]) {
        const state = newState();
        const query = await auth.redirected({ scope, state });
        const callback = new URL(`${REDIRECT}?${query.toString()}`);
        const checks = { pkceCodeVerifier: VERIFIER, expectedState: state };
        const first = await openid.authorizationCodeGrant(found, callback, checks);
        const next = await openid.refreshTokenGrant(found, first.refresh_token ?? '');
        expect((await auth.mcp(next.access_token)).status).equal(200);
      }
    });

    it('T31: used twice ends the sign-in of the first use', async () => {
      const code = await auth.code();
      const { access, refresh } = tokensOf(await auth.redeem(code));
      expect(await isAdmitted(access)).equal(true);
      const second = await auth.redeem(code);
      expect(second.body).deep.equal(INVALID_GRANT);
      refused(second, 400, 'invalid_grant', 'code-reused');
      expect(await isAdmitted(access)).equal(false);
      refused(await auth.refresh(refresh), 400, 'invalid_grant');
    });

    it('T32: redeemed twenty times at once succeeds at most once, and then the sign-in ends', async () => {
      const code = await auth.code();
      const answers = await Promise.all(Array.from({ length: 20 }, () => auth.redeem(code)));
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).at.most(1);
      for (const answer of good) expect(await isAdmitted(tokensOf(answer).access)).equal(false);
    });

    it('T33: is burned by a wrong verifier', async () => {
      const code = await auth.code();
      const wrong = await auth.redeem(code, { code_verifier: 'w'.repeat(43) });
      refused(wrong, 400, 'invalid_grant', 'wrong-code-verifier');
      refused(await auth.redeem(code), 400, 'invalid_grant', 'code-reused');
    });

    it('T34: is refused without a verifier', async () => {
      const without = await auth.redeem(await auth.code(), { code_verifier: undefined });
      refused(without, 400, 'invalid_grant', 'wrong-code-verifier');
    });

    it('T35: is refused to another client', async () => {
      const other = await auth.redeem(await auth.code(), { client_id: OTHER.id });
      refused(other, 400, 'invalid_grant', 'code-of-other-client');
    });

    it('T36: is refused with another redirect URI', async () => {
      const other = await auth.redeem(await auth.code(), { redirect_uri: `${REDIRECT}/` });
      refused(other, 400, 'invalid_grant', 'redirect-uri-differs');
    });

    it('T37: is refused for another resource', async () => {
      const other = await auth.redeem(await auth.code(), { resource: 'https://other.example' });
      refused(other, 400, 'invalid_target', 'resource-not-ours');
      const own = await auth.redeem(await auth.code(), { resource: `${auth.base}/mcp` });
      expect(own.status).equal(200);
    });
  });

  describe('a request', () => {
    it('T38: has its parameters in the form, not in the query', async () => {
      const form = {
        grant_type: 'authorization_code',
        code: await auth.code(),
        redirect_uri: REDIRECT,
        client_id: PUBLIC_CLIENT.id,
        code_verifier: 'v'.repeat(43),
      };
      const query = new URLSearchParams(form).toString();
      const inQuery = await auth.post('', {}, `/oauth/token?${query}`);
      refused(inQuery, 400, 'invalid_request', 'parameter-missing');
      expect((await auth.post(form)).status).equal(200);
    });

    it('T39: is a form, without repeated parameters', async () => {
      const json = { 'content-type': 'application/json' };
      refused(await auth.post('{"grant_type":"refresh_token"}', json), 400, 'invalid_request', 'not-a-form');
      const text = { 'content-type': 'text/plain' };
      refused(await auth.post('grant_type=refresh_token', text), 400, 'invalid_request');
      const twice = await auth.post('grant_type=refresh_token&grant_type=refresh_token');
      refused(twice, 400, 'invalid_request', 'parameter-repeated');
      refused(await auth.post({}), 400, 'invalid_request');
    });

    it('T40: names a supported grant type', async () => {
      for (const grant_type of ['password', 'client_credentials', 'implicit'])
        refused(
          await auth.post({ grant_type, client_id: PUBLIC_CLIENT.id }),
          400,
          'unsupported_grant_type',
          'grant-type',
        );
    });

    it('T51: has at most 64 KiB', async () => {
      const large = await auth.post(`grant_type=${'x'.repeat(100_000)}`);
      refused(large, 413, 'invalid_request', 'too-large');
    });
  });

  describe('a client', () => {
    const codeOf = (client: OAuthClient): Promise<string> => auth.code({ client_id: client.id });
    const id = CONFIDENTIAL.id;
    const noId = { client_id: undefined };

    it('with a secret sends it in the header or in the form', async () => {
      const inHeader = await auth.redeem(await codeOf(CONFIDENTIAL), noId, basic(id, SECRET));
      expect(inHeader.status, JSON.stringify(inHeader.body)).equal(200);
      const fields = { client_id: id, client_secret: SECRET };
      expect((await auth.redeem(await codeOf(CONFIDENTIAL), fields)).status).equal(200);
    });

    it('T41: with a secret must send the right one; one without a secret must not use Basic', async () => {
      const code = await codeOf(CONFIDENTIAL);
      const none = await auth.redeem(code, { client_id: id });
      refused(none, 401, 'invalid_client', 'wrong-client-secret');
      expect(none.headers.get('www-authenticate')).match(/^Basic/);
      refused(
        await auth.redeem(code, noId, basic(id, 'wrong')),
        401,
        'invalid_client',
        'wrong-client-secret',
      );
      refused(
        await auth.redeem(code, noId, basic(PUBLIC_CLIENT.id, '')),
        401,
        'invalid_client',
        'client-has-no-secret',
      );
      refused(
        await auth.redeem(code, noId, { authorization: 'Basic !' }),
        401,
        'invalid_client',
        'malformed-authorization',
      );
      refused(await auth.redeem(code, { client_id: 'unknown' }), 401, 'invalid_client', 'unknown-client');
      expect((await auth.redeem(code, noId, basic(id, SECRET))).status).equal(200);
    });

    it('T43: is told the same if it is unknown and if its secret is wrong', async () => {
      const code = await codeOf(CONFIDENTIAL);
      const [unknown, wrong] = [
        await auth.redeem(code, noId, basic('unknown', SECRET)),
        await auth.redeem(code, noId, basic(id, 'wrong')),
      ];
      const shown = ({ status, headers, body }: TokenAnswer) => ({
        status,
        body,
        challenge: headers.get('www-authenticate'),
      });
      expect(shown(unknown)).deep.equal(shown(wrong));
    });

    it('T42: sends its secret in one place only, and names one id', async () => {
      const code = await codeOf(CONFIDENTIAL);
      const twice = await auth.redeem(code, { client_secret: SECRET, client_id: id }, basic(id, SECRET));
      refused(twice, 400, 'invalid_request', 'two-client-secrets');
      const other = await auth.redeem(code, { client_id: OTHER.id }, basic(id, SECRET));
      refused(other, 400, 'invalid_client', 'two-client-ids');
    });
  });

  /** What the same token gets after a client that has sent it and left before the answer. */
  const afterLeaving = async (refresh: string): Promise<ReturnType<typeof tokensOf>> => {
    const asked = auth.provider.requests('/token');
    auth.provider.pause('/token');
    const leaving = new AbortController();
    const left = auth.refresh(refresh, {}, {}, leaving.signal).catch((error: unknown) => error);
    await until(() => auth.provider.requests('/token') > asked, { what: 'the provider is asked' });
    leaving.abort();
    expect(await left).property('name', 'AbortError');
    auth.provider.resume();
    const answer = await until(
      async () => [await auth.refresh(refresh)].find(({ status }) => status !== 503),
      { what: 'the first request ends' },
    );
    return tokensOf(answer);
  };

  describe('a refresh token', () => {
    it('T44: replayed after its rotation ends the sign-in', async () => {
      const first = await auth.tokens();
      const second = tokensOf(await auth.refresh(first.refresh));
      const third = tokensOf(await auth.refresh(second.refresh));
      refused(await auth.refresh(first.refresh), 400, 'invalid_grant', 'refresh-token-reused');
      refused(await auth.refresh(third.refresh), 400, 'invalid_grant', 'refresh-token-unknown');
      expect(await isAdmitted(third.access)).equal(false);
    });

    it('T44: replayed within a minute of its rotation gets an access token alone, and the sign-in continues', async () => {
      const { later } = movableClock();
      const first = await auth.tokens();
      const second = tokensOf(await auth.refresh(first.refresh));
      const again = await auth.refresh(first.refresh);
      expect(again).include({ status: 200 });
      expect(again.body).not.have.property('refresh_token');
      expect(await isAdmitted(String(again.body['access_token']))).equal(true);
      expect(await isAdmitted(second.access)).equal(true);
      const third = tokensOf(await auth.refresh(second.refresh));
      later(61_000);
      refused(await auth.refresh(second.refresh), 400, 'invalid_grant', 'refresh-token-reused');
      expect(await isAdmitted(third.access)).equal(false);
    });

    it('T44: answered with an access token alone stays good for the client that keeps it, as RFC 6749 §6 has it', async () => {
      const { later } = movableClock();
      const first = await auth.tokens();
      const second = tokensOf(await auth.refresh(first.refresh));
      await auth.refresh(first.refresh);
      later(61_000);
      const third = tokensOf(await auth.refresh(first.refresh));
      expect(await isAdmitted(third.access)).equal(true);
      expect((await auth.refresh(second.refresh)).body).not.have.property('refresh_token');
      later(61_000);
      const fourth = tokensOf(await auth.refresh(third.refresh));
      later(61_000);
      refused(await auth.refresh(third.refresh), 400, 'invalid_grant', 'refresh-token-reused');
      refused(await auth.refresh(fourth.refresh), 400, 'invalid_grant', 'refresh-token-unknown');
    });

    it('T44: that was kept ends the sign-in once it has been rotated too', async () => {
      const { later } = movableClock();
      const first = await auth.tokens();
      await auth.refresh(first.refresh);
      await auth.refresh(first.refresh);
      later(61_000);
      const third = tokensOf(await auth.refresh(first.refresh));
      later(61_000);
      refused(await auth.refresh(first.refresh), 400, 'invalid_grant', 'refresh-token-reused');
      expect(await isAdmitted(third.access)).equal(false);
    });

    it('kept serves no one for ever: not after a hundred access tokens, nor when it was not used for as long as a session lasts', async () => {
      const { later } = movableClock();
      const first = await auth.tokens();
      const second = tokensOf(await auth.refresh(first.refresh));
      for (let use = 0; use < 100; use += 1)
        expect((await auth.refresh(first.refresh)).status, String(use)).equal(200);
      later(61_000);
      refused(await auth.refresh(first.refresh), 400, 'invalid_grant', 'refresh-token-reused');
      expect(await isAdmitted(second.access)).equal(false);

      const short = await startAuthServer({ config: { sessionDuration: '1h' } });
      const old = await short.tokens();
      let current = tokensOf(await short.refresh(old.refresh)).refresh;
      await short.refresh(old.refresh);
      for (let half = 0; half < 3; half += 1) {
        later(1_800_000);
        current = tokensOf(await short.refresh(current)).refresh;
      }
      later(61_000);
      for (const token of [old.refresh, current]) expect((await short.refresh(token)).status).equal(400);
    });

    it('kept by several clients at once is kept once', async () => {
      const { later } = movableClock();
      const { refresh } = await auth.tokens();
      const other = tokensOf(await auth.refresh(refresh)).refresh;
      const next = tokensOf(await auth.refresh(other)).refresh;
      await auth.refresh(other);
      expect(
        (await Promise.all(Array.from({ length: 6 }, () => auth.refresh(other)))).map(({ status }) => status),
      ).deep.equal(Array.from({ length: 6 }, () => 200));
      later(61_000);
      await auth.refresh(next);
      expect((await auth.refresh(other)).status).equal(200);
    });

    it('kept by one of two processes serves both of them for as long as they refresh at about the same time', async () => {
      const { later } = movableClock();
      const { refresh: kept } = await auth.tokens();
      let own = kept;
      for (let round = 0; round < 3; round += 1) {
        own = tokensOf(await auth.refresh(own)).refresh;
        const beside = await auth.refresh(kept);
        expect(beside).include({ status: 200 });
        expect(await isAdmitted(String(beside.body['access_token']))).equal(true);
        later(1_500_000);
      }
    });

    it('T45: used twice at once gives one successor, and the other request an access token alone', async () => {
      const { refresh } = await auth.tokens();
      const answers = await Promise.all([
        auth.refresh(refresh),
        auth.refresh(refresh),
        auth.refresh(refresh),
      ]);
      expect(answers.map(({ status }) => status)).deep.equal([200, 200, 200]);
      const given = answers.filter(({ body }) => 'refresh_token' in body);
      expect(given).length(1);
      for (const { body } of answers) expect(await isAdmitted(String(body['access_token']))).equal(true);
      for (const answer of given) expect((await auth.refresh(tokensOf(answer).refresh)).status).equal(200);
    });

    it('that waited for another request while that was rotated again ends nothing', async () => {
      const { refresh } = await auth.tokens();
      const both = [auth.refresh(refresh), auth.refresh(refresh)];
      const next = tokensOf(await auth.refresh(tokensOf(await Promise.race(both)).refresh));
      await Promise.all(both);
      expect((await auth.refresh(next.refresh)).status).equal(200);
    });

    it('stays usable if the client leaves before it is answered', async () => {
      const { refresh } = await auth.tokens();
      expect((await auth.refresh((await afterLeaving(refresh)).refresh)).status).equal(200);
    });

    it('kept may be sent again after the client has left, and the one beside it stays usable', async () => {
      const { later } = movableClock();
      const { refresh } = await auth.tokens();
      const beside = tokensOf(await auth.refresh(refresh));
      await auth.refresh(refresh);
      later(61_000);
      await afterLeaving(refresh);
      expect((await auth.refresh(beside.refresh)).status).equal(200);
    });

    it('T46: of another client ends the sign-in', async () => {
      const { refresh } = await auth.tokens();
      const other = await auth.refresh(refresh, { client_id: OTHER.id });
      refused(other, 400, 'invalid_grant', 'refresh-token-of-other-client');
      refused(await auth.refresh(refresh), 400, 'invalid_grant');
    });

    it('T47: does not give more scopes, but fewer on request', async () => {
      const { refresh } = await auth.tokens({ scope: 'openid email' });
      const wider = await auth.refresh(refresh, { scope: 'openid email groups' });
      refused(wider, 400, 'invalid_scope', 'scope-wider');
      const narrowed = await auth.refresh(refresh, { scope: 'openid' });
      expect(narrowed.body['scope']).equal('openid');
      const full = await auth.refresh(tokensOf(narrowed).refresh);
      expect(full.body['scope']).equal('openid email');
    });

    it('T48: stays usable while the provider is away', async () => {
      const { refresh } = await auth.tokens();
      auth.provider.fail(502);
      const away = await auth.refresh(refresh);
      auth.provider.resume();
      refused(away, 503, 'temporarily_unavailable');
      expect(away.headers.get('retry-after')).equal('30');
      expect((await auth.refresh(refresh)).status).equal(200);
    });

    it('that is invented, or has a wrong mark, changes nothing', async () => {
      const { refresh } = await auth.tokens();
      const [id = '', secret = ''] = refresh.split('.');
      const mark = 'A'.repeat(22);
      const invented = [
        `${id}.${secret}.${mark}`,
        `${id}.${'A'.repeat(43)}.${mark}`,
        `${refresh}.x`,
        '..',
        'x',
      ];
      for (const token of invented) refused(await auth.refresh(token), 400, 'invalid_grant');
      expect((await auth.refresh(refresh)).status).equal(200);
    });

    it('ends with the grant at the provider', async () => {
      auth.provider.loginAs('leaver');
      const { refresh, access } = await auth.tokens();
      await auth.provider.revoke('leaver');
      refused(await auth.refresh(refresh), 400, 'invalid_grant');
      expect(await isAdmitted(access)).equal(false);
      auth.provider.loginAs('alice');
    });
  });

  it('lives for sessionDuration, counted anew from each refresh', async () => {
    const short = await startAuthServer({ config: { sessionDuration: '2h' } });
    const expiry = async (): Promise<number> => {
      const [key = ''] = await short.vault.list('oauth-signin:');
      return ((await short.vault.get(key)) as { expiresAt: number }).expiresAt - Date.now();
    };
    const { refresh } = await short.tokens();
    expect(await expiry()).within(7_190_000, 7_200_000);
    const [key = ''] = await short.vault.list('oauth-signin:');
    // As if an hour had passed.
    const record = (await short.vault.get(key)) as { expiresAt: number };
    await short.vault.set(key, { ...record, expiresAt: record.expiresAt - 3_600_000 });
    expect((await short.refresh(refresh)).status).equal(200);
    expect(await expiry()).within(7_190_000, 7_200_000);
  });

  it('T49: keeps audience, scope and person after a refresh', async () => {
    await auth.known({ ...CONFIDENTIAL, id: 'asker' });
    const asks = { client_id: 'asker', client_secret: SECRET };
    const first = tokensOf(await auth.redeem(await auth.code({ client_id: 'asker' }), asks));
    const second = tokensOf(await auth.refresh(first.refresh, asks));
    const facts = async (token: string): Promise<object> => {
      const { body } = await auth.post({ token, ...asks }, {}, '/oauth/introspect');
      return { ...body, iat: 0, exp: 0 };
    };
    expect(await facts(first.access)).deep.equal(await facts(second.access));
    const expected = { active: true, aud: auth.base, sub: 'alice', client_id: 'asker', iss: auth.base };
    expect(await facts(second.access)).include(expected);
  });

  for (const [seconds, most] of [
    [600, 600],
    [7200, 1800],
  ] as const) {
    it(`T50: is valid for at most ${most} s if the provider's token is for ${seconds} s`, async () => {
      const short = await startAuthServer({ provider: { lifetimes: { AccessToken: seconds } } });
      const { body } = await short.redeem(await short.code());
      expect(body['expires_in']).within(most - 5, most);
    });
  }
});
