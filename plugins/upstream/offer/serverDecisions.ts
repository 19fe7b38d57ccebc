import { isOffer } from 'pegboard';
import type { DecisionLayer, Verdict } from 'pegboard';
import type { Connection } from '../server/connection.ts';
import type { ToolRegistrar } from './toolRegistrar.ts';

export interface DecisionParts {
  readonly connection: (server: string) => Connection | undefined;
  readonly tools: ToolRegistrar;
}

const LAYER = 'server';
const LISTS = 'change the lists with core_mcpserver_update';
const START = 'start it with core_service_start';

/** Says of a tool how its server is, and of a tool that went away why. */
export function serverDecisions({ connection, tools }: DecisionParts): DecisionLayer {
  const judgeGone = (name: string): Verdict | undefined => {
    const server = tools.formerServer(name);
    if (server === undefined) return undefined;
    const found = connection(server);
    const gone = { layer: LAYER, allow: false } as const;
    if (found === undefined) {
      const remedy =
        'find another tool with filter_tools, or create the server again with core_mcpserver_create';
      return { ...gone, code: 'TOOL_NOT_FOUND', reason: `server not found: ${server}`, remedy };
    }
    if (found.isWanted) return undefined;
    return {
      ...gone,
      code: 'UPSTREAM_SUSPENDED',
      reason: `server not found: ${server} (${found.state})`,
      remedy: START,
    };
  };
  return {
    layer: LAYER,
    order: 10,
    judge: (name, tool) => {
      if (tool === undefined) return judgeGone(name);
      // What a server offers besides tools is in the lists only while it is connected.
      if (isOffer(tool) || tool.server === undefined) return undefined;
      const excluded = tools.exclusion(name);
      if (excluded !== undefined)
        return { layer: LAYER, allow: false, code: 'TOOL_DENIED', reason: excluded, remedy: LISTS };
      return connection(tool.server)?.status.verdict;
    },
  };
}
