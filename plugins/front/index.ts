import { STAGE, StateDirectory, definePlugin, readSchema, singleFlight } from 'pegboard';
import type { Scope } from 'pegboard';
import { CallerCredentials, GuardedServers } from '../contracts/credentials.ts';
import { ServiceSource } from '../contracts/services.ts';
import { KeyedCalls } from '../contracts/idempotency.ts';
import {
  Front,
  McpCompletionSource,
  McpLogSource,
  McpPromptSource,
  McpResourceSource,
  StatelessFront,
} from '../contracts/mcp.ts';
import { SessionList } from '../contracts/sessions.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Tally } from '../kit/metrics/tally.ts';
import { Tracer } from '../contracts/tracing.ts';
import { Vault } from '../contracts/vault.ts';
import type { KeyRing } from '../contracts/vault.ts';
import { warnOfOpenKeys, warnOfOpenState } from '../kit/files/warnOfOpenKeys.ts';
import { Channel, Peers, SharedKeys } from '../contracts/processes.ts';
import type { FrontConfig } from './config.ts';
import { EndedSessions } from './session/endedSessions.ts';
import type { End } from './session/endedSessions.ts';
import { McpFront } from './stateful/mcpFront.ts';
import { frontMetrics } from './frontMetrics.ts';
import { loadKeys } from './session/loadKeys.ts';
import { ListWatch } from './client/listWatch.ts';
import { createMethods } from './methods/createMethods.ts';
import { Outlets } from './client/outlets.ts';
import { OwnerHandles } from './session/ownerHandles.ts';
import { Relay } from './client/relay.ts';
import { SeenSessions } from './session/seenSessions.ts';
import { sessionList } from './stateful/sessionList.ts';
import { Sessions } from './session/sessions.ts';
import { ReplicaEnds } from './session/replicaEnds.ts';
import { Siblings } from './client/siblings.ts';
import { StatelessMcpFront } from './stateless/statelessMcpFront.ts';

/** MCP, independent of the transport. */
export const plugin = definePlugin<FrontConfig>({
  name: 'front',
  api: 1,
  keeps: 'session keys',
  configSchema: readSchema('config/front'),
  enabled: ({ aggregator }) => aggregator.enabled,
  uses: [Vault, Channel, SharedKeys, Tracer],
  asks: [
    CallerCredentials,
    GuardedServers,
    KeyedCalls,
    McpCompletionSource,
    McpLogSource,
    McpPromptSource,
    McpResourceSource,
    Peers,
    ServiceSource,
  ],
  provides: [Front, MetricSource, SessionList, StatelessFront],
  apply,
});

/** Events after which a request may see other items. */
const CHANGES = /^(server\.|catalogue\.changed$|config\.applied$)/;

function apply(scope: Scope<FrontConfig>): void {
  let opened: Opened | undefined;
  let keys: KeyRing | undefined;
  let given: KeyRing | undefined;
  let ended: EndedSessions | undefined;
  const listWatch = new ListWatch(scope);
  const siblings = new Siblings(scope);
  const replicaEnds = new ReplicaEnds(scope);
  const relay = new Relay(scope, new Outlets(listWatch), siblings);
  const methods = createMethods(scope);
  // Opened by the first request: apply() does no I/O, and in a restart a request may come before onStart.
  const open = (): Opened => {
    // A provider that restarts has none until it has started; open sessions go on.
    given = scope.find(SharedKeys)?.keys() ?? given;
    if (opened !== undefined && opened.given === given) return opened;
    const { path } = scope.get(StateDirectory);
    // Without a directory the key is in memory only: new limits must not end every session.
    keys = path === undefined && given === undefined && keys !== undefined ? keys : loadKeys(path, given);
    ended ??= openEnded(path);
    opened = {
      given,
      sessions: new Sessions(keys, ended, scope.config),
      owners: new OwnerHandles(keys, scope.config),
    };
    return opened;
  };
  const openEnded = (path: string | undefined): EndedSessions => {
    const share = async (end: End, ttlSeconds: number): Promise<boolean> => {
      if (!(await replicaEnds.add(end, ttlSeconds))) return false;
      const { id, createdAt, owner } = end;
      return siblings.send({ kind: 'ended', sessionId: id, createdAt, owner });
    };
    const all = new EndedSessions(path, () => scope.config, scope.log, share);
    all.load(Date.now());
    return all;
  };
  const seen = new SeenSessions(() => scope.config.maxListedSessions);
  const counted = new Tally();
  const front = new McpFront(scope, {
    sessions: () => open().sessions,
    methods,
    relay,
    seen,
    opened: counted,
  });
  const learn = (end: End): void => {
    open();
    ended?.learn(end);
    front.endedElsewhere(end.id);
  };
  scope.tap(
    'onCall',
    ({ parent }) => {
      // Refused without a provider, because the client relies on its key.
      if (parent?.idempotencyKey !== undefined) scope.get(KeyedCalls);
      return undefined;
    },
    STAGE.last,
  );
  // Each process that puts ends back tells all others: they read once for all that tell meanwhile.
  const learnAll = singleFlight(() => replicaEnds.read(learn));
  front.listen(learn, () => void learnAll());
  // Without their ends, sessions would open at processes that begin later.
  let isMissing = false;
  const putBack = async (channel: Channel): Promise<void> => {
    isMissing = !(await replicaEnds.putBack(ended?.known(Date.now()) ?? []));
    // One that has begun meanwhile has read a store without them.
    channel.publish('ended-sessions', {});
  };
  scope.each(Channel, (channel) =>
    channel.subscribe('ended-sessions', {
      message: () => void learnAll(),
      gap: () => {
        if (isMissing) void putBack(channel);
      },
      emptied: () => void putBack(channel),
    }),
  );
  const stateless = new StatelessMcpFront(scope, { methods, relay, listWatch, owners: () => open().owners });
  scope.provide(Front, front);
  scope.provide(SessionList, sessionList(front, seen, relay));
  scope.provide(StatelessFront, stateless);
  const metrics = frontMetrics({
    sessions: () => opened?.sessions.used() ?? [],
    streams: () => [...relay.outlets.origins(), ...stateless.streams()],
    opened: counted,
    questions: relay.questionCounts,
    parked: () => stateless.parked,
  });
  scope.provide(MetricSource, metrics);
  scope.tap('onEvent', (event) => {
    if (!CHANGES.test(event.type)) return;
    listWatch.noticeChange(event.type === 'server.ownListsChanged' ? event : undefined);
    relay.audience.changed();
    relay.watched.retry();
  });
  let sweeping: NodeJS.Timeout | undefined;
  const sweepOften = (): void => {
    clearInterval(sweeping);
    sweeping = setInterval(() => {
      front.sweep();
      ended?.sweep(Date.now());
    }, scope.config.sweepMs);
    sweeping.unref();
  };
  scope.onStart(() => {
    open();
    const { path } = scope.get(StateDirectory);
    if (path !== undefined) warnOfOpenState(path, scope.log);
    warnOfOpenKeys(path, 'session', scope.log);
    sweepOften();
  });
  scope.onReload(() => {
    // Streams and running calls stay; the next request opens sessions under the new limits.
    opened = undefined;
    sweepOften();
    // Its clients reconnect with an older revision.
    if (!scope.config.stateless) stateless.stop();
  });
  scope.onStop(async () => {
    clearInterval(sweeping);
    listWatch.stop();
    relay.stop();
    stateless.stop();
    await ended?.flush();
  });
}

interface Opened {
  /** The keys that all processes shared then. */
  readonly given: KeyRing | undefined;
  readonly sessions: Sessions;
  readonly owners: OwnerHandles;
}
