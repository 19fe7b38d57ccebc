import { ToolTable, VERSION } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { ServiceSource } from '../../contracts/services.ts';
import type { VisibleServers } from '../client/visibleServers.ts';
import type { FrontConfig } from '../config.ts';
import { instructions } from './instructions.ts';

export const SERVER_INFO: JsonObject = { name: 'pegboard', title: 'Pegboard', version: VERSION };

/** The same in all revisions. */
export const CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** Leaves out servers of which the request may see nothing. */
export function instructionsFor(
  request: InboundRequest,
  scope: Scope<FrontConfig>,
  audience: VisibleServers,
): string {
  const services = scope.all(ServiceSource).flatMap((source) => source.services());
  const table = scope.get(ToolTable);
  const isOpen = (name: string): boolean =>
    table.refusal(name, { kind: 'server', name, server: name }, request) === undefined;
  const shown = services.filter(({ name }) => isOpen(name) || audience.sees(request, name));
  return instructions(shown, scope.config);
}
