import { ToolTable, waitAtMost } from 'pegboard';
import type { Call, InboundRequest, JsonObject, Scope } from 'pegboard';
import { StartingServers } from '../../contracts/servers.ts';
import type { MetatoolsConfig } from '../config.ts';

/** How the meta-tools report and wait for servers whose tools are not known yet (decision D72). */
export interface StillStarting {
  /** `servers_starting` if there are any, to mark an answer as incomplete. */
  field(request: InboundRequest): JsonObject;
  names(request: InboundRequest): readonly string[];
  /** Those whose tools are not known for another reason. */
  unlisted(request: InboundRequest): readonly string[];
  /** Resolves when their attempts to connect have ended, or after `startingWaitMs`. */
  soon(): Promise<void>;
  /** Waits as a call to a known tool waits for its server (decision D22). @returns undefined if the tool is known */
  forTool(name: string, call: Pick<Call, 'request' | 'cancel'>): Promise<void> | undefined;
}

export function stillStarting(scope: Scope<MetatoolsConfig>): StillStarting {
  const sources = (): readonly StartingServers[] => scope.all(StartingServers);
  const settled = async (tool?: string): Promise<void> => {
    await Promise.all(sources().map((source) => source.settled(tool)));
  };
  const found = async (name: string, request: InboundRequest): Promise<void> => {
    await settled(name);
    if (scope.get(ToolTable).find(name, request) !== undefined) return;
    await Promise.all(sources().map((source) => source.lookedAgain(name, request)));
  };
  const names = (request: InboundRequest): readonly string[] =>
    sources().flatMap((source) => source.names(request));
  return {
    names,
    unlisted: (request) => sources().flatMap((source) => source.unlisted(request)),
    field: (request) => {
      const starting = names(request);
      return starting.length === 0 ? {} : { servers_starting: starting };
    },
    soon: () => waitAtMost(scope.config.startingWaitMs, settled()),
    forTool: (name, { request, cancel }) => {
      if (scope.get(ToolTable).find(name, request) !== undefined) return undefined;
      let forget: (() => void) | undefined;
      const cancelled = new Promise<void>((resolve) => (forget = cancel.onCancel(() => resolve())));
      return Promise.race([found(name, request), cancelled]).finally(() => forget?.());
    },
  };
}
