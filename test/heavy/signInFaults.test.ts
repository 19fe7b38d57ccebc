import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { REDIRECT, SignInClient, registerAt, settingsFor, tokensOf } from '../support/authServer.ts';
import type { TokenAnswer, Tokens } from '../support/authServer.ts';
import { mcpClient } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { answerIn } from '../support/coreTools.ts';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import type { IdentityProvider } from '../support/identityProvider.ts';
import { clientOf, needRedis, startRedis } from '../support/redis.ts';
import type { RedisServer } from '../support/redis.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { sharedProcesses } from '../support/sharedProcesses.ts';
import { until } from '../support/until.ts';

/** After its start, a process counts all others as living for 30 s; SIGUSR2 lets them pass. */
const LATER = `
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
process.on('SIGUSR2', () => (ahead += 30_000));
`;
/** Revoked tokens are refused everywhere within this time. */
const REVOKED_MS = 5_000;

/** One gateway at a time, whose address stays. */
interface Place {
  readonly base: string;
  readonly provider: IdentityProvider;
  start(): Promise<Pegboard>;
  /** So much that processes which have ended do not count as living any more. */
  letTimePass(gateway: Pegboard): Promise<void>;
}

async function placeOf(
  settings: (aggregator: object, base: string) => Omit<Place, 'base' | 'provider'>,
): Promise<Place> {
  const base = `http://localhost:${await freePort()}`;
  const provider = await startIdentityProvider({ redirectUris: [`${base}/oauth/callback`] });
  return { base, provider, ...settings(settingsFor(base, provider), base) };
}

async function withFileVault(): Promise<Place> {
  return placeOf((aggregator, base) => {
    const { path, at } = makeDirectory({ 'config.yaml': JSON.stringify({ aggregator }) });
    const args = ['--state-path', at('state'), '--port', new URL(base).port];
    return { start: () => servePegboard(path, args), letTimePass: () => Promise.resolve() };
  });
}

async function withRedis(): Promise<Place> {
  const server = await startRedis();
  const redis = clientOf(server);
  return placeOf((aggregator, base) => {
    const { start } = sharedProcesses(server, [], {}, { aggregator, code: LATER });
    return {
      start: () => start('only', ['--port', new URL(base).port]),
      letTimePass: async ({ pid }) => {
        await forgetPeers(redis);
        process.kill(pid, 'SIGUSR2');
      },
    };
  });
}

/** As if their signs of life had expired. */
async function forgetPeers(redis: Redis): Promise<void> {
  const names = await redis.keys('pegboard:"peer":*');
  if (names.length > 0) await redis.del(...names);
}

function refused({ status, body }: TokenAnswer, error = 'invalid_grant'): void {
  expect({ status, error: body['error'] }).deep.equal({ status: 400, error });
}

for (const [name, start] of [
  ['file vault', withFileVault],
  ['Redis', withRedis],
] as const) {
  describe(`e2e: kill -9 during a sign-in, with ${name}`, function () {
    this.timeout(60_000);
    let place: Place;
    let gateway: Pegboard;
    let client: SignInClient;
    before(async function () {
      if (name === 'Redis') needRedis(this);
      place = await start();
    });
    beforeEach(async () => {
      gateway = await ready();
      client = new SignInClient(place.base, await registerAt(place.base));
    });
    const ready = async (): Promise<Pegboard> => {
      const started = await place.start();
      await started.logged('identity provider found');
      return started;
    };
    const killed = async (): Promise<void> => {
      await gateway.kill();
      gateway = await ready();
    };
    const admits = async (token: string): Promise<boolean> => (await client.mcp(token)).status === 200;
    /** Repeats what was cut off. With Redis the client is asked to wait at first, because its process may still live. */
    const repeated = async (request: () => Promise<TokenAnswer>): Promise<TokenAnswer> => {
      const first = await request();
      if (first.status !== 503) return first;
      expect(first.body['error']).equal('temporarily_unavailable');
      expect(Number(first.headers.get('retry-after'))).above(0);
      expect(name).equal('Redis');
      await place.letTimePass(gateway);
      return until(async () => [await request()].find(({ status }) => status !== 503), { what: 'an answer' });
    };
    /** Kills the process while the provider is asked, and starts it again. */
    const killedAtProvider = async (request: () => Promise<unknown>): Promise<void> => {
      const { provider } = place;
      const asked = provider.requests('/token');
      provider.pause('/token');
      const cutOff = request().then(
        () => 'answered',
        () => 'cut off',
      );
      await until(() => provider.requests('/token') > asked, { what: 'the provider is asked' });
      await gateway.kill();
      expect(await cutOff).equal('cut off');
      provider.resume();
      gateway = await ready();
    };

    it('between any two steps loses no sign-in, and nothing is accepted twice', async () => {
      const { base } = place;
      const browser = newBrowser();
      const atCallback = (url: string): boolean => url.startsWith(`${base}/oauth/callback`);
      const atClient = (url: string): boolean => url.startsWith(REDIRECT);

      const returning = await browser.open(client.authorizeUrl(), atCallback);
      await killed();
      const { url } = await browser.open(returning.url, atClient);
      const code = new URL(url).searchParams.get('code') ?? '';
      expect((await browser.request(returning.url)).status, 'the callback again').equal(400);
      await killed();

      const first = tokensOf(await client.redeem(code));
      await killed();
      expect(await admits(first.access)).equal(true);

      await killedAtProvider(() => client.refresh(first.refresh));
      const second = tokensOf(await repeated(() => client.refresh(first.refresh)));
      await killed();
      expect(await admits(second.access)).equal(true);
      const third = tokensOf(await client.refresh(second.refresh));

      expect((await client.post({ token: third.refresh }, {}, '/oauth/revoke')).status).equal(200);
      await killed();
      refused(await client.refresh(third.refresh));
      for (const { access } of [first, second, third]) expect(await admits(access)).equal(false);
    });

    it('while the callback asks the provider leaves the person signed in there: the next attempt works', async () => {
      const browser = newBrowser();
      const atCallback = (url: string): boolean => url.startsWith(`${place.base}/oauth/callback`);
      const { url } = await browser.open(client.authorizeUrl(), atCallback);
      await killedAtProvider(() => browser.request(url));
      expect((await browser.request(url)).status).equal(400);
      const params = await client.redirected({}, browser);
      expect(await admits(tokensOf(await client.redeem(params.get('code') ?? '')).access)).equal(true);
    });

    it('while a refresh is answered leaves one token valid, and the use of any other ends the sign-in', async () => {
      const before = await client.tokens();
      const done = place.provider.refreshes();
      const answer = client.refresh(before.refresh).then(tokensOf, (): undefined => undefined);
      // Without a pause between looks: the kill comes while the vault is written, or a little later.
      while (place.provider.refreshes() === done) await new Promise(setImmediate);
      await gateway.kill();
      gateway = await ready();
      const after = await answer;
      const known: Tokens = after ?? before;
      const next = tokensOf(await repeated(() => client.refresh(known.refresh)));
      expect(await admits(next.access)).equal(true);
      // Within a minute, the token that was rotated last gets an access token alone.
      const last = tokensOf(await repeated(() => client.refresh(next.refresh)));
      refused(await repeated(() => client.refresh(before.refresh)));
      refused(await client.refresh(last.refresh));
      for (const { access } of [next, last]) expect(await admits(access)).equal(false);
    });

    it('after a code was redeemed does not make it good again once its tokens are used', async () => {
      const code = await client.code();
      const first = tokensOf(await client.redeem(code));
      await killed();
      const second = tokensOf(await repeated(() => client.refresh(first.refresh)));
      await until(
        async () => {
          await place.letTimePass(gateway);
          return (await client.redeem(code)).status === 400;
        },
        { what: 'the code is refused' },
      );
      refused(await client.refresh(second.refresh));
      expect(await admits(second.access)).equal(false);
    });
  });
}

describe('e2e: sign-in at two processes over one Redis', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let a: SignInClient;
  let b: SignInClient;
  let redis: RedisServer;
  before(async function () {
    needRedis(this);
    redis = await startRedis();
    const port = await freePort();
    const base = `http://localhost:${port}`;
    provider = await startIdentityProvider({
      redirectUris: [`${base}/oauth/callback`],
      reportsLogouts: true,
    });
    const { start } = sharedProcesses(redis, [], {}, { aggregator: settingsFor(base, provider) });
    const [one, two] = await Promise.all([start('a', ['--port', String(port)]), start('b')]);
    await Promise.all([one, two].map((gateway) => gateway.logged('identity provider found')));
    const clientId = await registerAt(base);
    a = new SignInClient(base, clientId);
    b = new SignInClient(two.url, clientId);
  });

  it('begun at one process continues at the other', async () => {
    const browser = newBrowser();
    const { url } = await browser.open(a.authorizeUrl(), (at) => at.startsWith(`${a.base}/oauth/callback`));
    const { pathname, search } = new URL(url);
    const page = await browser.open(b.base + pathname + search, (at) => at.startsWith(REDIRECT));
    const first = tokensOf(await b.redeem(new URL(page.url).searchParams.get('code') ?? ''));
    expect((await a.mcp(first.access)).status).equal(200);
    const second = tokensOf(await a.refresh(first.refresh));
    expect((await b.mcp(second.access)).status).equal(200);
  });

  it('T32: a code redeemed twenty times at once at both succeeds at most once', async () => {
    const code = await a.code();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? a : b).redeem(code)),
    );
    expect(answers.filter(({ status }) => status === 200).length).at.most(1);
    for (const { status } of answers) expect(status).oneOf([200, 400, 503]);
    refused(await a.redeem(code));
    for (const answer of answers.filter(({ status }) => status === 200))
      refused(await b.refresh(tokensOf(answer).refresh));
  });

  it('T45: a token refreshed at both at once has one successor', async () => {
    const { refresh } = await a.tokens();
    const answers = await Promise.all([a.refresh(refresh), b.refresh(refresh)]);
    const given = answers.filter(({ body }) => body['refresh_token'] !== undefined);
    expect(given.length).at.most(1);
    for (const answer of given) {
      const { body } = await b.refresh(tokensOf(answer).refresh);
      expect(['undefined', 'invalid_grant']).include(String(body['error']));
    }
  });

  it('ended at one process is refused at the other within 5 s', async () => {
    const { access, refresh } = await a.tokens();
    expect((await b.mcp(access)).status).equal(200);
    const begun = performance.now();
    expect((await a.post({ token: refresh }, {}, '/oauth/revoke')).status).equal(200);
    await until(async () => (await b.mcp(access)).status === 401, {
      what: 'the refusal',
      withinMs: REVOKED_MS,
    });
    console.log(
      `      sign-in ended: refused at the other process after ${Math.round(performance.now() - begun)} ms`,
    );
    refused(await b.refresh(refresh));
  });

  it('ended by its person at one process, or by a logout at the provider, is refused at the other within 5 s', async () => {
    const [desk, laptop] = [await a.tokens(), await a.tokens()];
    const client = await mcpClient(b.base, { authorization: `Bearer ${desk.access}` });
    const isRefusedAt = (at: SignInClient, { access }: Tokens): Promise<boolean> =>
      until(async () => (await at.mcp(access)).status === 401, {
        what: 'the refusal',
        withinMs: REVOKED_MS,
      });
    for (const { access } of [desk, laptop])
      for (const at of [a, b]) expect((await at.mcp(access)).status).equal(200);
    const id = laptop.refresh.split('.')[0]!;
    expect(answerIn(await client.callTool('core_auth_sessions', { end: id }))['ended']).deep.equal([id]);
    await isRefusedAt(a, laptop);
    await provider.logOut('alice');
    await isRefusedAt(b, desk);
    refused(await b.refresh(desk.refresh));
  });

  it('an access token revoked at one process is refused at the other within 5 s', async () => {
    const { access, refresh } = await a.tokens();
    expect((await b.mcp(access)).status).equal(200);
    const begun = performance.now();
    expect((await a.post({ token: access }, {}, '/oauth/revoke')).status).equal(200);
    await until(async () => (await b.mcp(access)).status === 401, {
      what: 'the refusal',
      withinMs: REVOKED_MS,
    });
    console.log(
      `      access token: refused at the other process after ${Math.round(performance.now() - begun)} ms`,
    );
    expect((await b.refresh(refresh)).status).equal(200);
  });

  it('continues calls with tokens in use while Redis is frozen; one ended here or unknown is 503', async () => {
    const [used, ended, unknown] = [await a.tokens(), await a.tokens(), await a.tokens()];
    const client = await mcpClient(b.base, { authorization: `Bearer ${used.access}` });
    expect((await b.mcp(ended.access)).status).equal(200);
    const { isError } = await client.callTool('core_service_list');
    expect(isError).not.equal(true);
    redis.signal('SIGSTOP');
    const frozenAt = performance.now();
    const took: number[] = [];
    while (performance.now() - frozenAt < 10_000) {
      const begun = performance.now();
      expect((await client.callTool('core_service_list')).isError).not.equal(true);
      took.push(performance.now() - begun);
    }
    expect((await b.post({ token: ended.access }, {}, '/oauth/revoke')).status).equal(503);
    for (const { access } of [ended, unknown]) expect((await b.mcp(access)).status).equal(503);
    redis.signal('SIGCONT');
    took.sort((one, other) => one - other);
    console.log(
      `      Redis frozen 10 s: ${took.length} calls answered, slowest ${Math.round(took.at(-1) ?? 0)} ms`,
    );
    await until(async () => (await b.mcp(unknown.access)).status === 200, { what: 'Redis is used again' });
  });
});
