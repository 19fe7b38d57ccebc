import { ANYONE, ConfigControl, GatewayError, ToolTable } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { AggregatorFacts, ServiceSource } from '../contracts/services.ts';
import type { ManagedService, ServiceMetadata } from '../contracts/services.ts';
import { HttpListener } from '../contracts/http.ts';
import { WorkerLine } from '../contracts/processes.ts';
import { mayOperate } from '../kit/authority/mayOperate.ts';
import { onlyForOperators } from '../kit/authority/authority.ts';

const AGGREGATOR = 'mcp-aggregator';

/** The gateway's own entry among the services, with its current state: the listener that clients connect to. Over stdio there
 *  is no listener, and the service runs as long as the process. */
export function aggregatorService(scope: Scope<unknown>): ManagedService {
  const listener = scope.find(HttpListener);
  // The tools are in sight for all where a store judges, and this service is in no store.
  const operated = async (as: InboundRequest | undefined, run: () => Promise<void> | void): Promise<void> => {
    if (as !== undefined && !mayOperate(scope, as)) throw onlyForOperators(`the service ${AGGREGATOR} is`);
    await run();
  };
  return {
    name: AGGREGATOR,
    stopWarning:
      'clients cannot connect over HTTP, and no tool can open the listener again: edit config.yaml, or send SIGHUP',
    status: () => {
      const isShut = listener?.isShut() === true;
      return {
        name: AGGREGATOR,
        service_type: 'Aggregator',
        state: isShut ? 'stopped' : 'running',
        health: isShut ? 'unknown' : 'healthy',
        metadata: metadata(scope),
      };
    },
    ...(listener && {
      start: (as) => operated(as, () => listener.reopen()),
      stop: (as) =>
        operated(as, () => {
          if (sharesPort(scope)) throw new GatewayError('SERVICE_UNSUPPORTED', SHARED);
          listener.shut();
        }),
      restart: (as) => operated(as, () => listener.reopen()),
    }),
  };
}

const SHARED =
  'the workers share the port, and would serve on: stop the first process (SIGTERM), or set plugins.workers.config.count: 1 before';

function sharesPort(scope: Scope<unknown>): boolean {
  const line = scope.find(WorkerLine);
  return line !== undefined && (line.number > 0 || line.living().length > 0);
}

function metadata(scope: Scope<unknown>): ServiceMetadata {
  const { host, port, transport, enabled } = scope.get(ConfigControl).settings().aggregator;
  const [url] = scope.all(HttpListener).map((listener) => listener.url());
  const states = scope
    .all(ServiceSource)
    .flatMap((source) => source.services())
    .filter(({ name }) => name !== AGGREGATOR)
    .map((service) => service.status().state);
  const own = {
    host,
    port: url === undefined ? port : Number(new URL(url).port) || port,
    transport,
    enabled,
    tools: scope.get(ToolTable).visibleTo(ANYONE).length,
    servers_total: states.length,
    servers_connected: states.filter((state) => state === 'running' || state === 'connected').length,
  };
  const facts = scope.all(AggregatorFacts).flatMap((source) => Object.entries(source.facts()));
  return Object.assign(own, Object.fromEntries(facts));
}
