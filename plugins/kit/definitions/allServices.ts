import type { Scope } from 'pegboard';
import { ServiceSource } from '../../contracts/services.ts';
import type { ManagedService } from '../../contracts/services.ts';

/** The services of all plugins: MCP servers, and the aggregator itself. */
export function allServices(scope: Scope<unknown>): readonly ManagedService[] {
  return scope.all(ServiceSource).flatMap((source) => source.services());
}
