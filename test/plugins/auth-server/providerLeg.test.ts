import { expect } from 'chai';
import { textResult } from '../../../kernel/index.ts';
import type { Caller } from '../../../kernel/index.ts';
import { PUBLIC_CLIENT, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { newBrowser } from '../../support/browser.ts';
import type { Browser, Page } from '../../support/browser.ts';
import { movableClock } from '../../support/clock.ts';
import { metaTool, toolsPlugin } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startLyingProvider } from '../../support/lyingProvider.ts';
import type { Lies, LyingProvider } from '../../support/lyingProvider.ts';
import { post, statelessCall } from '../../support/stateless.ts';

const NOW = Math.floor(Date.now() / 1000);
/** Title → what the provider gets wrong. */
const WRONG_ANSWERS: Readonly<Record<string, Lies>> = {
  'another issuer': { claims: { iss: 'https://login.example.com' } },
  'another audience': { claims: { aud: 'another-client' } },
  'several audiences and another azp': { claims: { aud: ['pegboard', 'other'], azp: 'other' } },
  'an expiry in the past': { claims: { exp: NOW - 600 } },
  'an issue time in the future': { claims: { iat: NOW + 600 } },
  'another nonce': { claims: { nonce: 'n'.repeat(43) } },
  'no nonce': { claims: { nonce: undefined } },
  'no subject': { claims: { sub: undefined } },
  'alg none': { signature: 'none' },
  'HS256 with the public key as its secret': { signature: 'HS256' },
  'a key that is not published': { signature: 'unknown-kid' },
  'a signature of another key': { signature: 'published-kid' },
};

const WHOAMI = toolsPlugin('whoami', [
  metaTool('whoami', (_, { request }) => textResult(JSON.stringify(request.caller ?? null))),
]);

/** A gateway whose provider lies. */
async function startWith(provider: LyingProvider): Promise<AuthServer> {
  return startAuthServer({
    idp: provider.config,
    settings: { plugins: { whoami: { module: './whoami.mjs' } } },
    files: { 'whoami.mjs': moduleOf(WHOAMI) },
  });
}
/** `request.caller` of a call with that access token. */
async function callerOf({ base }: AuthServer, token: string): Promise<Caller> {
  const answer = await post(base, statelessCall('whoami'), { authorization: `Bearer ${token}` });
  const { result } = answer.json() as unknown as { result: { content: readonly [{ text: string }] } };
  return JSON.parse(result.content[0].text) as Caller;
}
/** The client's parameters, of which every redirect has issuer and state. */
function answerOf(params: URLSearchParams, { base }: AuthServer): Readonly<Record<string, string>> {
  expect(params.get('iss')).equal(base);
  expect(params.get('state')).length(48);
  return Object.fromEntries(params);
}
function errorOf({ text }: Page): unknown {
  return (JSON.parse(text) as { error: unknown }).error;
}
function notCompleted({ gateway }: AuthServer): unknown {
  return gateway.log.having('sign-in request refused').at(-1)?.data['reason'];
}
describe('the callback of the identity provider', () => {
  /** Signs in at the provider. @returns the redirect to the gateway, not opened */
  const toCallback = async (auth: AuthServer, browser: Browser): Promise<string> => {
    const isBack = (url: string): boolean => url.startsWith(`${auth.base}/oauth/callback`);
    return (await browser.open(auth.authorizeUrl(), isBack)).url;
  };

  it('T22: refuses a state that is unknown, used or older than ten minutes', async () => {
    const clock = movableClock();
    const auth = await startAuthServer();
    const browser = newBrowser();
    const callback = await toCallback(auth, browser);
    const unknown = await browser.request(`${auth.base}/oauth/callback?code=c&state=${'s'.repeat(43)}`);
    expect(unknown.status, unknown.text).equal(400);
    expect(errorOf(unknown)).equal('invalid_request');
    const first = await browser.request(callback);
    expect(first.headers.get('location')).contain('code=');
    const second = await browser.request(callback);
    expect(second.status).equal(400);
    expect(errorOf(second)).equal('invalid_request');
    const late = await toCallback(auth, browser);
    clock.later(600_000);
    const expired = await browser.request(late);
    expect(expired.status).equal(400);
    expect(errorOf(expired)).equal('invalid_request');
  });

  it('T23: ends the sign-in when it continues in a browser that began another one', async () => {
    const auth = await startAuthServer();
    const [own, other] = [newBrowser(), newBrowser()];
    const callback = await toCallback(auth, own);
    await toCallback(auth, other);
    const foreign = await other.request(callback);
    expect(foreign.status).equal(400);
    expect(errorOf(foreign)).equal('invalid_request');
    expect((await own.request(callback)).status).equal(400);
  });

  it('T23: continues without a cookie, as scripted clients need it', async () => {
    const auth = await startAuthServer();
    const callback = await toCallback(auth, newBrowser());
    const answer = await newBrowser().request(callback);
    expect(answer.status).equal(302);
    expect(answer.headers.get('location')).contain('code=');
  });
});

describe('answers of the identity provider', () => {
  let provider: LyingProvider;
  let auth: AuthServer;
  before(async () => {
    provider = await startLyingProvider();
    auth = await startWith(provider);
    await auth.discovered();
  });
  const signInWith = async (lies: Lies): Promise<Readonly<Record<string, string>>> => {
    provider.lie(lies);
    return answerOf(await auth.redirected(), auth);
  };
  afterEach(() => provider.lie({}));

  it('lead to a code when they are honest', async () => {
    expect(await signInWith({})).keys(['code', 'state', 'iss']);
  });

  for (const [what, lies] of Object.entries(WRONG_ANSWERS))
    it(`T24: lead to server_error when the id token has ${what}`, async () => {
      expect(await signInWith(lies))
        .include({ error: 'server_error' })
        .not.have.property('code');
      expect(notCompleted(auth)).equal('provider-answer');
    });

  it('T24: lead to server_error when there is no id token', async () => {
    expect(await signInWith({ token: { id_token: undefined } })).include({ error: 'server_error' });
  });

  it('lead to login_required when the person has not signed in within max_age, or no time is told', async () => {
    const signInAfter = async (auth_time?: number): Promise<Readonly<Record<string, string>>> => {
      provider.lie({ claims: { auth_time } });
      return answerOf(await auth.redirected({ max_age: '60' }), auth);
    };
    for (const [time, reason] of [
      [undefined, 'auth-time-missing'],
      [NOW - 600, 'auth-time-too-old'],
    ] as const) {
      expect(await signInAfter(time))
        .include({ error: 'login_required' })
        .not.have.property('code');
      expect(notCompleted(auth)).equal(reason);
    }
    expect(await signInAfter(Math.floor(Date.now() / 1_000) - 30)).have.property('code');
  });

  it('T25: lead to server_error when /userinfo answers for another person', async () => {
    const withoutEmail = { claims: { email: undefined } };
    expect(await signInWith({ ...withoutEmail, userinfo: { sub: 'eve' } })).include({
      error: 'server_error',
    });
    expect(await signInWith(withoutEmail)).have.property('code');
  });

  it('T26: lead to server_error when the redirect names another issuer, or none', async () => {
    for (const iss of ['https://login.example.com', undefined])
      expect(await signInWith({ redirect: { iss } })).include({ error: 'server_error' });
  });

  it('T28: are passed on encoded, without line breaks and without codes of their own', async () => {
    const error_description = '<script>alert(1)</script>\r\nset-cookie: a=b';
    for (const [error, passed] of [
      ['access_denied', 'access_denied'],
      ['<b>\r\nx: y', 'server_error'],
    ]) {
      const answer = await signInWith({ redirect: { code: undefined, error, error_description } });
      expect(answer['error']).equal(passed);
      expect(answer['error_description']).not.match(/[\r\n]/);
      expect(notCompleted(auth)).match(/^[a-z-]+$/);
    }
    const redirect_uri = 'com.example.app://callback';
    await auth.known({ ...PUBLIC_CLIENT, id: 'app', redirectUris: [redirect_uri] });
    const toApp = await newBrowser().open(auth.authorizeUrl({ client_id: 'app', redirect_uri }));
    expect(toApp.text).contain('com.example.app://callback?').not.contain('<script');
  });

  it('are faults of this gateway, not of the client, unless they are about the person', async () => {
    const lines = () => auth.gateway.log.having('the identity provider did not complete a request', 'warn');
    for (const [error, fix] of [
      ['invalid_scope', 'idp.scopes'],
      ['unauthorized_client', 'clientSecret'],
    ] as const) {
      const error_description = `AADSTS70011: ask admin@example.com about ${error}`;
      const answer = await signInWith({ redirect: { code: undefined, error, error_description } });
      expect(answer).include({ error: 'server_error' });
      expect(answer['error_description']).not.contain('AADSTS');
      const { data } = lines().at(-1)!;
      expect(data).include({ error, description: `AADSTS70011: ask [redacted] about ${error}` });
      expect(data['fix']).contain(fix);
    }
    const login = { redirect: { code: undefined, error: 'login_required', error_description: 'who?' } };
    expect(await signInWith(login)).include({ error: 'login_required', error_description: 'who?' });
    expect(lines().at(-1)!.data).not.have.property('description');
  });

  it('that allow a person no offline sign-in deny it, with the words of the provider and the key in one line of the log', async () => {
    const error_description = 'Offline tokens not allowed for the user or client';
    const redirect = { code: undefined, error: 'not_allowed', error_description };
    const before = auth.gateway.log.having('did not complete a request', 'warn').length;
    const answer = await signInWith({ redirect });
    expect(answer).include({ error: 'access_denied' });
    expect(answer['error_description']).include('offline_access');
    const lines = auth.gateway.log.having('did not complete a request', 'warn').slice(before);
    expect(lines).length(1);
    expect(lines[0]?.data).include({ error: 'not_allowed', description: error_description });
    expect(lines[0]?.data['fix']).include('aggregator.oauth.server.idp.scopes');
  });

  it('name the secret of this gateway in the log if the provider refuses it', async () => {
    const body = JSON.stringify({
      error: 'invalid_client',
      error_description: 'AADSTS7000215: Invalid secret',
    });
    const answer = await signInWith({ answers: { '/token': { status: 401, body } } });
    expect(answer).include({ error: 'server_error' });
    const { data } = auth.gateway.log.having('did not complete a request', 'warn').at(-1)!;
    expect(data).include({ error: 'invalid_client', description: 'AADSTS7000215: Invalid secret' });
    expect(data['fix']).contain('clientSecret');
  });

  it('are the fault of the gateway if /userinfo refuses the token', async () => {
    const lies = { claims: { email: undefined }, answers: { '/userinfo': { status: 403, body: '{}' } } };
    expect(await signInWith(lies)).include({ error: 'server_error' });
  });

  it('T29: are bounded: a person has at most 100 groups, of 256 characters', async () => {
    const groups = ['g'.repeat(257), ...Array.from({ length: 10_000 }, (_, at) => `group-${at}`)];
    provider.lie({ claims: { groups } });
    const { claims } = await callerOf(auth, (await auth.tokens()).access);
    expect(claims?.['groups']).length(100).not.include(groups[0]);
  });

  it('T30: are told apart by subject: an e-mail address that two people have is not a key', async () => {
    const callers = [];
    for (const [sub, email_verified] of [
      ['mallory', true],
      ['eve', false],
    ] as const) {
      provider.lie({ claims: { sub, email: 'same@example.com', email_verified } });
      callers.push(await callerOf(auth, (await auth.tokens()).access));
    }
    expect(callers.map(({ subject }) => subject)).deep.equal(['mallory', 'eve']);
    expect(callers.map(({ claims }) => claims?.['email_verified'])).deep.equal([true, false]);
    expect(callers[0]?.claims?.['sid']).not.equal(callers[1]?.claims?.['sid']);
  });

  it('lead to temporarily_unavailable when its token endpoint is out of order', async () => {
    for (const outage of [500, 'reset', 'cut'] as const) {
      provider.fail(outage, '/token');
      expect(await signInWith({}), String(outage)).include({ error: 'temporarily_unavailable' });
      expect(notCompleted(auth)).equal('provider-unreachable');
      provider.resume();
    }
    expect(await signInWith({})).have.property('code');
  });

  it('need no id token when tokens are refreshed', async () => {
    const { body } = await auth.redeem(await auth.code());
    provider.lie({ refresh: { id_token: undefined } });
    const answer = await auth.refresh(String(body['refresh_token']));
    expect(answer.status, JSON.stringify(answer.body)).equal(200);
    expect(answer.body).include({ id_token: body['id_token'] });
  });

  it('lose no sign-in when the key of a refreshed id token is not known yet', async () => {
    const { refresh, access } = await auth.tokens();
    const before = await callerOf(auth, access);
    provider.lie({ signature: 'unknown-kid', claims: { groups: ['other'] } });
    const answer = await auth.refresh(refresh);
    expect(answer.status, JSON.stringify(answer.body)).equal(200);
    const { access: next, refresh: successor } = tokensOf(answer);
    expect((await callerOf(auth, next)).claims?.['groups']).deep.equal(before.claims?.['groups']);
    expect(auth.gateway.log.having('cannot be verified yet', 'warn')).length(1);
    provider.lie({ claims: { groups: ['other'] } });
    const later = tokensOf(await auth.refresh(successor));
    expect((await callerOf(auth, later.access)).claims?.['groups']).deep.equal(['other']);
  });

  it('are refused when the signature of a refreshed id token is wrong, and the sign-in stays', async () => {
    const { refresh } = await auth.tokens();
    provider.lie({ signature: 'published-kid' });
    expect((await auth.refresh(refresh)).status).equal(503);
    provider.lie({});
    tokensOf(await auth.refresh(refresh));
  });

  for (const error of ['invalid_request', 'unauthorized_client', 'access_denied'])
    it(`end the sign-in when a refresh is refused with ${error}, as Dex and others say it`, async () => {
      const { refresh, access } = await auth.tokens();
      provider.lie({ answers: { '/token': { status: 400, body: JSON.stringify({ error }) } } });
      const { status, body } = await auth.refresh(refresh);
      expect([status, body['error']]).deep.equal([400, 'invalid_grant']);
      expect((await auth.mcp(access)).status).equal(401);
      provider.lie({});
    });

  it('end the sign-in when a refresh is refused with 500 and an error of OAuth twice, 20 seconds apart', async () => {
    const clock = movableClock();
    const { refresh } = await auth.tokens();
    const status = async (): Promise<unknown> => {
      const { status: code, body } = await auth.refresh(refresh);
      return [code, body['error']];
    };
    const away = [503, 'temporarily_unavailable'];
    provider.lie({ answers: { '/token': { status: 500, body: '{"error":"invalid_request"}' } } });
    expect([await status(), await status()]).deep.equal([away, away]);
    clock.later(20_000);
    expect(await status()).deep.equal([400, 'invalid_grant']);
    provider.lie({});
    clock.end();
  });

  it('keep the sign-in when a refresh is answered 500 without an error of OAuth, 429 or 401, however long', async () => {
    const clock = movableClock();
    const { refresh } = await auth.tokens();
    for (const answer of [
      { status: 500, body: 'oops' },
      { status: 429, body: '{"error":"invalid_request"}' },
      { status: 401, body: '{"error":"invalid_client"}' },
      { status: 401, body: '{"error":"unauthorized_client"}' },
    ]) {
      provider.lie({ answers: { '/token': answer } });
      for (let times = 0; times < 2; times += 1) {
        expect((await auth.refresh(refresh)).status).equal(503);
        clock.later(30_000);
      }
    }
    provider.lie({});
    tokensOf(await auth.refresh(refresh));
    clock.end();
  });

  it('end the sign-in when a refresh is answered for another person', async () => {
    const { refresh } = await auth.tokens();
    provider.lie({ claims: { sub: 'eve' } });
    const { status, body } = await auth.refresh(refresh);
    expect([status, body['error']]).deep.equal([400, 'invalid_grant']);
  });
});

describe('an identity provider', () => {
  it('T27: answers prompt=none with login_required, which reaches the client; signed in, with a code', async () => {
    const auth = await startAuthServer();
    const browser = newBrowser();
    const silent = async () => answerOf(await auth.redirected({ prompt: 'none' }, browser), auth);
    expect(await silent()).include({ error: 'login_required' });
    await auth.redirected({}, browser);
    expect(await silent()).have.property('code');
  });

  it('tells the client when the person refuses', async () => {
    const auth = await startAuthServer();
    auth.provider.refuseLogins('access_denied', 'not today');
    expect(answerOf(await auth.redirected(), auth)).include({
      error: 'access_denied',
      error_description: 'not today',
    });
  });

  it('may end what a person granted: the next refresh is refused', async () => {
    const auth = await startAuthServer();
    const { refresh } = await auth.tokens();
    await auth.provider.revoke('alice');
    const { status, body } = await auth.refresh(refresh);
    expect([status, body['error']]).deep.equal([400, 'invalid_grant']);
  });

  it('may sign with a new key at any time', async () => {
    const auth = await startAuthServer();
    const { refresh } = await auth.tokens();
    auth.provider.rotateKeys();
    const { status, body } = await auth.refresh(refresh);
    expect(status, JSON.stringify(body)).equal(200);
    expect(answerOf(await auth.redirected(), auth)).have.property('code');
  });

  it('is named with the issuer of its document if that is another one, such as by a slash at the end', async () => {
    const lying = await startLyingProvider();
    lying.lie({ discovery: { issuer: `${lying.url}/realms/b` } });
    const wrong = await startWith(lying);
    const { data } = await wrong.gateway.log.heard('sign-in is degraded');
    expect(data['reason']).include(
      `its document names ${lying.url}/realms/b, and issuerUrl is ${lying.url}/; write the one that it names`,
    );
  });

  it('is asked again when its discovery is down, oversized, foreign or leads elsewhere; until then only sign-in waits', async () => {
    const isDegradedFirst = async (lies: Lies): Promise<void> => {
      const provider = await startLyingProvider(lies);
      const auth = await startWith(provider);
      await auth.gateway.log.heard('sign-in is degraded');
      const began = await auth.open(auth.authorizeUrl());
      expect([began.status, began.headers.get('retry-after')]).deep.equal([503, '30']);
      expect((await auth.mcp(undefined)).status).equal(503);
      for (const path of ['/health', '/.well-known/oauth-authorization-server'])
        expect((await auth.open(auth.base + path)).status, path).equal(200);
      provider.lie({});
      await auth.discovered();
      expect(answerOf(await auth.redirected(), auth)).have.property('code');
    };
    const elsewhere = { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } };
    await Promise.all([
      isDegradedFirst({ answers: { '/.well-known/openid-configuration': { status: 503 } } }),
      isDegradedFirst({ discovery: { padding: 'x'.repeat(1_100_000) } }),
      isDegradedFirst({ discovery: { issuer: 'https://login.example.com' } }),
      isDegradedFirst({ answers: { '/.well-known/openid-configuration': elsewhere } }),
    ]);
  });
});
