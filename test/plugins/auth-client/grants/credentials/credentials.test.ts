import { expect } from 'chai';
import { refusalOf } from '../../../../support/kernel.ts';
import { gate } from '../../../../support/until.ts';
import { GrantBench, requestOf } from '../grantBench.ts';
import { used } from '../used.ts';

const TOKEN = 'personal-token';

describe("auth-client: callers' credentials", () => {
  it('are one object for each owner and server, as long as the rules of the definition stay', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    const ada = requestOf('ada', 's1');
    const first = process.credential(ada);
    expect(process.credential(requestOf('ada', 's1'))).equal(first);
    expect(process.credential(requestOf('ada', 's2'))).not.equal(first);
    expect(process.credential(requestOf('bob', 's1'))).not.equal(first);
    process.servers = [bench.server({ callerSecrets: ['key'] })];
    expect(process.credential(ada)).not.equal(first);
  });

  it('have the same headers object until the token changes', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    const credential = process.credential();
    await credential.prepare();
    const { headers } = credential;
    expect(credential.headers).equal(headers);
    await credential.refused({ status: 401, challenges: [], headers });
    expect(credential.headers).not.equal(headers);
    expect(headers).deep.equal({ authorization: 'Bearer access-0' });
  });

  it('belong to the session, to the person with grantScope subject, or to the local user', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    const ownerOf = (subject?: string, sid?: string): string =>
      process.credential(requestOf(subject, sid)).owner;
    expect(ownerOf()).equal('local');
    expect(ownerOf('ada', 's1')).equal(ownerOf('ada', 's1')).and.not.equal(ownerOf('ada', 's2'));
    expect(ownerOf('ada')).equal(ownerOf('ada')).and.not.equal(ownerOf('bob'));
    expect(ownerOf('ada', 's1')).match(/^[\w-]{43}\.[\w-]{43}$/);
    process.servers = [bench.server({ grantScope: 'subject' })];
    expect(ownerOf('ada', 's1')).equal(ownerOf('ada', 's2')).and.not.equal(ownerOf('bob', 's1'));
  });

  it('of a person are sent for that person only', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn(requestOf('ada', 's'));
    expect(await used(process, requestOf('ada', 's'))).equal('Bearer access-0');
    for (const other of [requestOf('bob', 's'), requestOf('ada', 't'), requestOf()])
      expect((await refusalOf(() => used(process, other))).code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(process.events[0]).include({ owner: JSON.stringify(['https://idp', 'ada']) });
  });

  it('that can be used without a sign-in are found after a restart', async () => {
    const bench = await GrantBench.open();
    const ada = requestOf('ada', 's');
    await bench.process('one').signIn(ada);
    const process = bench.process('two');
    process.servers = [bench.server(), bench.server({}, { name: 'other' }), bench.server({ type: 'none' })];
    expect((await process.credentials.usable(ada)).map(({ server }) => server)).deep.equal(['notes']);
    expect(await process.credentials.usable(requestOf('bob', 's'))).deep.equal([]);
  });

  it('can be had by a sign-in at a remote server whose definition says nothing about it', async () => {
    const bench = await GrantBench.open();
    const { credentials } = bench.process();
    expect(credentials.canSignIn(bench.server({ type: undefined }))).equal(true);
    expect(credentials.canSignIn(bench.server({ type: undefined }, { url: '' }))).equal(false);
    expect(credentials.canSignIn(bench.server({ type: 'none' }))).equal(false);
    expect(credentials.canSignIn(bench.server({ type: undefined, callerSecrets: ['key'] }))).equal(false);
  });

  it('never show a token in log and events', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    const credential = process.credential();
    const { headers } = credential;
    await credential.refused({ status: 401, challenges: [], headers });
    await credential.refused({ status: 401, challenges: [], headers: credential.headers });
    await process.grants.drop('local', 'notes');
    const shown = JSON.stringify([process.log.records, process.events, credential.fault.message]);
    expect(process.news).deep.equal(['granted', 'refreshed', 'lost', 'dropped']);
    expect(shown).not.match(/access-\d|refresh-\d/);
  });

  describe('with secrets that a person enters', () => {
    const local = { owner: 'local', server: 'notes' };
    const withSecrets = async () => {
      const bench = await GrantBench.open();
      const process = bench.process();
      const server = bench.server({ type: undefined, callerSecrets: ['github', 'jira'] });
      process.servers = [server];
      const enter = (name: string, value = TOKEN): Promise<void> =>
        process.secrets.put(local, name, { value, url: server.url });
      return { bench, process, server, enter };
    };

    it('name the missing ones, then give their values', async () => {
      const { process, enter } = await withSecrets();
      const { code, message } = await refusalOf(() => used(process));
      expect(code).equal('UPSTREAM_AUTH_REQUIRED');
      expect(message).include('it needs your secrets github, jira').and.include('core_auth_login');
      await enter('github');
      expect((await refusalOf(() => used(process))).message).include('it needs your secret jira');
      await enter('jira', 'other');
      const credential = process.credential();
      await credential.prepare();
      expect(credential.values).deep.equal({ github: TOKEN, jira: 'other' });
      expect(credential.secrets).deep.equal([TOKEN, 'other']);
      expect(credential.headers).deep.equal({});
      expect(credential.prepare()).equal(undefined);
    });

    it('that the server refuses are not sent again until others are entered', async () => {
      const { process, enter } = await withSecrets();
      await enter('github');
      await enter('jira');
      const credential = process.credential();
      await credential.prepare();
      expect(await credential.refused({ status: 401, challenges: [], headers: {} })).equal(false);
      expect((await refusalOf(() => used(process))).message).include('it refuses your secret');
      await enter('jira', 'right');
      await credential.prepare();
      expect(credential.values).include({ jira: 'right' });
    });

    it('are for that server at that url only', async () => {
      const { bench, process, server, enter } = await withSecrets();
      await enter('github');
      await enter('jira');
      await used(process);
      process.servers = [{ ...server, name: 'evil' }];
      await refusalOf(() => used(process));
      process.servers = [{ ...server, url: `${bench.endpoint.server.url}/evil` }];
      await refusalOf(() => used(process));
      expect(process.credential().values).deep.equal({});
      process.servers = [server];
      await used(process);
      expect(process.credential().values).include({ github: TOKEN });
    });

    it('are read again after messages of another process may have been missed, and followers are told', async () => {
      const { bench, process, server, enter } = await withSecrets();
      await enter('github');
      await enter('jira');
      await used(process);
      const told: unknown[] = [];
      process.credentials.follow((owner) => told.push(owner));
      process.secrets.follow((name) => told.push(name));
      const other = bench.process('two');
      other.servers = [server];
      bench.bus.isDeaf = true;
      await other.secrets.put(local, 'github', { value: 'newer', url: server.url });
      expect(process.credential().values).include({ github: TOKEN });
      bench.bus.gap();
      expect(told).include('notes').and.include(undefined);
      await used(process);
      expect(process.credential().values).include({ github: 'newer' });
      await other.secrets.drop(local);
      bench.bus.gap();
      expect((await refusalOf(() => used(process))).message).include('it needs your secrets github, jira');
    });

    for (const [what, happen] of [
      ['messages may have been missed', (bench: GrantBench) => bench.bus.gap()],
      ['another process has said that they changed', () => undefined],
    ] as const)
      it(`are not those of a reading that had begun before ${what}`, async () => {
        const { bench, server, enter } = await withSecrets();
        await enter('github');
        await enter('jira');
        const reading = gate();
        const read = bench.vault.list.bind(bench.vault);
        bench.vault.list = async (prefix) => {
          const keys = await read(prefix);
          await reading.opened;
          return keys;
        };
        const late = bench.process('late');
        late.servers = [server];
        const asked = late.credential();
        const waiting = asked.isUsable();
        const other = bench.process('two');
        bench.bus.isDeaf = what === 'messages may have been missed';
        bench.vault.list = read;
        await other.secrets.put(local, 'notes-only', { value: 'x', url: server.url });
        happen(bench);
        reading.open();
        await waiting;
        await asked.prepare();
        expect(late.secrets.known(local, server.url)).have.property('notes-only');
      });

    it('are dropped together', async () => {
      const { process, enter } = await withSecrets();
      await enter('github');
      await enter('jira');
      await used(process);
      const changes: (string | undefined)[] = [];
      process.credentials.follow((owner) => changes.push(owner));
      expect(await process.secrets.drop(local)).equal(true);
      expect(changes).deep.equal([undefined]);
      await refusalOf(() => used(process));
      expect(await process.secrets.drop(local)).equal(false);
      expect(changes, 'of what was there').deep.equal([undefined]);
    });

    it('belong to the person, in all sessions', async () => {
      const { process, server } = await withSecrets();
      const { owner } = process.credential(requestOf('ada'));
      for (const name of ['github', 'jira'])
        await process.secrets.put({ owner, server: 'notes' }, name, { value: TOKEN, url: server.url });
      for (const sid of ['s1', 's2']) await process.credential(requestOf('ada', sid)).prepare();
      await refusalOf(() => used(process, requestOf('bob', 's1')));
    });
  });
});
