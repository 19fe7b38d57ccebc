import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/index.ts';
import type { Scope } from '../../../../kernel/index.ts';
import type { FrontConfig } from '../../../../plugins/front/config.ts';
import type { Session } from '../../../../plugins/contracts/sessions.ts';
import { McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import { Vault } from '../../../../plugins/contracts/vault.ts';
import { Channel } from '../../../../plugins/contracts/processes.ts';
import { ListWatch } from '../../../../plugins/front/client/listWatch.ts';
import { Outlets } from '../../../../plugins/front/client/outlets.ts';
import { Relay } from '../../../../plugins/front/client/relay.ts';
import { Siblings } from '../../../../plugins/front/client/siblings.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { captureLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';

const CONFIG = {
  maxSubscriptions: 5,
  maxWatchingSessions: 5,
  maxLoggingSessions: 5,
  subscriptionIdleMs: 60_000,
  listChangedMs: 50,
  sweepMs: 1_000,
  maxQuestions: 1,
  sessionTtlSeconds: 60,
};
const CAPABILITIES = { roots: {} };
const SESSION = { id: 's', createdAt: Date.now(), capabilities: CAPABILITIES } as unknown as Session;
const URI = 'a://b';

/** Processes with one vault. */
function createProcesses() {
  const bus = new FakeBus();
  const limits = { maxEntries: 100, maxBytes: 100_000, maxValueBytes: 1_000, sweepMs: 1_000 };
  const vault = new MemoryVault(() => limits);
  const start = (name: string, isAlone = false) => {
    const config = { ...CONFIG };
    const state = { subscribed: 0, isAway: false, declared: {} };
    const change = new Map<string, () => void>();
    const source = {
      subscribe: (uri: string, _: unknown, updated: () => void, { capabilities }: Session) => {
        change.set(uri, updated);
        state.declared = capabilities;
        if (state.isAway) return undefined;
        state.subscribed += 1;
        return Promise.resolve(() => void (state.subscribed -= 1));
      },
    };
    const values = new Map<string, unknown>([
      [Vault.id, vault],
      [McpResourceSource.id, source],
    ]);
    const shared = bus.scopeOf(name, values);
    const alone = {
      ...shared,
      find: () => undefined,
      all: ({ id }: { readonly id: string }) => (id === McpResourceSource.id ? [source] : []),
      each: () => undefined,
    };
    const scope = {
      config,
      log: captureLog(),
      ...(isAlone ? alone : shared),
    } as unknown as Scope<FrontConfig>;
    const listWatch = { follow: () => () => undefined } as unknown as ListWatch;
    const relay = new Relay(scope, new Outlets(listWatch), new Siblings(scope));
    const message = (received: unknown): void => {
      const { kind, sessionId, uri } = received as Readonly<Record<string, string>>;
      if (kind === 'updated') relay.updatedElsewhere(sessionId ?? '', uri ?? '');
    };
    shared.each(Channel, (channel) => (channel as Channel).subscribe('front', { message }));
    const written: string[] = [];
    const attach = (hasMissed = false) =>
      relay.attach(SESSION, { request: ANYONE, write: (json) => void written.push(json), hasMissed });
    return { relay, state, config, written, attach, change };
  };
  return { start, bus, vault };
}

describe('front: watched resources', () => {
  it('are watched at the process that gets the stream too, which says that messages were missed', async () => {
    const { start } = createProcesses();
    const [a, b] = [start('a'), start('b')];
    await a.relay.watched.add(SESSION, URI, ANYONE);
    b.attach(true);
    await until(() => b.state.subscribed === 1, { what: 'the second subscription' });
    expect(a.state.subscribed).equal(1);
    for (const { state } of [a, b]) expect(state.declared).equal(CAPABILITIES);
    expect(b.written.filter((json) => json.includes(URI))).deep.equal([
      `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"${URI}"}}`,
    ]);
    const c = start('c');
    await until(() => (c.attach(), c.state.subscribed === 1), { what: 'a process that starts later' });
    c.relay.watched.remove('s', URI);
    const subscribed = () => a.state.subscribed + b.state.subscribed + c.state.subscribed;
    await until(() => subscribed() === 0, { what: 'the end everywhere' });
  });

  it('are reported once when a server of all processes changes them', async () => {
    const { start } = createProcesses();
    const [a, b] = [start('a'), start('b')];
    b.attach();
    const uris = [URI, 'a://fence'];
    for (const uri of uris) await a.relay.watched.add(SESSION, uri, ANYONE);
    await until(() => b.state.subscribed === 2, { what: 'the subscriptions' });
    for (const uri of uris) {
      for (const { change } of [a, b]) change.get(uri)?.();
      await until(() => b.written.some((json) => json.includes(uri)), { what: uri });
    }
    expect(b.written.filter((json) => json.includes(URI))).have.length(1);
  });

  it('are watched once their server is back', async () => {
    const { start } = createProcesses();
    const [a, b] = [start('a'), start('b')];
    b.state.isAway = true;
    b.attach();
    await a.relay.watched.add(SESSION, URI, ANYONE);
    b.relay.watched.retry();
    expect(b.state.subscribed).equal(0);
    b.state.isAway = false;
    await until(() => (b.relay.watched.retry(), b.state.subscribed === 1), { what: 'the subscription' });
  });

  it('end with their session at every process', async () => {
    const { start, vault } = createProcesses();
    const [a, b] = [start('a'), start('b')];
    b.attach();
    await a.relay.watched.add(SESSION, URI, ANYONE);
    await until(() => b.state.subscribed === 1, { what: 'the second subscription' });
    a.relay.drop(SESSION);
    await until(() => a.state.subscribed + b.state.subscribed === 0, { what: 'the end' });
    expect(await vault.list('')).deep.equal([]);
  });

  it('end when their session has been without a stream for a while', async () => {
    const { start } = createProcesses();
    const { relay, state, config, attach } = start('alone', true);
    const detach = attach();
    await relay.watched.add(SESSION, URI, ANYONE);
    config.subscriptionIdleMs = -1;
    relay.watched.sweep();
    expect(state.subscribed).equal(1);
    detach();
    relay.watched.sweep();
    expect(state.subscribed).equal(0);
  });
});
