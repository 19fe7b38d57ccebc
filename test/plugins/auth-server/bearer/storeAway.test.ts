import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { defer } from '../../../support/cleanup.ts';
import { movableClock } from '../../../support/clock.ts';
import type { MovableClock } from '../../../support/clock.ts';
import { until } from '../../../support/until.ts';

/** The time after which a token in use is looked up again. */
const RECHECK_MS = 4_000;
const GRACE_MS = 30_000;

describe('auth-server: bearer tokens while the store cannot be read', () => {
  let clock: MovableClock;
  beforeEach(() => {
    clock = movableClock();
  });

  /** Lets reads of the store fail until it is back. */
  function storeAway({ vault }: AuthServer): { readonly isBack: () => void; readonly reads: () => number } {
    const get = vault.get.bind(vault);
    let reads = 0;
    vault.get = () => {
      reads += 1;
      return Promise.reject(new GatewayError('STORE_UNREACHABLE', 'Redis does not answer'));
    };
    const isBack = (): void => void (vault.get = get);
    defer(isBack);
    return { isBack, reads: () => reads };
  }
  const statusOf = async (auth: AuthServer, token: string): Promise<number> => (await auth.mcp(token)).status;

  it('are good for the grace if they were valid before, and unknown ones are 503', async () => {
    const auth = await startAuthServer();
    const [known, unknown] = [await auth.tokens(), await auth.tokens()];
    expect(await statusOf(auth, known.access)).equal(200);
    const { isBack } = storeAway(auth);
    clock.later(RECHECK_MS);
    expect(await statusOf(auth, known.access)).equal(200);
    expect(await statusOf(auth, unknown.access)).equal(503);
    clock.later(GRACE_MS - 1_000);
    expect(await statusOf(auth, known.access)).equal(200);
    clock.later(1_000);
    expect(await statusOf(auth, known.access)).equal(503);
    expect(auth.gateway.log.having('stay good for now', 'warn').length).equal(1);
    isBack();
    for (const { access } of [known, unknown]) expect(await statusOf(auth, access)).equal(200);
  });

  it('are not looked up by each call, and are refused once the store says so', async () => {
    const auth = await startAuthServer();
    const { access, refresh } = await auth.tokens();
    expect(await statusOf(auth, access)).equal(200);
    const id = refresh.split('.')[0] ?? '';
    const { isBack, reads } = storeAway(auth);
    clock.later(RECHECK_MS);
    await Promise.all(Array.from({ length: 10 }, () => statusOf(auth, access)));
    const begun = reads();
    for (let call = 0; call < 10; call += 1) expect(await statusOf(auth, access)).equal(200);
    expect(reads() - begun)
      .least(1)
      .most(10);
    // As another process ends it that reaches the store.
    await auth.vault.set(`oauth-signin:${id}`, { id, endedAt: Date.now(), reason: 'revoked' });
    isBack();
    await until(async () => (await statusOf(auth, access)) === 401, { what: 'the refusal' });
  });

  it('are 503 after a revocation here that the store could not take', async () => {
    const auth = await startAuthServer();
    for (const kind of ['access', 'refresh'] as const) {
      const tokens = await auth.tokens();
      expect(await statusOf(auth, tokens.access)).equal(200);
      const { isBack } = storeAway(auth);
      clock.later(RECHECK_MS);
      expect(await statusOf(auth, tokens.access)).equal(200);
      const form = { token: tokens[kind], client_id: 'test-client' };
      expect((await auth.post(form, {}, '/oauth/revoke')).status).equal(503);
      expect(await statusOf(auth, tokens.access), kind).equal(503);
      isBack();
      expect(await statusOf(auth, tokens.access), 'not revoked').equal(200);
    }
  });

  it('are 503 at once with redisGraceMs: 0', async () => {
    const auth = await startAuthServer({ config: { redisGraceMs: 0 } });
    const { access } = await auth.tokens();
    expect(await statusOf(auth, access)).equal(200);
    storeAway(auth);
    clock.later(RECHECK_MS);
    expect(await statusOf(auth, access)).equal(503);
  });
});
