import { expect } from 'chai';
import { Registrations } from '../../../../plugins/auth-server/clients/registrations.ts';
import { digest } from '../../../../plugins/kit/secrets/secrets.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import type { Vault } from '../../../../plugins/contracts/vault.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { openVault, testDisk } from '../../vault-file/support.ts';

const DAY_MS = 86_400_000;
const SESSION_MS = 30 * DAY_MS;
const ASKED = {
  name: 'App',
  redirectUris: ['https://app.example/cb'],
  authMethod: 'none',
  origin: 'open',
} as const;

describe('auth-server: registrations', () => {
  let now: number;
  let vault: Vault;
  beforeEach(() => {
    now = 1e12;
    const limits = { maxEntries: 100_000, maxBytes: 1e9, maxValueBytes: 1e6, sweepMs: 1e6 };
    vault = new MemoryVault(
      () => limits,
      () => now,
    );
  });
  const registrationsOf = (sessionMs = SESSION_MS, kept = vault): Registrations =>
    new Registrations(
      () => kept,
      () => sessionMs,
      () => now,
    );

  it('give a public client an id, and find it by that', async () => {
    const registrations = registrationsOf();
    const { client, secret } = await registrations.add(ASKED);
    expect(secret).equal(undefined);
    expect(client.id).match(/^[\w-]{22}$/);
    expect(await registrations.find(client.id)).deep.equal({ ...ASKED, id: client.id });
    expect((await registrations.add(ASKED)).client.id).not.equal(client.id);
    for (const id of ['', 'unknown', 'x'.repeat(10_000)])
      expect(await registrations.find(id)).equal(undefined);
  });

  it('give a confidential client a secret of 256 bits, of which only the digest is kept', async () => {
    const registrations = registrationsOf();
    const { client, secret = '' } = await registrations.add({ ...ASKED, authMethod: 'client_secret_basic' });
    expect(Buffer.from(secret, 'base64url')).length(32);
    expect(client.secretHash).equal(digest(secret));
    expect(await registrations.find(client.id)).deep.equal(client);
    expect(JSON.stringify(await vault.get(`oauth-client:${client.id}`))).not.contain(secret);
  });

  it('expire unless they are used, and a use is written once a day at most', async () => {
    const registrations = registrationsOf();
    const { client } = await registrations.add(ASKED);
    const { client: unused } = await registrations.add(ASKED);
    const stored = (): Promise<unknown> => vault.get(`oauth-client:${client.id}`);
    const first = await stored();
    now += DAY_MS - 1;
    await registrations.find(client.id);
    expect(await stored()).deep.equal(first);
    now += 1;
    await registrations.find(client.id);
    expect(await stored()).not.deep.equal(first);
    now += SESSION_MS;
    expect(await registrations.find(client.id)).deep.equal({ ...ASKED, id: client.id });
    expect(await registrations.find(unused.id)).equal(undefined);
    now += SESSION_MS + DAY_MS;
    expect(await registrations.find(client.id)).equal(undefined);
  });

  it('live longer than refresh tokens, whatever the session lasts', async () => {
    const hourMs = 3_600_000;
    for (const sessionMs of [hourMs, SESSION_MS]) {
      const registrations = registrationsOf(sessionMs);
      const { client } = await registrations.add(ASKED);
      // A refresh token that was issued just before the next renewal was due.
      now += Math.min(DAY_MS, sessionMs / 2) - 1;
      await registrations.find(client.id);
      now += sessionMs;
      expect(await registrations.find(client.id), String(sessionMs)).not.equal(undefined);
    }
  });

  it('do not come back by a use when they are deleted meanwhile', async () => {
    const registrations = registrationsOf();
    const { client } = await registrations.add(ASKED);
    now += DAY_MS;
    const get = vault.get.bind(vault);
    vault.get = async (key) => {
      const found = await get(key);
      await vault.delete(key);
      return found;
    };
    await registrations.find(client.id);
    expect(await get(`oauth-client:${client.id}`)).equal(undefined);
  });

  it('are bounded in length', async () => {
    const long = { ...ASKED, redirectUris: [`https://app.example/${'x'.repeat(1_800)}`] };
    const error: unknown = await registrationsOf()
      .add(long)
      .catch((reason: unknown) => reason);
    expect(error).instanceOf(OAuthError).include({ status: 400, error: 'invalid_client_metadata' });
  });

  it('are 10,000 at most without a token, and stay below 20 MB in the file vault', async function () {
    this.timeout(60_000);
    const disk = testDisk();
    const { vault: file, sealed } = await openVault({ disk, now: () => now });
    const registrations = registrationsOf(SESSION_MS, file);
    // As long as they may be.
    const longest = {
      ...ASKED,
      authMethod: 'client_secret_post',
      redirectUris: [`https://app.example/${'x'.repeat(1_440)}`],
    } as const;
    await Promise.all(
      Array.from({ length: 9_999 }, (_, at) =>
        file.set(`oauth-client:${at}`, {
          ...longest,
          id: 'i'.repeat(22),
          secretHash: 's'.repeat(43),
          renewedAt: now,
        }),
      ),
    );
    await registrations.add(longest);
    expect((await disk.bytes()).length).within(15_000_000, 20_000_000);
    const error: unknown = await registrations.add(ASKED).catch((reason: unknown) => reason);
    expect(error).instanceOf(OAuthError).include({ status: 503, reason: 'registrations-full' });
    const { client } = await registrations.add({ ...ASKED, origin: 'token' });
    expect(await registrations.find(client.id)).not.equal(undefined);
    now += SESSION_MS + 2 * DAY_MS;
    expect((await registrations.add(ASKED)).client.name).equal('App');
    await sealed.close();
  });
});
