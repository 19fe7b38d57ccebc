import { expect } from 'chai';
import type { InboundRequest } from '../../../../../kernel/index.ts';
import { GrantStore } from '../../../../../plugins/contracts/credentials.ts';
import type { StoredGrant } from '../../../../../plugins/contracts/credentials.ts';
import { personHolder } from '../../../../../plugins/auth-client/grants/record/holderOf.ts';
import { StoredGrants } from '../../../../../plugins/auth-client/grants/credentials/storedGrants.ts';
import { until } from '../../../../support/until.ts';
import { setUp } from '../../guardedGateway.ts';
import { GrantBench, requestOf } from '../grantBench.ts';
import { used } from '../used.ts';

const [ADA, ADA_TOO, BOB] = [requestOf('ada', 's1'), requestOf('ada', 's2'), requestOf('bob', 's3')];

/** Two processes over one vault: callers use the first, operators the second. */
async function bench() {
  const all = await GrantBench.open();
  const [one, two] = [all.process('one'), all.process('two')];
  const [ended, revoked]: [string[], string[]] = [[], []];
  const { grants, secrets, credentials, refresher } = two;
  const store = new StoredGrants({
    grants,
    secrets,
    credentials,
    refresh: (cell, token) => refresher.refresh(cell, token),
    server: (name) => two.servers.find((server) => server.name === name),
    disconnect: (owner, server) => Promise.resolve(void ended.push(`${owner} ${server}`)),
    revoke: (grant) => Promise.resolve(void revoked.push(grant.refreshToken ?? '')),
  });
  for (const request of [ADA, ADA_TOO, BOB]) await one.signIn(request);
  const ownerOf = (request: InboundRequest): string => one.credential(request).owner;
  const idOf = async (request: InboundRequest): Promise<string> => {
    const before = await store.all();
    await one.grants.drop(ownerOf(request), 'notes');
    const left = (await store.all()).map(({ id }) => id);
    await one.signIn(request);
    return before.find(({ id }) => !left.includes(id))?.id ?? '';
  };
  return { all, one, two, store, ended, revoked, ownerOf, idOf };
}

describe('auth-client: stored grants, for operators', () => {
  it('are shown with their state, and without anything secret', async () => {
    const { one, store, ownerOf } = await bench();
    await one.grants.put({ owner: ownerOf(BOB) }, 'gone', (await one.grants.all())[0]!.grant!);
    const shown = await store.all();
    expect(shown.map(({ server, state }) => `${server} ${state}`)).deep.equal([
      'gone valid',
      'notes valid',
      'notes valid',
      'notes valid',
    ]);
    for (const grant of shown) {
      expect(grant).to.have.all.keys('id', 'holder', 'server', 'state', 'since', 'expires', 'nextRefresh');
      expect(grant.holder).match(/^[\w-]{12}$/);
    }
    expect(new Set(shown.map(({ holder }) => holder)).size, 'one per owner').equal(3);
    expect(new Set(shown.map(({ id }) => id)).size).equal(4);
    expect(JSON.stringify(shown))
      .not.match(/access-|refresh-|ada|bob/)
      .and.not.include(ownerOf(BOB));
  });

  it('are refreshed when that is asked for, for all processes; not those that have moved', async () => {
    const { all, one, two, store, idOf } = await bench();
    const id = await idOf(ADA);
    expect(await used(one, ADA)).equal('Bearer access-0');
    expect(await store.refresh(id)).include({ id, state: 'valid' });
    expect(all.endpoint.requests.length).equal(1);
    expect(await used(one, ADA)).equal('Bearer access-1');
    expect(two.news).deep.equal(['refreshed']);
    two.servers = [all.server({}, { url: 'https://elsewhere.example/mcp' })];
    expect(await store.refresh(id)).include({ state: 'lost' });
    expect(all.endpoint.requests.length).equal(1);
    expect(await store.refresh('unknown')).equal(undefined);
  });

  it('say why they could not be refreshed', async () => {
    const { all, store, idOf } = await bench();
    const id = await idOf(ADA);
    all.endpoint.refusal = { status: 503, body: {} };
    const failed = (await store.refresh(id)) as StoredGrant;
    expect(failed.state).equal('expiring');
    expect(failed.reason).include('503');
    await store.refresh(id);
    expect(all.endpoint.requests.length, 'none during the pause').equal(1);
  });

  it('are dropped one by one: their connections end, they are revoked, other processes ask the person again', async () => {
    const { one, two, store, ended, revoked, ownerOf, idOf } = await bench();
    const id = await idOf(ADA);
    expect(await used(one, ADA)).equal('Bearer access-0');
    expect(await store.drop(id)).equal(true);
    expect(ended).deep.equal([`${ownerOf(ADA)} notes`]);
    await until(() => revoked.length === 1);
    expect(two.news).deep.equal(['dropped']);
    expect(await one.facts(ADA)).include({ state: 'none' });
    expect(await one.facts(ADA_TOO)).include({ state: 'valid' });
    expect(await store.drop(id), 'again').equal(false);
    expect(two.news).deep.equal(['dropped']);
  });

  it('are dropped for a server, of which they are counted', async () => {
    const { one, two, store, ended, revoked } = await bench();
    await one.grants.put({ owner: 'local' }, 'other', (await one.grants.all())[0]!.grant!);
    await one.grants.asked({ owner: 'local' }, 'notes', Date.now() + 60_000);
    expect(await store.dropServer('unknown')).equal(0);
    expect(await store.dropServer('notes')).equal(3);
    expect(ended.length, 'that of a link too').equal(4);
    await until(() => revoked.length === 3);
    expect(two.news).deep.equal(['dropped', 'dropped', 'dropped']);
    expect((await store.all()).map(({ server }) => server)).deep.equal(['other']);
  });

  it('end the connection of the caller, who signs in again', async () => {
    const { gateway } = await setUp();
    await gateway.follow(await gateway.link('notes'));
    expect([...gateway.connections]).deep.equal(['local notes']);
    const store = gateway.kernel.registry.all(GrantStore.id)[0] as GrantStore;
    expect(await store.dropServer('notes')).equal(1);
    expect([...gateway.connections]).deep.equal([]);
    expect(await gateway.account('notes')).equal(undefined);
    await gateway.follow(await gateway.link('notes'));
    expect([...gateway.connections]).deep.equal(['local notes']);
  });

  it('are all dropped with the secrets of persons, and connections with such a secret end', async () => {
    const { all, one, two, store, ended } = await bench();
    const forgotten: string[] = [];
    const disconnect = (owner: string): Promise<void> => Promise.resolve(void forgotten.push(owner));
    two.servers = [all.server({ type: undefined, callerSecrets: ['KEY'] }, { disconnect })];
    const place = { owner: personHolder(BOB).owner, server: 'notes' };
    const { url } = all.server();
    await one.secrets.put(place, 'KEY', { url, value: 'a secret' });
    await two.secrets.read(place);
    expect(two.secrets.known(place, url)).deep.equal({ KEY: 'a secret' });
    const { owner } = two.credential(BOB);
    expect(await store.dropAll()).equal(4);
    expect(ended.length).equal(3);
    expect(forgotten).deep.equal([owner]);
    for (const process of [one, two]) {
      await process.secrets.read(place);
      expect(process.secrets.known(place, url)).deep.equal({});
    }
    expect(await store.all()).deep.equal([]);
    expect(await all.vault.list('')).deep.equal([]);
    expect(await store.dropAll()).equal(0);
  });
});
