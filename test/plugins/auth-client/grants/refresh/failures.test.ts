import { expect } from 'chai';
import { movableClock } from '../../../../support/clock.ts';
import { refusalOf } from '../../../../support/kernel.ts';
import { until } from '../../../../support/until.ts';
import { GrantBench, requestOf } from '../grantBench.ts';
import type { GrantProcess } from '../grantBench.ts';
import { used } from '../used.ts';

const HOUR_MS = 3_600_000;
const SIGN_IN_AGAIN = 'call core_auth_login with {"server": "notes"} through call_tool';

describe('auth-client: grants that fail', () => {
  let bench: GrantBench;
  let process: GrantProcess;
  let later: (ms: number) => void;
  beforeEach(async () => {
    ({ later } = movableClock());
    bench = await GrantBench.open();
    process = bench.process();
    await process.signIn();
  });

  for (const [what, error, reason, cause] of [
    ['was revoked', 'invalid_grant', 'has ended the grant', 'revoked'],
    ['belongs to a client that is not known any more', 'invalid_client', 'as a client', 'client-unknown'],
    ['cannot be refreshed by this client', 'invalid_scope', 'refuses to give new tokens', 'not-refreshable'],
  ] as const)
    it(`is lost if it ${what}: one log line, no more requests, and the person is asked`, async () => {
      bench.endpoint.refusal = { status: 400, body: { error } };
      later(2 * HOUR_MS);
      for (let times = 0; times < 3; times += 1) {
        const { code, message } = await refusalOf(() => used(process));
        expect(code).equal('UPSTREAM_AUTH_REQUIRED');
        expect(message).include(reason).and.include(SIGN_IN_AGAIN);
      }
      expect(bench.endpoint.requests.length).equal(1);
      expect(process.log.having('', 'warn').map(({ text }) => text)).deep.equal(['a grant is lost']);
      expect(process.events.at(-1)).include({ type: 'grant.lost', loss: cause, state: 'lost' });
      expect(await process.facts()).include({ state: 'lost', cure: SIGN_IN_AGAIN });
      bench.endpoint.refusal = undefined;
      await process.signIn();
      expect(await used(process)).equal('Bearer access-0');
    });

  it('says when it may be tried again while the authorization server is away, and no more after that', async () => {
    bench.endpoint.refusal = { status: 503, body: {} };
    expect(process.credential(requestOf()).retryAt).equal(undefined);
    later(2 * HOUR_MS);
    await refusalOf(() => used(process));
    expect(process.credential(requestOf()).retryAt).within(Date.now() + 4_000, Date.now() + 10_000);
    bench.endpoint.refusal = undefined;
    later(10_000);
    await used(process);
    expect(process.credential(requestOf()).retryAt).equal(undefined);
  });

  it('tells whose registration is lost', async () => {
    const client = { id: 'by-registration', authMethod: 'none', isRegistered: true } as const;
    await process.signIn(undefined, { client });
    bench.endpoint.refusal = { status: 401, body: { error: 'invalid_client' } };
    later(2 * HOUR_MS);
    await refusalOf(() => used(process));
    expect(process.lostClients.map(({ client: { id } }) => id)).deep.equal(['by-registration']);
  });

  it('is lost if the answer with the next refresh token was lost, with that reason', async () => {
    bench.endpoint.losesAnswers = true;
    later(2 * HOUR_MS);
    expect((await refusalOf(() => used(process))).code).equal('UPSTREAM_UNREACHABLE');
    expect(await process.facts()).include({ state: 'expiring' });
    bench.endpoint.losesAnswers = false;
    later(10_000);
    expect((await refusalOf(() => used(process))).message).include('was lost on the way');
    expect(process.events.at(-1)).include({ loss: 'answer-lost' });
  });

  it('survives a lost answer if the authorization server accepts the refresh token again', async () => {
    bench.endpoint.losesAnswers = true;
    later(2 * HOUR_MS);
    await refusalOf(() => used(process));
    Object.assign(bench.endpoint, { losesAnswers: false, isLenient: true });
    later(10_000);
    expect(await used(process)).equal('Bearer access-2');
    expect(await process.facts()).include({ state: 'valid' });
  });

  for (const [what, break_] of [
    ['answers 503', () => bench.endpoint.server.fail(503)],
    ['answers 429', () => bench.endpoint.server.fail(429)],
    ['has moved (404)', () => bench.endpoint.server.fail(404)],
    ['answers a page', () => (bench.endpoint.refusal = { status: 200, body: '<html>' })],
    ['answers 10 MB', () => (bench.endpoint.refusal = { status: 200, body: ' '.repeat(1e7) })],
  ] as const)
    it(`is kept while the authorization server ${what}, and asked for again later`, async () => {
      break_();
      later(2 * HOUR_MS);
      const before = (): number => bench.endpoint.server.requests('/token');
      for (let times = 0; times < 3; times += 1) {
        const { code, message, details } = await refusalOf(() => used(process));
        expect(code).equal('UPSTREAM_UNREACHABLE');
        expect(message).not.include('sign in');
        expect(details.retryAfter).within(1, 7);
      }
      expect(before()).equal(1);
      expect(await process.facts()).include({ state: 'expiring' });
      expect(process.news).deep.equal(['granted', 'expiring']);
      later(10_000);
      await refusalOf(() => used(process));
      expect(before()).equal(2);
      expect(process.news).deep.equal(['granted', 'expiring']);
      bench.endpoint.server.resume();
      bench.endpoint.refusal = undefined;
      later(20_000);
      expect(await used(process)).equal('Bearer access-1');
      expect(await process.facts()).include({ state: 'valid' });
    });

  it('uses a token to its end while it cannot be refreshed', async () => {
    bench.endpoint.server.fail(503);
    later(HOUR_MS - 20_000);
    expect(await used(process)).equal('Bearer access-0');
    expect(await process.facts()).include({ state: 'expiring' });
  });

  it('is kept if its scope shrinks', async () => {
    await process.signIn(undefined, { scope: 'read write' });
    bench.endpoint.more = { scope: 'read' };
    later(2 * HOUR_MS);
    expect(await used(process)).equal('Bearer access-1');
    expect(await process.facts()).include({ state: 'valid', scope: 'read' });
  });

  it('is lost if its tokens are of another type', async () => {
    bench.endpoint.more = { token_type: 'DPoP' };
    later(2 * HOUR_MS);
    expect((await refusalOf(() => used(process))).message).include('not Bearer');
    expect(process.credential().headers).deep.equal({});
  });

  for (const life of [0, -5, '0', 'soon', true, {}])
    describe(`whose tokens have the lifetime ${JSON.stringify(life)}`, () => {
      const refuse = (): Promise<boolean> => {
        const credential = process.credential();
        return credential.refused({ status: 401, challenges: [], headers: credential.headers });
      };
      beforeEach(async () => {
        bench.endpoint.more = { expires_in: life };
        await used(process);
        expect(await refuse()).equal(true);
      });

      it('are used until the server refuses one', async () => {
        for (let times = 0; times < 3; times += 1) expect(await used(process)).equal('Bearer access-1');
        expect(await process.facts())
          .include({ state: 'valid' })
          .and.not.have.property('expires');
        expect(bench.endpoint.requests.length).equal(1);
      });

      it('are lost with that cause, for the person and in the log, if the server refuses a fresh one', async () => {
        expect(await refuse()).equal(false);
        const cause = 'expires_in is not a number above 0';
        expect((await refusalOf(() => used(process))).message).include(cause);
        expect((await process.facts()).reason).include(cause);
        expect(process.log.having('a grant is lost', 'warn')[0]?.data['reason']).include(cause);
        expect(process.events.at(-1)).include({ type: 'grant.lost', loss: 'no-lifetime' });
      });

      it('are no longer blamed for it once an answer has a lifetime', async () => {
        later(120_000);
        bench.endpoint.more = { expires_in: 3_600 };
        expect(await refuse()).equal(true);
        expect(await refuse()).equal(false);
        expect(process.events.at(-1)).include({ loss: 'refused' });
      });
    });

  for (const [what, server] of [
    ['url', () => bench.server({}, { url: `${bench.endpoint.server.url}/other` })],
    ['issuer', () => bench.server({ authorizationServer: pinned('https://login.example') })],
  ] as const)
    it(`is lost, and never sent, if the definition has another ${what}`, async () => {
      process.servers = [server()];
      expect(process.credential().headers).deep.equal({});
      expect((await refusalOf(() => used(process))).message).include('the server has moved');
      expect(process.events.at(-1)).include({ type: 'grant.lost', loss: 'moved' });
      expect(bench.endpoint.requests).deep.equal([]);
    });

  it('fits a definition that pins its issuer', async () => {
    process.servers = [bench.server({ authorizationServer: pinned(`${bench.endpoint.server.url}/`) })];
    expect(await used(process)).equal('Bearer access-0');
  });

  it('is lost at its end if it has no refresh token, which its state says before', async () => {
    await process.signIn(undefined, { refreshToken: undefined });
    later(HOUR_MS - 60_000);
    expect(await process.facts()).include({ state: 'expiring', cure: SIGN_IN_AGAIN });
    expect(await used(process)).equal('Bearer access-0');
    later(60_000);
    expect(await process.facts()).include({ state: 'lost' });
    expect((await refusalOf(() => used(process))).message).include('gave no refresh token');
  });

  it('is refreshed once if a process whose clock is five minutes late takes it over', async () => {
    bench.endpoint.expiresIn = 60;
    later(-300_000);
    await process.signIn();
    later(300_000);
    for (let times = 0; times < 3; times += 1) expect(await used(process)).equal('Bearer access-1');
  });

  it('is refreshed after a 401 if the clock of the process that has it is five minutes late', async () => {
    bench.endpoint.expiresIn = 60;
    later(300_000);
    await process.signIn();
    later(-300_000 + 61_000);
    const credential = process.credential();
    expect(await used(process)).equal('Bearer access-0');
    const refusal = { status: 401, challenges: [], headers: credential.headers } as const;
    expect(await credential.refused(refusal)).equal(true);
    for (let times = 0; times < 3; times += 1) expect(await used(process)).equal('Bearer access-1');
  });

  describe('while the vault is away', () => {
    it('are used as they are known', async () => {
      await used(process);
      bench.isAway = true;
      expect(await used(process)).equal('Bearer access-0');
    });

    it('are not known to a process that has not read them, which asks no person', async () => {
      bench.isAway = true;
      const { code, message } = await refusalOf(() => used(bench.process('two')));
      expect(code).equal('STORE_UNREACHABLE');
      expect(message).not.include('sign in');
    });

    it('are not refreshed, because another process could do the same', async () => {
      bench.isAway = true;
      later(2 * HOUR_MS);
      expect((await refusalOf(() => used(process))).code).equal('STORE_UNREACHABLE');
      expect(bench.endpoint.requests).deep.equal([]);
      bench.isAway = false;
      expect(await used(process)).equal('Bearer access-1');
    });

    it('ask no person after a 401 either', async () => {
      const credential = process.credential();
      bench.isAway = true;
      const refusal = { status: 401, challenges: [], headers: credential.headers } as const;
      expect(await credential.refused(refusal)).equal(false);
      expect(credential.fault.code).equal('STORE_UNREACHABLE');
    });

    it('keep the tokens that were issued meanwhile, and store them later', async () => {
      bench.endpoint.server.pause();
      later(2 * HOUR_MS);
      const waiting = used(process);
      await untilAsked(bench);
      bench.isAway = true;
      bench.endpoint.server.resume();
      expect(await waiting).equal('Bearer access-1');
      expect(await used(process)).equal('Bearer access-1');
      bench.isAway = false;
      await process.log.heard('a grant was refreshed');
      expect(await used(bench.process('two'))).equal('Bearer access-1');
      expect(bench.endpoint.requests.length).equal(1);
    });
  });
});

function pinned(issuer: string) {
  return {
    issuer,
    scopes: undefined,
    grantScope: 'session' as const,
    clientId: undefined,
    clientSecret: undefined,
  };
}

function untilAsked(bench: GrantBench): Promise<unknown> {
  return until(() => bench.endpoint.server.requests('/token') > 0, { what: 'a token request' });
}
