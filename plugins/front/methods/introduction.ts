import { ToolTable, VERSION } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { ServiceSource } from '../../contracts/services.ts';
import { oneLine, serverWords } from '../../kit/text/serverWords.ts';
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
  const guarded = scope.find(GuardedServers);
  const toolsOf = byServer(table.visibleTo(request));
  const isOpen = (name: string): boolean =>
    table.refusal(name, { kind: 'server', name, server: name }, request) === undefined;
  const services = scope.all(ServiceSource).flatMap((source) => source.services());
  const shown = services.filter(({ name }) => isOpen(name) || audience.sees(request, name));
  const servers = shown.flatMap((service) => {
    const { name } = service;
    const { service_type: type, state, metadata } = service.status();
    if (type !== 'MCPServer') return [];
    const tools = toolsOf.get(name) ?? [];
    const isForCallers = state === 'auth_required' || guarded?.get(name)?.isPersonal === true;
    // A caller who has signed in sees its tools.
    const away = AWAY[state] ?? (isForCallers && tools.length === 0 ? NEEDS_SIGN_IN : undefined);
    const { description, serverTitle } = metadata;
    const words = description === undefined ? (service.instructions?.() ?? serverTitle ?? '') : '';
    return [
      {
        name,
        away,
        description: description === undefined ? undefined : oneLine(description, maxServerInstructionChars),
        words: serverWords(words, tools, maxServerInstructionChars),
      },
    ];
  });
  return instructions(servers, scope.config);
}

function byServer(tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const found = new Map<string, Tool[]>();
  for (const tool of tools) {
    const { server } = tool;
    if (server === undefined) continue;
    const known = found.get(server);
    if (known === undefined) found.set(server, [tool]);
    else known.push(tool);
  }
  return found;
}
