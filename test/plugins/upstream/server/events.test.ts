import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { HttpFixture } from '../httpFixture.ts';
import { Rig, hostile, until } from '../support.ts';

describe('upstream: events for operators', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const reasons = (): readonly unknown[] =>
    rig.events.flatMap((event) => ('severity' in event ? [event.reason.replace('MCPServer', '')] : []));
  const hasTold = (reason: string): Promise<void> => until(reason, () => reasons().includes(reason));

  it('report start, stop and restart', async () => {
    await rig.configure();
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    expect(reasons()).to.deep.equal(['Starting', 'Started', 'ToolsDiscovered']);
    expect(rig.told('server.started')[0]).to.deep.include({
      reason: 'MCPServerStarted',
      server: 's',
      message: 'MCPServer s service started successfully',
      severity: 'Normal',
    });
    rig.events.length = 0;
    await rig.define({ s: hostile('plain', { restartRequestedAt: '2026-01-31T12:00:00Z' }) });
    await hasTold('ToolsDiscovered');
    expect(reasons()).to.deep.equal(['Restarting', 'Started', 'ToolsDiscovered']);
    rig.events.length = 0;
    await rig.define({});
    await hasTold('Stopped');
    expect(reasons()).to.deep.equal(['ToolsUnavailable', 'Stopped']);
  });

  it('report a death, the recovery and a failed one', async () => {
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 20 });
    await rig.define({ s: hostile() });
    await rig.hasTool('x_s_echo');
    rig.events.length = 0;
    await rig.refusal('x_s_die');
    await rig.hasTool('x_s_echo');
    expect(reasons()).to.deep.equal(['Failed', 'RecoveryStarted', 'RecoverySucceeded', 'ToolsDiscovered']);
    expect(rig.told('server.failed')[0]?.message).to.contain(
      'MCPServer s operation failed: its process exited with code 3',
    );
    rig.events.length = 0;
    await rig.define({ s: hostile('dumb') });
    await hasTold('RecoveryFailed');
    expect(reasons()).to.deep.equal(['Restarting', 'Failed', 'RecoveryStarted', 'RecoveryFailed']);
  });

  it('report a remote server that requires a sign-in or does not answer', async () => {
    const server = new HttpFixture();
    await server.listen();
    try {
      await rig.configure({ pingIntervalMs: 20, backoffFirstMs: 60_000, backoffMaxMs: 60_000 });
      const remote: JsonObject = { type: 'streamable-http', url: server.url, timeout: 1 };
      await rig.define({ s: remote });
      await rig.hasTool('x_s_echo');
      // From then on, only pings are sent.
      await until('the standing stream', () => server.lastIds.length > 0);
      rig.events.length = 0;
      const { length } = server.headers;
      server.isMute = true;
      await until('a ping', () => server.headers.length > length);
      server.isMute = false;
      await hasTold('HealthCheckFailed');
      await hasTold('RecoverySucceeded');
      rig.events.length = 0;
      server.instead = { status: 401 };
      await rig.define({ s: { ...remote, restartRequestedAt: '2026-01-31T12:00:00Z' } });
      await rig.reaches('s', 'auth_required');
      expect(reasons()).to.deep.equal(['Restarting', 'AuthRequired']);
    } finally {
      await rig.stop();
      await server.kill();
    }
  });
});
