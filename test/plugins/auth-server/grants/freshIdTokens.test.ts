import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { Caller } from '../../../../kernel/index.ts';
import { FreshIdTokens } from '../../../../plugins/auth-server/grants/freshIdTokens.ts';
import { TokenSetRefresh } from '../../../../plugins/auth-server/grants/tokenSetRefresh.ts';
import { Attempts } from '../../../../plugins/auth-server/state/attempts.ts';
import type { Identity, SignIn } from '../../../../plugins/auth-server/state/signIn.ts';
import { SignIns } from '../../../../plugins/auth-server/state/signIns.ts';
import { TokenSets } from '../../../../plugins/auth-server/state/tokenSets.ts';
import type { Vault } from '../../../../plugins/contracts/vault.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { processScope } from '../../../support/processScope.ts';

const CALLER: Caller = { subject: 'alice', issuer: 'https://login.example', claims: { sid: 'one' } };
/** An id_token with a life of ten minutes. @param seconds that are left of it */
function idToken(seconds: number): Promise<string> {
  const end = Math.floor(Date.now() / 1_000) + seconds;
  const token = new SignJWT({ jti: randomUUID() }).setProtectedHeader({ alg: 'HS256' });
  return token
    .setIssuedAt(end - 600)
    .setExpirationTime(end)
    .sign(new Uint8Array(32));
}

/** A provider that counts, and answers when the test lets it. */
class Provider {
  asked = 0;
  hasIdToken = true;
  answer: Promise<void> = Promise.resolve();
  readonly refresh = async ({ person, provider }: Identity): Promise<Identity> => {
    this.asked += 1;
    await this.answer;
    return { person, provider: { ...provider, ...(this.hasIdToken && { idToken: await idToken(600) }) } };
  };
}

describe('FreshIdTokens', () => {
  const alive = new Set<string>();
  /** One of the processes over a vault. */
  function processOver(vault: Vault, provider: Provider) {
    const own = randomUUID();
    alive.add(own);
    const scope = processScope(vault, { own, isAlive: (id) => Promise.resolve(alive.has(id)) });
    const nothing = () => Promise.resolve(undefined);
    const tokenSets = new TokenSets(scope, () => 'pegboard', nothing);
    const listener = { ended: () => undefined, changed: () => undefined };
    const signIns = new SignIns(scope, tokenSets, listener, () => undefined);
    const refresh = new TokenSetRefresh(tokenSets, new Attempts(scope), provider, () => 1_000, nothing);
    return { signIns, tokenSets, fresh: new FreshIdTokens(signIns, refresh) };
  }
  async function start(seconds: number) {
    const bounds = { maxEntries: 1_000, maxBytes: 1e6, maxValueBytes: 1e5, sweepMs: 1e6 };
    const vault = new MemoryVault(() => bounds);
    const provider = new Provider();
    const [first, second] = [processOver(vault, provider), processOver(vault, provider)];
    const person = { subject: 'alice', issuer: 'https://login.example', groups: [] };
    const identity = {
      person,
      provider: { idToken: await idToken(seconds), accessToken: 'a', refreshToken: 'r' },
    };
    const signIn: SignIn = {
      ...identity,
      ...(await first.tokenSets.put(identity, { signIn: 'one', until: Date.now() + 3_600_000 })),
      id: 'one',
      clientId: 'client',
      scope: 'openid',
      signedInAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
      current: '',
      tagKey: '',
    };
    await first.signIns.create(signIn);
    return { provider, first, second, former: signIn.provider.idToken };
  }

  it('asks the provider once for 50 calls at two processes, of which all get the new token', async () => {
    const { provider, first, second, former } = await start(-5);
    const asked = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? first : second).fresh.of(CALLER));
    const tokens = new Set(await Promise.all(asked));
    expect(tokens.size).equal(1);
    expect([...tokens][0])
      .match(/^ey/)
      .not.equal(former);
    expect(provider.asked).equal(1);
  });

  it('waits for no other process while the former token is still good', async () => {
    const { provider, first, second, former } = await start(10);
    let finish: () => void = () => undefined;
    provider.answer = new Promise((resolve) => (finish = resolve));
    const slow = first.fresh.of(CALLER);
    expect([await second.fresh.of(CALLER)]).deep.equal([former]);
    expect(provider.asked).equal(1);
    finish();
    expect(await slow)
      .match(/^ey/)
      .not.equal(former);
  });

  it('asks a provider that issues no new id_token once in a minute, and hands on none that has ended', async () => {
    const { provider, first } = await start(-5);
    provider.hasIdToken = false;
    expect(await first.fresh.of(CALLER)).equal(undefined);
    expect(await first.fresh.of(CALLER)).equal(undefined);
    expect(provider.asked).equal(1);
  });
});
