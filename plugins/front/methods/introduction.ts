import { ToolTable, VERSION } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { CallerCredentials, GuardedServers } from '../../contracts/credentials.ts';
import { ServiceSource } from '../../contracts/services.ts';
import { oneLine } from '../../kit/text/serverWords.ts';
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

/** Leaves out servers of which the request may see nothing. */
export function instructionsFor(
  request: InboundRequest,
  scope: Scope<FrontConfig>,
  audience: VisibleServers,
): string {
  const { maxServerInstructionChars } = scope.config;
  const table = scope.get(ToolTable);
  const [guarded, credentials] = [scope.find(GuardedServers), scope.find(CallerCredentials)];
  const lacksSignIn = (name: string, state: string): boolean => {
    const server = guarded?.get(name);
    if (server?.isPersonal !== true || credentials === undefined) return state === 'auth_required';
    return credentials.of(server, request).missing !== undefined;
  };
  const isOpen = (name: string): boolean =>
    table.refusal(name, { kind: 'server', name, server: name }, request) === undefined;
  const services = scope.all(ServiceSource).flatMap((source) => source.services());
  const shown = services.filter(({ name }) => isOpen(name) || audience.sees(request, name));
  const servers = shown.flatMap((service) => {
    const { name } = service;
    const { service_type: type, state, metadata } = service.status();
    if (type !== 'MCPServer') return [];
    const away = AWAY[state] ?? (lacksSignIn(name, state) ? NEEDS_SIGN_IN : undefined);
    const { description, serverTitle } = metadata;
    const words = description === undefined ? (service.instructions?.() ?? serverTitle ?? '') : '';
    return [
      {
        name,
        away,
        description: description === undefined ? undefined : oneLine(description, maxServerInstructionChars),
        words: oneLine(words, maxServerInstructionChars),
      },
    ];
  });
  return instructions(servers, scope.config);
}
