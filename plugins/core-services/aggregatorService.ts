import { ANYONE, ConfigControl, ToolTable } from 'pegboard';
import { ServiceSource } from './contract.ts';
import { HttpListener } from '../http/contract.ts';
import type { JsonObject, Scope } from 'pegboard';
import type { ManagedService } from './contract.ts';

const AGGREGATOR = 'mcp-aggregator';

/** The gateway's own entry among the services. It lives as long as the process: no start, stop or restart. */
export function aggregatorService(scope: Scope<unknown>): ManagedService {
  return {
    name: AGGREGATOR,
    status: () => ({
      name: AGGREGATOR,
      service_type: 'Aggregator',
      state: 'running',
      health: 'healthy',
      metadata: metadata(scope),
    }),
  };
}

function metadata(scope: Scope<unknown>): JsonObject {
  const { host, port, transport, enabled } = scope.get(ConfigControl).settings().aggregator;
  const [url] = scope.all(HttpListener).map((listener) => listener.url());
  const states = scope
    .all(ServiceSource)
    .flatMap((source) => source.services())
    .filter(({ name }) => name !== AGGREGATOR)
    .map((service) => service.status().state);
  return {
    host,
    port: url === undefined ? port : Number(new URL(url).port) || port,
    transport,
    enabled,
    tools: scope.get(ToolTable).visibleTo(ANYONE).length,
    servers_total: states.length,
    servers_connected: states.filter((state) => state === 'running' || state === 'connected').length,
  };
}
