import {
  ANYONE,
  ConfigControl,
  DecisionLayer,
  StartupReport,
  StateDirectory,
  STAGE,
  ToolSource,
  ToolTable,
  definePlugin,
  entryOf,
  networkSettings,
  readSchema,
} from 'pegboard';
import type { InboundRequest, Scope, Settings } from 'pegboard';
import { ResourceStore } from '../contracts/definitions.ts';
import { Channel } from '../contracts/processes.ts';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { ServiceSource } from '../contracts/services.ts';
import { CallerCredentials, GuardedServers } from '../contracts/credentials.ts';
import { SignInOffers } from '../contracts/signIns.ts';
import { AcceptedDeclarations, ServerDeclarations } from '../contracts/pins.ts';
import { SecretSource } from '../contracts/secrets.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Tracer } from '../contracts/tracing.ts';
import { Vault } from '../contracts/vault.ts';
import { McpCompletionSource, McpLogSource, McpPromptSource, McpResourceSource } from '../contracts/mcp.ts';
import { Confinement, PodServers, Prober, StartingServers } from '../contracts/servers.ts';
import { tlsTrusts } from '../kit/tls/tlsTrust.ts';
import type { UpstreamConfig } from './config.ts';
import type { UpstreamContext } from './connection/context.ts';
import { Ticker } from './client/rpc/ticker.ts';
import { serverDecisions } from './offer/serverDecisions.ts';
import { startingServers } from './offer/startingServers.ts';
import { FirstStarts } from './connection/firstStarts.ts';
import { instanceFindings } from './connection/instanceFindings.ts';
import { removeFormerFolder } from './own/keptLists.ts';
import { SecretRotation } from './connection/secretRotation.ts';
import { LastKnown } from './connection/lastKnown.ts';
import { refuseOwnServer } from './connection/parents.ts';
import { managedService, startupItem } from './server/managedService.ts';
import { followOthers } from './server/otherProcesses.ts';
import { guardedServers } from './offer/guardedServers.ts';
import { Offers } from './offer/offers.ts';
import { CallersServers } from './own/callersServers.ts';
import { Fleet } from './server/fleet.ts';
import { probe } from './server/probe.ts';
import { UpstreamMetrics } from './server/upstreamMetrics.ts';
import { ServerLogs } from './client/conversation/serverLogs.ts';
import { Watchdog } from './client/wire/watchdog.ts';

/** Connections to MCP servers: their tools, resources, prompts and life cycle. */
export const plugin = definePlugin<UpstreamConfig>({
  name: 'upstream',
  api: 1,
  keeps: 'the last known tools of servers',
  configSchema: readSchema('config/upstream'),
  select: selectConfig,
  review: instanceFindings,
  uses: [MemoryBudget, Tracer, Vault],
  asks: [
    AcceptedDeclarations,
    CallerCredentials,
    Channel,
    Confinement,
    PodServers,
    ResourceStore,
    SecretSource,
    SignInOffers,
  ],
  provides: [
    DecisionLayer,
    GuardedServers,
    McpCompletionSource,
    McpLogSource,
    McpPromptSource,
    McpResourceSource,
    MetricSource,
    Prober,
    ServerDeclarations,
    ServiceSource,
    StartingServers,
    StartupReport,
    ToolSource,
  ],
  apply: wire,
});

function selectConfig(settings: Settings): unknown {
  const { servicePrefix, extraCaFile, proxy, noProxy } = settings.aggregator;
  const network = networkSettings({ extraCaFile, proxy, noProxy });
  return { ...entryOf(settings, 'upstream').config, servicePrefix, ...network };
}

function wire(scope: Scope<UpstreamConfig>): void {
  let current = scope.config;
  const config = (): UpstreamConfig => current;
  const { log } = scope;
  const ticker = new Ticker(() => current.deadlineTickMs);
  const watchdog = new Watchdog(log);
  let lastKnown = new LastKnown(undefined, log);
  let memory: MemoryBudget | undefined;
  // Asked about each tool that is listed.
  let callerCredentials: CallerCredentials | undefined;
  const directory = (): string => scope.find(ConfigControl)?.directory ?? process.cwd();
  const trusts = tlsTrusts({ extraCaFile: () => current.extraCaFile, directory, log });
  const logs = new ServerLogs(() =>
    fleet.all().forEach(({ connection, own }) => {
      connection.conversation.wantLogs();
      own.wantLogs();
    }),
  );
  const context: UpstreamContext = {
    config,
    log,
    emit: scope.emit.bind(scope),
    ticker,
    logs,
    watchdog,
    firstStarts: new FirstStarts(() => current.maxStarting),
    trusts,
    directory,
    state: () => scope.find(StateDirectory)?.path,
    lastKnown: () => lastKnown,
    tracer: () => scope.find(Tracer),
    memory: () => memory,
    secrets: () => scope.find(SecretSource),
    secretsChanged: (server, users) => rotation.doubt(server, users),
    vault: () => {
      const vault = scope.find(Vault);
      return vault?.isLasting === false ? undefined : vault;
    },
    credentials: () => callerCredentials,
    confinement: () => scope.find(Confinement),
    pods: () => scope.find(PodServers),
    signIns: () => scope.find(SignInOffers),
  };
  const offers = new Offers({
    config,
    log,
    emit: context.emit,
    table: () => scope.get(ToolTable),
    personal: (server) => fleet.get(server)?.personal,
    servers: () => fleet.all(),
    accepted: () => scope.find(AcceptedDeclarations),
  });
  const fleet: Fleet = new Fleet(context, offers);
  const rotation = new SecretRotation({
    log,
    everyMs: () => current.rereadSecretsMs,
    source: context.secrets,
    users: () => fleet.all().flatMap(({ secretUsers }) => secretUsers),
  });
  const callersServers = new CallersServers(
    context,
    () => fleet.all().map(({ personal }) => personal),
    (request) => offers.prepare(request),
  );

  followOthers(scope, (server) => fleet.get(server)?.connection);
  scope.each(MemoryBudget, (budget) => {
    memory = budget;
    return () => (memory = undefined);
  });
  scope.each(CallerCredentials, (all) => {
    callerCredentials = all;
    fleet.credentialsChanged();
    const end = all.follow((owner) => callersServers.forget(owner));
    return () => {
      end();
      callerCredentials = undefined;
      fleet.credentialsChanged();
    };
  });
  scope.provide(ServiceSource, {
    services: () => fleet.all().map((server) => managedService(server, scope, offers)),
  });
  scope.provide(StartupReport, {
    subject: 'server',
    items: () => fleet.all().map(({ name, connection }) => startupItem(connection, offers.report(name))),
  });
  scope.provide(Prober, { probe: (target) => probe(target, { config, ticker, trust: trusts() }) });
  scope.provide(ToolSource, offers);
  scope.provide(ServerDeclarations, offers.declarations);
  scope.provide(McpResourceSource, offers.sources);
  scope.provide(McpPromptSource, offers.sources);
  scope.provide(McpCompletionSource, offers.sources);
  const table = (): ToolTable => scope.get(ToolTable);
  scope.provide(
    GuardedServers,
    guardedServers(fleet, config, table, (request) => callersServers.prepare(request)),
  );
  scope.provide(McpLogSource, logs);
  const metrics = new UpstreamMetrics(
    () => fleet.all(),
    (server) => offers.report(server),
    (server) => offers.bytes(server),
  );
  scope.provide(MetricSource, metrics);
  scope.provide(StartingServers, startingServers(config, fleet, table));
  scope.provide(DecisionLayer, serverDecisions(config, fleet, offers, table));
  // The operator asks on behalf of persons: that connects nothing as them.
  const prepare = (request: InboundRequest): Promise<undefined> | undefined =>
    request.transport === ADMIN ? undefined : callersServers.prepare(request);
  scope.tap('onRequest', prepare, STAGE.narrow);
  scope.tap('onConfigApply', async (diff) => {
    await fleet.apply(diff);
    for (const { name } of [...diff.added, ...diff.changed]) callersServers.redefined(name);
  });
  scope.tap('onEvent', (event) => {
    if (event.type === 'grant.granted') callersServers.forget(event.holder);
    if (event.type === 'signIn.begun') void callersServers.prepare({ ...ANYONE, caller: event.caller });
    if (event.type === 'pin.renewed') offers.renew(event.server);
    if (event.type === 'session.ended') for (const { own } of fleet.all()) own.release(event.sessionId);
  });

  scope.onStart(async () => {
    await refuseOwnServer(directory());
    const state = scope.find(StateDirectory)?.path;
    lastKnown = new LastKnown(state, log);
    const inForce = scope.find(ConfigControl)?.resources('MCPServer') ?? [];
    await fleet.apply({ added: inForce, changed: [], removed: [] });
    rotation.begin();
    if (state !== undefined) await removeFormerFolder(state, log);
  });
  scope.onReload((next) => {
    // Those that run are not confined so.
    if (next.isolate !== current.isolate) return false;
    current = next;
    rotation.begin();
    for (const server of fleet.all()) offers.update(server);
  });
  scope.onStop(async () => {
    rotation.stop();
    await fleet.stop();
    await watchdog.stop();
    await lastKnown.settled();
    ticker.stop();
  });
}
