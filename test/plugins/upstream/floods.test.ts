import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Cancellation } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { McpLogSource } from '../../../plugins/contracts/mcp.ts';
import { defer } from '../../support/cleanup.ts';
import { FloodServer } from './floodServer.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, hostile, temporaryFolder, until } from './support.ts';
import { ROOT } from '../../support/sources.ts';

const BABBLER = join(ROOT, 'test/plugins/upstream/fixtures/babbler.mjs');
/** More than any server can send. */
const UNLIMITED = 100_000_000;
const FLOODS = ['garbage', 'notifications', 'list_changed', 'empty lines', 'logs', 'standard error'];

describe('upstream: a server that floods', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const babbler = (
    flood: string,
    ...pause: readonly string[]
  ): { readonly spec: JsonObject; readonly chunks: () => number } => {
    const folder = temporaryFolder();
    defer(folder.remove);
    const file = join(folder.path, 'written');
    const command = [process.execPath, BABBLER, flood, file, ...pause];
    return {
      spec: { type: 'stdio', autoStart: true, command, timeout: 5 },
      chunks: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    };
  };

  for (const flood of FLOODS) {
    it(`is cut before it slows others down (${flood})`, async () => {
      const { spec, chunks } = babbler(flood);
      await rig.configure({ maxUnaskedPerSecond: 10, stdinGraceMs: 50 });
      await rig.define({ good: hostile(), bad: spec });
      await rig.hasTool('x_good_echo');
      await until('the flood', () => chunks() > 0);
      // A server that is read all the time writes hundreds or thousands of chunks meanwhile.
      for (let call = 0; call < 200; call += 1) await rig.text('x_good_echo', { message: 'x' });
      expect(chunks()).to.be.below(30);
      const told = (): boolean => rig.status('bad').error?.includes('raise maxUnaskedPerSecond') === true;
      await until('the reason', told);
    });

    it(`still answers calls within its budget (${flood})`, async () => {
      await rig.configure({ maxUnaskedPerSecond: UNLIMITED, stdinGraceMs: 50 });
      await rig.define({ bad: babbler(flood, '300').spec });
      await rig.hasTool('x_bad_echo');
      for (const message of ['one', 'two'])
        expect(await rig.text('x_bad_echo', { message })).to.equal(message);
    });
  }

  it('has log messages relayed only up to maxRelayedPerSecond, counted per client, with the number left out', async () => {
    await rig.configure({ maxRelayedPerSecond: 30 });
    const [source] = rig.kernel.registry.all(McpLogSource.id) as readonly McpLogSource[];
    let passed = 0;
    source?.want('debug');
    // As if three clients received each of them.
    source?.follow(() => {
      passed += 1;
      return 3;
    });
    await rig.define({ bad: babbler('logs').spec });
    const leftOut = () =>
      rig.lines.filter(({ text }) => text === 'log messages of a server were not delivered');
    await until('what was left out in two seconds', () => leftOut().length === 2);
    expect(passed).to.be.within(20, 31);
    for (const { data } of leftOut()) expect(data['messages']).to.be.above(0);
  });

  const EVENTS = {
    notifications: 'data: {"jsonrpc":"2.0","method":"notifications/unheard/of","params":{}}\n\n',
    pings: 'data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n',
    garbage: 'data: {"half of a message":\n\n',
    comments: ': nothing\n',
  };
  const remote = async (where: 'standing' | 'call' | 'sse', event: string): Promise<FloodServer> => {
    const server = new FloodServer(where, event);
    await server.listen();
    defer(() => server.close());
    return server;
  };

  for (const where of ['standing', 'call', 'sse'] as const) {
    for (const [what, event] of Object.entries(EVENTS)) {
      it(`is cut before it slows others down over the network (${where}, ${what})`, async () => {
        const server = await remote(where, event);
        await rig.configure({ maxUnaskedPerSecond: 10 });
        await rig.define({ good: hostile() });
        await rig.hasTool('x_good_echo');
        await rig.define({ good: hostile(), bad: server.spec });
        const cancel = new Cancellation();
        if (where === 'call') {
          await rig.hasTool('x_bad_echo');
          void rig.refusal('x_bad_echo', {}, { cancel });
        }
        await until('the flood', () => server.chunks > 0);
        for (let call = 0; call < 200; call += 1) await rig.text('x_good_echo', { message: 'x' });
        // The network's own buffers hold some megabytes.
        expect(server.chunks).to.be.below(200);
        // The end of the rig would wait for it.
        cancel.cancel('enough');
      });
    }

    it(`still answers calls within its budget over the network (${where})`, async () => {
      const server = await remote(where, EVENTS.notifications);
      await rig.configure({ maxUnaskedPerSecond: UNLIMITED });
      await rig.define({ bad: server.spec });
      await rig.hasTool('x_bad_echo');
      for (const message of ['one', 'two'])
        expect(await rig.text('x_bad_echo', { message })).to.equal(message);
    });
  }

  it('loses only the call when it resets a connection in its budget', async () => {
    const server = await remote('call', EVENTS.notifications);
    server.resets = true;
    await rig.configure({ maxUnaskedPerSecond: UNLIMITED });
    await rig.define({ bad: server.spec });
    await rig.hasTool('x_bad_echo');
    for (let call = 0; call < 5; call += 1)
      expect((await rig.refusal('x_bad_echo')).code).to.equal('UPSTREAM_CLOSED');
    expect(rig.status('bad').state).to.equal('connected');
  });

  for (const kind of ['process', 'standing', 'sse'] as const) {
    it(`is restarted with a reason that contains the number, at growing intervals (${kind})`, async () => {
      const { spec } =
        kind === 'process' ? babbler('notifications') : await remote(kind, EVENTS.notifications);
      const waits = { backoffFirstMs: 50, unreachableAfter: 100, stdinGraceMs: 50 };
      await rig.configure({ maxUnaskedPerSecond: 5_000, ...waits });
      await rig.define({ bad: spec });
      await rig.reaches('bad', 'failed');
      const reason = /^it sent more than 5000 lines a second that answer no call/;
      expect(rig.status('bad')).to.include({ health: 'unhealthy' });
      expect(rig.status('bad').error).to.match(reason);
      expect(rig.status('bad').metadata).to.have.property('nextRetryAfter');
      const failures = () => rig.told('server.stateChanged').filter(({ state }) => state === 'failed');
      await until('a second failure', () => failures().length === 2);
      for (const { error } of failures()) expect(error).to.match(reason);
      expect(rig.status('bad').metadata).to.include({ consecutiveFailures: 3 });
    });
  }

  it('is not one that answers calls, however much and however slowly', async () => {
    await rig.configure({ maxUnaskedPerSecond: 10 });
    await rig.define({ good: hostile() });
    await rig.hasTool('x_good_big');
    for (let call = 0; call < 5; call += 1)
      expect((await rig.text('x_good_big', { bytes: 5_000_000 })).length).to.equal(2_500_000);
    expect(rig.told('server.connected')).to.have.length(1);
  });

  it('is not one that reports the progress of a running call', async () => {
    await rig.configure({ maxUnaskedPerSecond: 10 });
    await rig.define({ good: hostile() });
    await rig.hasTool('x_good_grow');
    let heard = 0;
    const progress = (): number => (heard += 1);
    await rig.text('x_good_grow', { steps: 40, ms: 2 }, { progress });
    expect(heard).to.be.above(20);
    expect(rig.told('server.connected')).to.have.length(1);
    expect(rig.status('good').state).to.equal('running');
  });

  it('is not one whose calls are cancelled', async () => {
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    await rig.configure({ maxUnaskedPerSecond: 10 });
    await rig.define({ good: { type: 'streamable-http', url: server.url, timeout: 5, callTimeout: 0.1 } });
    await rig.hasTool('x_good_slow');
    const codes = Array.from(
      { length: 30 },
      async () => (await rig.refusal('x_good_slow', { ms: 60_000 })).code,
    );
    expect(new Set(await Promise.all(codes))).to.deep.equal(new Set(['UPSTREAM_TIMEOUT']));
    await until('every cancellation', () => server.count('notifications/cancelled') === 30);
    expect(rig.told('server.connected')).to.have.length(1);
  });

  it('is not one that answers calls after they were given up, however late', async () => {
    await rig.configure({ maxUnaskedPerSecond: 10, lateMs: 1 });
    await rig.define({ good: hostile() });
    await rig.hasTool('x_good_slow');
    const cancel = new Cancellation();
    const calls = Array.from({ length: 30 }, () => rig.refusal('x_good_slow', { ms: 100 }, { cancel }));
    await rig.text('x_good_echo', { message: 'these were sent' });
    cancel.cancel('enough');
    await Promise.all(calls);
    expect(await rig.text('x_good_slow', { ms: 200 })).to.equal('done');
    expect(rig.told('server.connected')).to.have.length(1);
  });
});
