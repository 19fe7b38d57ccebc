import { expect } from 'chai';
import { GrantBench, requestOf } from '../grantBench.ts';

describe('auth-client: the statuses of sign-ins', () => {
  it('say auth_required with the tool that helps, then connected', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    expect(await process.statuses.of('notes', requestOf())).deep.equal({
      status: 'auth_required',
      authTool: 'core_auth_login',
      grant: { state: 'none' },
    });
    await process.signIn();
    const status = await process.statuses.of('notes', requestOf());
    expect(status).include({ status: 'connected' }).and.not.have.property('authTool');
    expect(status?.grant).include({ state: 'valid', scope: 'read', issuer: bench.endpoint.server.url });
    expect(await process.statuses.of('notes', requestOf('ada', 's'))).include({ status: 'auth_required' });
  });

  it('say that a link was given out, until it is of no use', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.grants.asked({ owner: 'local' }, 'notes', Date.now() + 600_000);
    const { state, cure } = await process.facts();
    expect(state).equal('asked');
    expect(cure).include('open the link').and.include('core_auth_login');
    await process.grants.asked({ owner: 'local' }, 'notes', Date.now());
    expect(await process.facts()).include({ state: 'none' });
  });

  it('are disconnected for a server that is stopped, whose grant is kept', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    process.servers = [bench.server({}, { isSuspended: true })];
    const status = await process.statuses.of('notes', requestOf());
    expect(status).include({ status: 'disconnected' });
    expect(status?.grant).include({ state: 'valid' });
  });

  it('have the pinned issuer and its scopes before the first sign-in', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    const authorizationServer = {
      issuer: 'https://login.example',
      scopes: 'a b',
      grantScope: 'session' as const,
      clientId: undefined,
      clientSecret: undefined,
    };
    process.servers = [bench.server({ authorizationServer })];
    expect(await process.facts()).include({ issuer: 'https://login.example', scope: 'a b' });
  });

  it('are not for servers that want no sign-in', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    const open = { isPersonal: false, challenges: [] };
    for (const server of [bench.server({ type: 'none' }), bench.server({ type: undefined }, open)]) {
      process.servers = [server];
      expect(await process.statuses.of('notes', requestOf())).equal(undefined);
    }
    process.servers = [bench.server({ type: undefined }, { ...open, challenges: ['Bearer'] })];
    expect(await process.statuses.of('notes', requestOf())).include({ status: 'auth_required' });
    expect(await process.statuses.of('unknown', requestOf())).equal(undefined);
  });

  it('report each change, also by another process', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await two.facts();
    const changed: string[] = [];
    const end = two.statuses.follow((server) => changed.push(server));
    await one.signIn();
    expect(changed).deep.equal(['notes']);
    await one.secrets.put({ owner: 'local', server: 'notes' }, 'key', { value: 'v', url: '' });
    expect(changed).deep.equal(['notes', 'notes']);
    end();
    await one.grants.drop('local', 'notes');
    expect(changed.length).equal(2);
  });
});
