import type { InboundRequest, Tool, ToolTable } from 'pegboard';
import { perList } from '../../kit/calls/perList.ts';

/** Decides which servers a request sees: those with at least one tool that it sees. */
export class VisibleServers {
  readonly #table: () => ToolTable;
  #serversOf = new WeakMap<InboundRequest, ReadonlySet<string>>();

  constructor(table: () => ToolTable) {
    this.#table = table;
  }

  sees(request: InboundRequest, server: string): boolean {
    let servers = this.#serversOf.get(request);
    if (servers === undefined) {
      servers = serversIn(this.#table().visibleTo(request));
      this.#serversOf.set(request, servers);
    }
    return servers.has(server);
  }

  /** Drops the cached answers, because what is visible may have changed. */
  changed(): void {
    this.#serversOf = new WeakMap();
  }
}

const serversIn = perList((tools) => new Set(tools.flatMap(serversOf)));

function serversOf({ server, members = [] }: Tool): readonly string[] {
  const own = server === undefined ? [] : [server];
  return [...own, ...members.flatMap(serversOf)];
}
