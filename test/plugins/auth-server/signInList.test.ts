import { expect } from 'chai';
import { SignInList } from '../../../plugins/contracts/oauth.ts';
import type { ListedSignIn } from '../../../plugins/contracts/oauth.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';

const WITH_FILE = ['http', 'front', 'transport-http', 'metatools', 'toolsets', 'vault-file', 'auth-server'];

function listOf({ gateway }: AuthServer): SignInList {
  return gateway.kernel.registry.get(SignInList.id) as SignInList;
}
/** Signs that person in. @returns the id of the new sign-in, and its tokens */
async function signInAs(auth: AuthServer, subject: string) {
  auth.provider.loginAs(subject);
  const tokens = await auth.tokens();
  return { id: tokens.refresh.split('.')[0]!, ...tokens };
}

describe('auth-server: the list of sign-ins', () => {
  it('says who signed in with which client, since when, when it was used last and from where, and has no secret', async () => {
    const clock = movableClock();
    const auth = await startAuthServer();
    const { id, access, refresh } = await signInAs(auth, 'alice');
    const alice = { issuer: auth.provider.url, subject: 'alice' };
    const [begun] = await listOf(auth).of(alice);
    expect(begun).include({ id, ...alice, person: 'alice@example.com', address: '127.0.0.1' });
    expect(begun).include({ clientId: 'test-client', clientName: 'Test client', lastUsed: begun?.since });
    clock.later(60_000);
    const next = tokensOf(await auth.refresh(refresh));
    const [used] = await listOf(auth).of(alice);
    expect(used).include({ id, since: begun?.since });
    const msOf = (time: keyof ListedSignIn): number =>
      Date.parse(String(used?.[time])) - Date.parse(String(begun?.[time]));
    expect([msOf('lastUsed'), msOf('expires')].every((ms) => ms >= 60_000 && ms < 90_000)).equal(true);
    const text = JSON.stringify(used);
    for (const secret of [access, refresh, next.access, next.refresh]) expect(text).not.include(secret);
    expect(text).not.include('ey').and.not.include('tagKey');
  });

  it('has those of a person or of all people, the one used last first, without ended ones', async () => {
    const clock = movableClock();
    const auth = await startAuthServer();
    const ids: string[] = [];
    for (const subject of ['alice', 'bob', 'alice', 'alice']) {
      ids.push((await signInAs(auth, subject)).id);
      clock.later(1_000);
    }
    const idsOf = async (subject?: string): Promise<readonly (string | undefined)[]> => {
      const found = await listOf(auth).of(subject === undefined ? undefined : { issuer, subject });
      return found.map(({ id }) => id);
    };
    const issuer = auth.provider.url;
    expect(await idsOf('alice')).deep.equal([ids[3], ids[2], ids[0]]);
    expect(await listOf(auth).end(ids[2]!)).equal(true);
    expect(await listOf(auth).end(ids[2]!), 'again').equal(false);
    expect(await idsOf('alice')).deep.equal([ids[3], ids[0]]);
    expect(await idsOf()).deep.equal([ids[3], ids[1], ids[0]]);
    expect(await listOf(auth).of({ issuer: 'https://other.example', subject: 'alice' })).deep.equal([]);
  });

  it('reads what an older version has written, from a vault of files', async () => {
    const auth = await startAuthServer({
      builtIns: WITH_FILE,
      settings: { plugins: { 'vault-file': {}, 'vault-memory': false } },
    });
    const { id } = await signInAs(auth, 'alice');
    const key = `oauth-signin:${id}`;
    const { address, clientName, ...older } = (await auth.vault.get(key)) as Record<string, unknown>;
    expect([address, clientName]).deep.equal(['127.0.0.1', 'Test client']);
    await auth.vault.set(key, older, 60);
    const [listed] = await listOf(auth).of(undefined);
    expect(listed).include({ id, subject: 'alice', lastUsed: listed?.since });
    expect(listed).not.have.any.keys('address', 'clientName');
  });
});

describe('auth-server: a sign-out with several clients', () => {
  it("leaves the person's other sign-ins alive, and revokes the token of the last one only at the provider", async () => {
    const auth = await startAuthServer({ provider: { revokesAll: true } });
    const signOut = ({ refresh }: { readonly refresh: string }) =>
      auth.post({ token: refresh, client_id: auth.clientId }, {}, '/oauth/revoke');
    const [laptop, phone, bob] = [
      await signInAs(auth, 'alice'),
      await signInAs(auth, 'alice'),
      await signInAs(auth, 'bob'),
    ];
    await signOut(laptop);
    const next = tokensOf(await auth.refresh(phone.refresh));
    expect(auth.provider.revocations()).equal(0);
    await signOut(next);
    await until(() => auth.provider.revocations() === 1, { what: 'a revocation at the provider' });
    expect((await auth.refresh(bob.refresh)).status).equal(200);
  });
});
