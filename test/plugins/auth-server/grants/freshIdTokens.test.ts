import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { Caller, Capability, Scope } from '../../../../kernel/index.ts';
import { FreshIdTokens } from '../../../../plugins/auth-server/grants/freshIdTokens.ts';
import { ProviderAhead } from '../../../../plugins/auth-server/grants/providerAhead.ts';
import { ProviderTurns } from '../../../../plugins/auth-server/grants/providerTurns.ts';
import { AccessTokens } from '../../../../plugins/auth-server/state/accessTokens.ts';
import { Attempts } from '../../../../plugins/auth-server/state/attempts.ts';
import type { Identity } from '../../../../plugins/auth-server/provider/identityProvider.ts';
import type { SignIn } from '../../../../plugins/auth-server/state/signIn.ts';
import { SignIns } from '../../../../plugins/auth-server/state/signIns.ts';
import { Vault } from '../../../../plugins/contracts/vault.ts';
import { Peers } from '../../../../plugins/contracts/processes.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { captureLog } from '../../../support/log.ts';

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
    const values = new Map<string, unknown>([
      [Vault.id, vault],
      [Peers.id, { own, isAlive: (id: string) => Promise.resolve(alive.has(id)) } satisfies Peers],
    ]);
    const scope = {
      get: ({ id }: Capability<unknown>) => values.get(id),
      find: ({ id }: Capability<unknown>) => values.get(id),
      all: ({ id }: Capability<unknown>) => (values.has(id) ? [values.get(id)] : []),
      each: () => undefined,
    } as unknown as Scope<unknown>;
    const signIns = new SignIns(scope, { ended: () => undefined, changed: () => undefined }, () => undefined);
    const attempts = new Attempts(scope);
    const accessTokens = new AccessTokens(scope, signIns, () => 'http://localhost:1');
    const turns = new ProviderTurns(signIns, attempts, provider);
    const ahead = new ProviderAhead(
      { signIns, attempts, accessTokens, changed: () => undefined, log: captureLog() },
      turns,
    );
    return { signIns, fresh: new FreshIdTokens(signIns, ahead) };
  }
  async function start(seconds: number) {
    const bounds = { maxEntries: 1_000, maxBytes: 1e6, maxValueBytes: 1e5, sweepMs: 1e6 };
    const vault = new MemoryVault(() => bounds);
    const provider = new Provider();
    const [first, second] = [processOver(vault, provider), processOver(vault, provider)];
    const signIn: SignIn = {
      id: 'one',
      clientId: 'client',
      person: { subject: 'alice', issuer: 'https://login.example', groups: [] },
      scope: 'openid',
      provider: { idToken: await idToken(seconds), accessToken: 'a', refreshToken: 'r' },
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
