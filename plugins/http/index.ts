import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigControl, RequestGate, definePlugin, entryOf, readSchema } from 'pegboard';
import type { Finding, JsonObject, Reply, Scope, Settings } from 'pegboard';
import { MemoryBudget } from '../contracts/memory.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Tally } from '../kit/metrics/tally.ts';
import { HttpListener, Readiness, Route } from '../contracts/http.ts';
import type { HttpExchange } from '../contracts/http.ts';
import { LOOPBACK_ADDRESSES } from '../kit/http/hostNames.ts';
import { oneAtATime } from '../kit/http/oneAtATime.ts';
import { needsSignIn } from '../kit/http/signInSettings.ts';
import { UnreadAnswers } from '../kit/http/unreadAnswers.ts';
import type { HttpConfig } from './config.ts';
import { inheritedSockets } from './inheritedSockets.ts';
import { httpMetrics } from './httpMetrics.ts';
import type { Listener } from './listener.ts';
import type { ServedRequest } from './serveRoute.ts';
import { ListenerSwitch } from './listenerSwitch.ts';
import { signsInAtServers, withPublicAddress } from './publicAddress.ts';
import { schemaRoutes } from './schemaRoutes.ts';

const DRAIN_STEPS = 10;

/** The public listener: koa, the routes of other plugins, checks of Host and Origin, limits, orderly stop. */
export const plugin = definePlugin<HttpConfig>({
  name: 'http',
  api: 1,
  edge: true,
  configSchema: readSchema('config/http'),
  enabled: (settings) =>
    settings.aggregator.enabled && (!isOverStdio(settings) || signsInAtServers(settings)),
  select: (settings) => {
    const { host, port } = settings.aggregator;
    const config = { ...entryOf(settings, 'http').config, host, port };
    return withPublicAddress(isOverStdio(settings) ? { anyPort: true, ...config } : config, settings);
  },
  check: insecureFindings,
  requires: [ConfigControl],
  uses: [MemoryBudget],
  asks: [Readiness],
  provides: [HttpListener, MetricSource, Route],
  apply,
});

/** Each client over stdio starts a gateway of its own; only browsers need its port. */
function isOverStdio({ aggregator }: Settings): boolean {
  return aggregator.transport === 'stdio';
}

function insecureFindings({ host, unguarded }: HttpConfig, settings: Settings): readonly Finding[] {
  const { localToken } = settings.aggregator;
  const wantsToken = localToken === true && settings.plugins['local-token'] !== false;
  if (LOOPBACK_ADDRESSES.has(host) || needsSignIn(settings) || wantsToken) return [];
  const path = ['aggregator', 'host'];
  const begin = `host ${host} listens beyond this machine: any client that reaches the port can call every tool`;
  if (unguarded === 'warn') {
    const message = `${begin} unless a plugin requires sign-in; set aggregator.host: localhost if this is not intended`;
    return [{ path, message, severity: 'warning' }];
  }
  const fix = 'configure aggregator.oauth.server or aggregator.localToken: true';
  const otherwise = 'where something else guards the port, start it with plugins.http.config.unguarded=warn';
  return [{ path, message: `${begin}; ${fix}; ${otherwise}` }];
}

/** The address of a socket that another process has opened is not in the settings. */
function warnOfReach({ addresses }: Listener, { host }: HttpConfig, { log }: Scope<HttpConfig>): void {
  const beyond = addresses.filter((address) => !LOOPBACK_ADDRESSES.has(address));
  if (beyond.length > 0 && LOOPBACK_ADDRESSES.has(host))
    log.warn('the socket that was opened for this process listens beyond this machine', {
      addresses: beyond,
      host,
    });
}

function apply(scope: Scope<HttpConfig>): void {
  let { config } = scope;
  let listener: Listener | undefined;
  let handler: RequestListener | undefined;
  const standing = new Map<ServerResponse, ServedRequest>();
  let isStopping = false;
  const refusals = new Tally();
  scope.provide(
    MetricSource,
    httpMetrics(refusals, () => listener?.connections ?? 0),
  );

  let rebuild = (): void => undefined;

  let isDraining = false;
  const ready = ({ query }: HttpExchange): Reply => {
    if (isDraining) return { status: 503, body: { status: 'stopping' } };
    const sources = scope.all(Readiness);
    const reason = sources.find(({ unready }) => unready !== undefined)?.unready;
    const details = query.has('verbose') && detailsOf(sources);
    if (reason !== undefined) return { status: 503, body: { status: 'not ready', reason, ...details } };
    return { status: 200, body: { status: 'ready', ...details } };
  };
  for (const method of ['GET', 'HEAD'] as const) {
    const access = 'public';
    scope.provide(Route, {
      method,
      path: '/health',
      access,
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    });
    scope.provide(Route, { method, path: '/ready', access, handle: ready });
  }
  for (const route of schemaRoutes()) scope.provide(Route, route);
  const endStanding = (sockets: ReadonlySet<Socket>): void => {
    for (const [res, { end }] of standing) if (res.socket !== null && sockets.has(res.socket)) end();
  };
  const listenerSwitch = new ListenerSwitch({
    listener: () => listener,
    host: () => config.host,
    file: () => join(scope.get(ConfigControl).directory, 'config.yaml'),
    endStanding,
    log: scope.log,
  });
  scope.provide(HttpListener, listenerSwitch);
  scope.tap('onEvent', (event) => {
    if (event.type === 'config.applied' || event.type === 'config.rejected') listenerSwitch.configRead();
    if (event.type !== 'callers.left') return;
    for (const { request, end } of [...standing.values()]) if (event.hasLeft(request)) end();
  });
  scope.onStart(async () => {
    const [{ createHandler }, { Listener }] = await Promise.all([
      import('./createHandler.ts'),
      import('./listener.ts'),
    ]);
    const unread = new UnreadAnswers(
      () => config.maxUnreadBytes,
      (bytes) => scope.log.warn('connection closed: its client does not read responses', { bytes }),
    );
    const serve = oneAtATime((req, res) => {
      unread.watch(res);
      handler?.(req, res);
    });
    // Synchronous, so that routes change in the same step as the plugins.
    rebuild = () => {
      handler = createHandler({
        config,
        log: scope.log,
        gate: () => scope.get(RequestGate),
        memory: () => scope.find(MemoryBudget),
        routes: scope.all(Route),
        refused: (status) => refusals.add({ status: String(status) }),
        standing: (res, stream) => {
          if (res.destroyed) return;
          standing.set(res, stream);
          res.once('close', () => standing.delete(res));
          // Not in this turn: its head is still to be sent.
          if (isStopping) setImmediate(stream.end);
        },
      });
    };
    scope.each(Route, () => {
      rebuild();
      return rebuild;
    });
    const inherited = inheritedSockets(process.env, process.pid);
    listener = await Listener.open(config, serve, scope.log, inherited);
    if (inherited.length > 0) warnOfReach(listener, config, scope);
    // Not awaited: no MCP request needs koa. Not later: without a free file handle, Node never loads a module again.
    import('./createKoaHandler.ts').catch((error: unknown) =>
      scope.log.error('koa cannot be loaded', { error }),
    );
  });
  scope.onReload(async (next) => {
    await listener?.move(next, endStanding);
    config = next;
    rebuild();
  });
  scope.onDrain(async () => {
    if (config.drainMs === 0 || listenerSwitch.isShut()) return;
    isDraining = true;
    listener?.drain();
    // In steps: if the whole machine stands still for seconds, only one step has passed when it runs again.
    for (let step = 0; step < DRAIN_STEPS; step += 1) await pause(config.drainMs / DRAIN_STEPS);
  });
  scope.onStop(async () => {
    isStopping = true;
    for (const { end } of [...standing.values()]) end();
    await listenerSwitch.stop();
    // Requests that have arrived are read before idle connections are closed.
    await new Promise(setImmediate);
    await listener?.close(config.stopGraceMs);
  });
}

function detailsOf(sources: readonly Readiness[]): JsonObject {
  return Object.fromEntries(sources.flatMap((source) => Object.entries(source.details?.() ?? {})));
}
