import { expect } from 'chai';
import { GatewayError, definePlugin } from '../../../../kernel/index.ts';
import { ResourceStore } from '../../../../plugins/contracts/definitions.ts';
import type { StoredDefinition } from '../../../../plugins/contracts/definitions.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { Rig, hostile } from '../support.ts';

describe('upstream: managed services', () => {
  let rig: Rig;
  let kept: Record<string, JsonObject>;
  let isForbidden: boolean;
  beforeEach(() => {
    kept = { s: hostile() };
    isForbidden = false;
    mode = 'filesystem';
    rig = new Rig();
  });
  afterEach(() => rig.stop());

  let mode: string;
  const store: Pick<ResourceStore, 'mode' | 'get' | 'replace'> = {
    get mode() {
      return mode;
    },
    get: (_, name) => Promise.resolve(kept[name] === undefined ? undefined : { name, spec: kept[name] }),
    replace: (_, { name, spec }: StoredDefinition) => {
      if (isForbidden) return Promise.reject(new GatewayError('STORE_FORBIDDEN', 'not yours'));
      kept[name] = spec;
      return Promise.resolve();
    },
  };
  const withStore = definePlugin({
    name: 'kept',
    api: 1,
    configSchema: {},
    provides: [ResourceStore],
    apply: (scope) => scope.provide(ResourceStore, store as ResourceStore),
  });
  const begin = async (): Promise<void> => {
    rig.onReload = () => rig.define(kept);
    await rig.configure({}, [withStore]);
    await rig.define(kept);
    await rig.hasTool('x_s_echo');
  };
  const failureOf = async (work: Promise<void> | undefined): Promise<string> => {
    try {
      await work;
    } catch (error) {
      return (error as GatewayError).code;
    }
    return 'none';
  };

  it('writes suspended on stop and clears it on start', async () => {
    await begin();
    await rig.service('s').stop?.();
    expect(kept['s']).to.include({ suspended: true });
    expect(rig.status('s')).to.include({ state: 'stopped' });
    await rig.service('s').start?.();
    expect(kept['s']).to.include({ suspended: false });
    expect(rig.status('s')).to.include({ state: 'running', health: 'healthy' });
    expect(await rig.text('x_s_echo', { message: 'up' })).to.equal('up');
  });

  it('restarts into another process', async () => {
    await begin();
    const pid = await rig.text('x_s_pid');
    await rig.service('s').restart?.();
    expect(await rig.text('x_s_pid')).to.not.equal(pid);
    expect(rig.status('s').metadata).to.have.property('lastRestartedAt');
  });

  it('requests a start and a restart in the definition of a store that several processes may use, each later than the last', async () => {
    const ahead = '2199-01-01T00:00:00.000Z';
    mode = 'shared';
    kept['s'] = hostile('plain', { restartRequestedAt: ahead });
    await begin();
    const pid = await rig.text('x_s_pid');
    await rig.service('s').restart?.();
    expect(kept['s']).to.include({ restartRequestedAt: '2199-01-01T00:00:00.001Z' });
    expect(await rig.text('x_s_pid')).to.not.equal(pid);
    await rig.service('s').stop?.();
    expect(kept['s']).to.include({ suspended: true, restartRequestedAt: '2199-01-01T00:00:00.001Z' });
    await rig.service('s').start?.();
    expect(kept['s']).to.include({ suspended: false, restartRequestedAt: '2199-01-01T00:00:00.002Z' });
    expect(rig.told('server.connected')).to.have.length(3);
    expect(rig.status('s').metadata).to.include({ lastRestartedAt: '2199-01-01T00:00:00.002Z' });
  });

  it('leaves a server unchanged when the store refuses', async () => {
    await begin();
    isForbidden = true;
    expect(await failureOf(rig.service('s').stop?.())).to.equal('STORE_FORBIDDEN');
    expect(rig.status('s').state).to.equal('running');
  });

  it('fails with STORE_UNREACHABLE without a store', async () => {
    await rig.configure();
    await rig.define(kept);
    expect(await failureOf(rig.service('s').stop?.())).to.equal('STORE_UNREACHABLE');
  });

  it('has the state stopped for a remote server that is suspended, as for any other', async () => {
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: 'http://127.0.0.1:9/mcp', suspended: true } });
    expect(rig.status('s')).to.include({ state: 'stopped', health: 'unknown' });
  });

  it('names a server that is stopping in the answer to a call', async () => {
    await begin();
    const slow = rig.text('x_s_slow', { ms: 300 });
    await rig.text('x_s_echo');
    const stopped = rig.service('s').stop?.();
    await rig.reaches('s', 'stopping');
    expect(rig.refused('x_s_echo')).to.contain('server s is stopping; start it with core_service_start');
    expect(await slow).to.equal('done');
    await stopped;
  });

  it('reports why a server could not be started', async () => {
    await rig.configure();
    await rig.define({ s: hostile('dumb', { autoStart: false }) });
    expect(await failureOf(rig.service('s').start?.())).to.equal('UPSTREAM_CLOSED');
    expect(rig.status('s')).to.include({ state: 'failed', health: 'unhealthy' });
  });

  it('treats a restart of an unreachable server as done, and shows the next attempt', async () => {
    rig.onReload = () => rig.define(kept);
    await rig.configure({}, [withStore]);
    kept = { s: hostile('dumb') };
    await rig.define(kept);
    await rig.reaches('s', 'failed');
    await rig.service('s').restart?.();
    expect(rig.status('s').error).to.contain('exited with code 9');
    expect(rig.status('s').metadata).to.include.keys('lastRestartedAt', 'nextRetryAfter', 'lastAttempt');
    expect((await refusalOf(() => rig.service('s').start?.())).message).to.contain('the next attempt is at');
  });

  it('shows command, tools and revision, and never env or headers', async () => {
    kept = { s: hostile('plain', { env: { TOKEN: 'in-the-clear' }, description: 'words' }) };
    await begin();
    const { metadata } = rig.status('s');
    expect(metadata).to.include({
      autoStart: true,
      tools: 16,
      description: 'words',
      serverName: 'hostile',
      stale: false,
    });
    expect(metadata).to.include({ protocolVersion: '2025-11-25', consecutiveFailures: 0 });
    expect(metadata['command']).to.be.an('array');
    expect(JSON.stringify([rig.status('s'), rig.events, rig.lines])).to.not.contain('in-the-clear');
  });

  it('lets running calls end when Pegboard stops', async () => {
    await begin();
    const slow = rig.text('x_s_slow', { ms: 300 });
    await rig.text('x_s_echo');
    await rig.stop();
    expect(await slow).to.equal('done');
  });
});
