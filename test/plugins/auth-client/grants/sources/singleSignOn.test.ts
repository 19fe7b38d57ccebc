import { expect } from 'chai';
import type { InboundRequest } from '../../../../../kernel/index.ts';
import { exchangedToken } from '../../../../../plugins/auth-client/grants/sources/exchangedToken.ts';
import { forwardedAudiences } from '../../../../../plugins/kit/oauth/authRules.ts';
import { OAuthError } from '../../../../../plugins/kit/oauth/oauthError.ts';
import { movableClock } from '../../../../support/clock.ts';
import { refusalOf } from '../../../../support/kernel.ts';
import { gate } from '../../../../support/until.ts';
import { GrantBench, requestOf } from '../grantBench.ts';
import { used } from '../used.ts';

const HOUR_MS = 3_600_000;
const ADA = requestOf('ada', 's');

/** A JWT of the identity provider, not signed: here it is only handed on. */
function idToken(claims: object = {}, lifeMs = HOUR_MS): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor((Date.now() + lifeMs) / 1_000);
  return `${part({ alg: 'none' })}.${part({ sub: 'ada', aud: 'gateway', exp, ...claims })}.c2ln`;
}

async function forwarding(rules: object = {}) {
  const bench = await GrantBench.open();
  const process = bench.process();
  process.servers = [bench.server({ forwardToken: true, ...rules })];
  const asked: InboundRequest[] = [];
  const found = { token: idToken() as string | undefined };
  bench.tokens = {
    idTokenOf: (request) => {
      asked.push(request as InboundRequest);
      return Promise.resolve(found.token);
    },
  };
  const status = () => process.statuses.of('notes', ADA);
  return { bench, process, asked, found, status };
}

describe('auth-client: single sign-on at servers', () => {
  it('forwards the id_token of the caller byte for byte, and asks for it once as long as it lasts', async () => {
    const { process, asked, found, status } = await forwarding();
    const headers = await used(process, ADA);
    expect(headers).equal(`Bearer ${found.token ?? ''}`);
    expect(process.credential(ADA).prepare()).equal(undefined);
    expect(asked.length).equal(1);
    expect(process.credential(ADA).secrets).deep.equal([found.token]);
    expect(await status()).deep.equal({ status: 'connected', isForwarding: true });
  });

  it('forwards the next one when the first ends', async () => {
    const { later } = movableClock();
    const { process, found } = await forwarding();
    await used(process, ADA);
    later(HOUR_MS);
    found.token = idToken();
    expect(await used(process, ADA)).equal(`Bearer ${found.token}`);
  });

  it('forwards none that has ended, or lacks an audience that the server requires', async () => {
    const { process, found, status } = await forwarding({ requiredAudiences: ['gateway', 'notes'] });
    const { code, message, details } = await refusalOf(() => used(process, ADA));
    expect(code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(message).include('lacks the audience notes').and.not.include('core_auth_login');
    expect(details).not.have.property('signInAt');
    expect(await status()).include({ status: 'reauth_required', hasFailed: true, isForwarding: true });
    const { later } = movableClock();
    later(10_000);
    found.token = idToken({ aud: ['notes', 'gateway'] }, -1_000);
    expect((await refusalOf(() => used(process, ADA))).message).include('has ended');
    later(30_000);
    found.token = idToken({ aud: ['notes', 'gateway'] });
    expect(await used(process, ADA)).equal(`Bearer ${found.token}`);
    expect(await status()).include({ status: 'connected' });
  });

  it('sends nothing over http, except to this machine', async () => {
    const { bench, process, asked } = await forwarding();
    const [server] = process.servers;
    process.servers = [{ ...server!, url: 'http://mcp.example/mcp' }];
    expect((await refusalOf(() => used(process, ADA))).message).include('by https only');
    expect(asked).deep.equal([]);
    expect(bench.endpoint.requests).deep.equal([]);
  });

  it('asks again when the definition leads elsewhere: no token is sent over http, and a mended url is tried at once', async () => {
    const { process } = await forwarding();
    const [server] = process.servers;
    const moveTo = (url: string): void => {
      process.servers = [{ ...server!, url }];
    };
    expect(await used(process, ADA)).match(/^Bearer /);
    moveTo('http://mcp.example/mcp');
    expect((await refusalOf(() => used(process, ADA))).message).include('by https only');
    expect(process.credential(ADA).headers).deep.equal({});
    moveTo('https://mcp.example/mcp');
    expect(await used(process, ADA)).match(/^Bearer /);
  });

  it('sends nothing of a caller who has no sign-in here', async () => {
    const { process, found, status } = await forwarding();
    found.token = undefined;
    expect(await status()).deep.equal({ status: 'disconnected', isForwarding: true });
    expect((await refusalOf(() => used(process, ADA))).message).include('sign in to this gateway');
  });

  it('asks no person, and waits, while the identity provider is away', async () => {
    const { later } = movableClock();
    const { bench, process, found, status } = await forwarding();
    const { tokens } = bench;
    let attempts = 0;
    bench.tokens = {
      idTokenOf: () => {
        attempts += 1;
        return Promise.reject(OAuthError.unavailable('the identity provider cannot be reached', 'away'));
      },
    };
    for (let times = 0; times < 3; times += 1)
      expect((await refusalOf(() => used(process, ADA))).code).equal('UPSTREAM_UNREACHABLE');
    expect(attempts).equal(1);
    expect(process.log.having('', 'warn').length).equal(1);
    expect(await status()).include({ status: 'reauth_required' });
    bench.tokens = tokens;
    later(5_000);
    expect(await used(process, ADA)).equal(`Bearer ${found.token ?? ''}`);
  });

  it('fails for a pause too when it cannot be found out whether the caller has a sign-in', async () => {
    const { later } = movableClock();
    const { bench, process, status } = await forwarding();
    const { tokens } = bench;
    const usable = async (): Promise<number> => (await process.credentials.usable(ADA)).length;
    let attempts = 0;
    bench.tokens = {
      idTokenOf: () => {
        attempts += 1;
        return Promise.reject(OAuthError.unavailable('the identity provider cannot be reached', 'away'));
      },
    };
    const credential = process.credential(ADA);
    expect(credential.retryAt).equal(undefined);
    expect(await status()).include({ status: 'reauth_required', hasFailed: true });
    expect([await usable(), await usable(), attempts]).deep.equal([0, 0, 1]);
    expect(credential.retryAt).within(Date.now() + 4_000, Date.now() + 5_000);
    later(5_000);
    bench.tokens = tokens;
    await credential.prepare();
    expect(credential.retryAt).equal(undefined);
    expect(await usable()).equal(1);
  });

  it('reports when it fails, and when it works again, once each', async () => {
    const { later } = movableClock();
    const { process, found, status } = await forwarding();
    const changed: string[] = [];
    const seen = async (): Promise<unknown> => [changed.splice(0), (await status())?.status];
    const end = process.statuses.follow((server) => changed.push(server));
    const fail = () => refusalOf(() => used(process, ADA));
    await used(process, ADA);
    expect(await seen(), 'connected').deep.equal([['notes'], 'connected']);
    later(HOUR_MS);
    await fail();
    expect(await seen(), 'failed').deep.equal([['notes'], 'reauth_required']);
    for (let times = 0; times < 3; times += 1) {
      later(60_000);
      await fail();
      expect(await seen(), 'failed again').deep.equal([[], 'reauth_required']);
    }
    later(600_000);
    expect(await seen(), 'not tried yet').deep.equal([[], 'reauth_required']);
    found.token = idToken();
    await used(process, ADA);
    expect(await seen(), 'works again').deep.equal([['notes'], 'connected']);
    expect(process.log.having('works again', 'info').map(({ data }) => data)).deep.equal([
      { server: 'notes' },
    ]);
    const credential = process.credential(ADA);
    await credential.refused({ status: 401, challenges: [], headers: credential.headers });
    expect(await seen(), 'refused').deep.equal([['notes'], 'reauth_required']);
    end();
    later(600_000);
    found.token = idToken({ jti: 'next' });
    await used(process, ADA);
    expect(changed).deep.equal([]);
  });

  it('reports the end of the first attempt, while which the status was pending', async () => {
    const { bench, process, found, status } = await forwarding();
    const asking = gate();
    bench.tokens = { idTokenOf: () => asking.opened.then(() => found.token) };
    const changed: string[] = [];
    process.statuses.follow((server) => changed.push(server));
    const using = used(process, ADA);
    const pending = status();
    asking.open();
    expect(await pending).include({ status: 'sso_pending' });
    await using;
    expect(changed).deep.equal(['notes']);
    expect(await status()).include({ status: 'connected' });
  });

  it('tries at once for a new sign-in of the person, and once only, whichever of the sessions asks next', async () => {
    const { later } = movableClock();
    const { bench, process, found } = await forwarding({ grantScope: 'subject' });
    const { tokens } = bench;
    let attempts = 0;
    bench.tokens = {
      idTokenOf: () => {
        attempts += 1;
        return Promise.reject(OAuthError.unavailable('the identity provider cannot be reached', 'away'));
      },
    };
    const [first, second, third] = ['s1', 's2', 's3'].map((sid) => requestOf('ada', sid));
    const statusOf = async (request: InboundRequest) => (await process.statuses.of('notes', request))?.status;
    for (let times = 0; times < 8; times += 1) {
      await refusalOf(() => used(process, first));
      later(1_800_000);
    }
    expect(attempts).equal(8);
    await refusalOf(() => used(process, first));
    for (const request of [second, first, second, first]) await refusalOf(() => used(process, request));
    expect(attempts, 'one more, of the new sign-in').equal(10);
    expect(await statusOf(second!)).equal('reauth_required');
    bench.tokens = tokens;
    found.token = idToken();
    await refusalOf(() => used(process, first));
    expect(await statusOf(third!)).equal('connected');
    expect(await used(process, third)).equal(`Bearer ${found.token}`);
    expect(await used(process, first)).equal(`Bearer ${found.token}`);
  });

  it('begins the pauses anew with a new sign-in', async () => {
    const { later } = movableClock();
    const { process, found } = await forwarding({ grantScope: 'subject' });
    const [former, next] = [requestOf('ada', 's1'), requestOf('ada', 's2')];
    found.token = undefined;
    for (let times = 0; times < 12; times += 1) {
      await refusalOf(() => used(process, former));
      later(1_800_000);
    }
    await refusalOf(() => used(process, next));
    found.token = idToken();
    later(5_000);
    expect(await used(process, next)).equal(`Bearer ${found.token}`);
  });

  it('does not send a refused token again, but the next one', async () => {
    const { later } = movableClock();
    const { process, found } = await forwarding();
    await used(process, ADA);
    const credential = process.credential(ADA);
    const { headers } = credential;
    expect(await credential.refused({ status: 401, challenges: [], headers })).equal(false);
    expect(credential.fault.message).include('refuses the token of your sign-in');
    expect(credential.headers).deep.equal({});
    for (let times = 0; times < 3; times += 1) {
      await refusalOf(() => used(process, ADA));
      later(HOUR_MS);
    }
    found.token = idToken({ jti: 'next' });
    expect(await used(process, ADA)).equal(`Bearer ${found.token}`);
  });

  it('asks the identity provider for the audiences that servers require', async () => {
    const bench = await GrantBench.open();
    const forwards = (...requiredAudiences: string[]) =>
      bench.server({ forwardToken: true, requiredAudiences });
    const others = [bench.server({ requiredAudiences: ['x'] })];
    expect(forwardedAudiences([forwards('b', 'a'), forwards('b'), ...others])).deep.equal(['a', 'b']);
  });

  describe('by exchange', () => {
    const tokenExchange = {
      endpoint: 'https://idp.example/token',
      connectorId: 'gateway',
      scopes: 'openid',
      expectedIssuer: undefined,
      clientId: 'me',
      clientSecret: '${env:SECRET}',
      secretRef: undefined,
    };

    it('asks for a token with the scopes of the definition and those of its audiences', async () => {
      const bench = await GrantBench.open();
      const asked: unknown[] = [];
      const exchange = (...of: unknown[]) => {
        asked.push(of);
        return Promise.resolve({ token: 'theirs', type: 'jwt', scope: '', expiresAt: Date.now() + HOUR_MS });
      };
      const server = bench.server({ tokenExchange, requiredAudiences: ['a', 'not one'] });
      expect(await exchangedToken(server, 'ours', { exchange })).include({ token: 'theirs' });
      const target = {
        name: 'notes',
        endpoint: 'https://idp.example/token',
        connectorId: 'gateway',
        client: { id: 'me', secret: { text: '${env:SECRET}' } },
        scopes: 'openid audience:server:client_id:a',
      };
      expect(asked).deep.equal([[target, 'ours', 'urn:ietf:params:oauth:token-type:id_token']]);
      const secretRef = { name: 'idp', clientIdKey: 'id', clientSecretKey: 'secret' };
      await exchangedToken(bench.server({ tokenExchange: { ...tokenExchange, secretRef } }), 'ours', {
        exchange,
      });
      expect(asked.at(-1)).deep.include({ ...target, client: secretRef, scopes: 'openid' });
      const nameless = bench.server({ tokenExchange: { ...tokenExchange, clientId: undefined } });
      const refusal = await refusalOf(() => exchangedToken(nameless, 'ours', { exchange }));
      expect(refusal.message).include('auth.tokenExchange.clientId');
    });

    it('sends the exchanged token, renews it before its end, and gives up after two refusals', async () => {
      const { later } = movableClock();
      const { bench, process, status } = await forwarding({ tokenExchange, forwardToken: false });
      let count = 0;
      bench.exchange = (_server, subject) => {
        expect(subject).match(/^ey/);
        count += 1;
        return { token: `theirs-${count}`, endsAt: Date.now() + HOUR_MS, renewAt: Date.now() + HOUR_MS / 2 };
      };
      const fresh = bench.process('two');
      fresh.servers = process.servers;
      expect(await used(fresh, ADA)).equal('Bearer theirs-1');
      later(HOUR_MS / 2);
      expect(await used(fresh, ADA)).equal('Bearer theirs-1');
      expect(await used(fresh, ADA)).equal('Bearer theirs-2');
      const credential = fresh.credential(ADA);
      const refused = () => credential.refused({ status: 401, challenges: [], headers: credential.headers });
      expect(await refused()).equal(true);
      expect(credential.headers).deep.equal({ authorization: 'Bearer theirs-3' });
      expect(await refused()).equal(false);
      await refusalOf(() => used(fresh, ADA));
      expect(count).equal(3);
      expect(await status()).include({ isExchanging: true });
    });
  });
});

describe('auth-client: grants that the broker gives out', () => {
  const pinned = {
    issuer: 'https://login.example',
    scopes: undefined,
    grantScope: 'subject' as const,
    clientId: undefined,
    clientSecret: undefined,
  };
  const person = { issuer: 'https://idp', subject: 'ada' };

  it('are those of the person, refreshed first if they are due, without the refresh token', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    process.servers = [bench.server({ grantScope: 'subject', authorizationServer: pinned })];
    expect(await process.releases.release(person, pinned.issuer)).equal(undefined);
    await process.signIn(ADA, { issuer: pinned.issuer });
    later(2 * HOUR_MS);
    const released = await Promise.all(
      Array.from({ length: 50 }, () => process.releases.release(person, pinned.issuer)),
    );
    expect(bench.endpoint.requests.length).equal(1);
    for (const one of released) {
      expect(one).include({ accessToken: 'access-1', scope: 'read' });
      expect(one?.expiresIn).within(3_500, 3_600);
      expect(JSON.stringify(one)).not.include('refresh');
    }
  });

  it('are of no other person, no other issuer, and no session', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    process.servers = [bench.server({ grantScope: 'subject', authorizationServer: pinned })];
    await process.signIn(ADA, { issuer: pinned.issuer });
    const release = (issuer: string, subject: string, from = pinned.issuer) =>
      process.releases.release({ issuer, subject }, from);
    expect(await release('https://idp', 'ada')).include({ accessToken: 'access-0' });
    expect(await release('https://idp', 'bob')).equal(undefined);
    expect(await release('https://other-idp', 'ada')).equal(undefined);
    expect(await release('https://idp', 'ada', 'https://other.example')).equal(undefined);
    // Who is asked there, its team has written.
    process.servers = [bench.server({ grantScope: 'subject', authorizationServer: pinned, isFar: true })];
    expect(await release('https://idp', 'ada')).equal(undefined);
    process.servers = [bench.server({ authorizationServer: { ...pinned, grantScope: 'session' } })];
    expect(await release('https://idp', 'ada')).equal(undefined);
  });

  it('are undefined if their refresh is refused, and refused for now if it cannot be tried', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    process.servers = [bench.server({ grantScope: 'subject', authorizationServer: pinned })];
    await process.signIn(ADA, { issuer: pinned.issuer });
    later(2 * HOUR_MS);
    bench.endpoint.server.fail(503);
    const refusal = await refusalOf(() => process.releases.release(person, pinned.issuer));
    expect(refusal.code).equal('UPSTREAM_UNREACHABLE');
    bench.endpoint.server.resume();
    bench.endpoint.refusal = { status: 400, body: { error: 'invalid_grant' } };
    later(10_000);
    expect(await process.releases.release(person, pinned.issuer)).equal(undefined);
  });
});
