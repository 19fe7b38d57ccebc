import { ToolTable, VERSION } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { CallerCredentials, GuardedServers } from '../../contracts/credentials.ts';
import type { GuardedServer } from '../../contracts/credentials.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
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

/** States of a server whose tools cannot be called, in words for agents. */
const AWAY: Readonly<Record<string, string>> = {
  starting: 'starting',
  failed: 'failed',
  unreachable: 'failed',
  stopping: 'stopped',
  stopped: 'stopped',
};
const NEEDS_SIGN_IN = 'needs sign-in';
/** No sign-in helps: an operator has to set headers, or to let people sign in. */
const NEEDS_CREDENTIALS = 'needs credentials';

/** Leaves out servers of which the request may see nothing. What takes time with each tool, as a status does, is not asked for. */
export function instructionsFor(
  request: InboundRequest,
  scope: Scope<FrontConfig>,
  audience: VisibleServers,
): string {
  const table = scope.get(ToolTable);
  const [guarded, credentials] = [scope.find(GuardedServers), scope.find(CallerCredentials)];
  const lackAt = (server: GuardedServer): string | undefined => {
    if (!server.isPersonal || credentials === undefined)
      return server.state === 'auth_required' ? NEEDS_CREDENTIALS : undefined;
    return credentials.of(server, request).missing === undefined ? undefined : NEEDS_SIGN_IN;
  };
  const isOpen = (name: string): boolean =>
    table.refusal(name, { kind: 'server', name, server: name }, request) === undefined;
  const services = allServices(scope);
  const servers = services.flatMap((service) => {
    const { name } = service;
    const server = guarded?.get(name);
    if (server === undefined || !(isOpen(name) || audience.sees(request, name))) return [];
    const away = AWAY[server.state] ?? lackAt(server);
    const description = service.description?.();
    const words = service.instructions?.() ?? service.title?.() ?? '';
    return [{ name, away, description, words }];
  });
  return instructions(servers, scope.config);
}
