import { GatewayError, isObject, messageOf } from 'pegboard';
import type { JsonObject, KernelEvent, Log, Tool } from 'pegboard';
import type { UpstreamConfig } from './config.ts';
import type { Connection } from './connection.ts';
import { Claims, exposedName, isSameNaming, namingOf } from './names.ts';
import type { Claim, NameParts } from './names.ts';

export interface ToolParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  /** @throws GatewayError TOOL_DUPLICATE */
  readonly addTool: (tool: Tool) => () => void;
}

/** What became of a server's tools. */
export interface ToolReport {
  readonly count: number;
  readonly malformed: readonly string[];
  readonly collisions: readonly string[];
}
const NO_TOOLS: ToolReport = { count: 0, malformed: [], collisions: [] };

interface Entry extends Claim {
  readonly tool: Tool;
  /** The declaration as text: an equal one keeps its entry. */
  readonly text: string;
}
interface ServerTools {
  readonly source: readonly unknown[];
  readonly parts: NameParts;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly malformed: readonly string[];
  readonly doubled: readonly string[];
}
const NONE: ServerTools = {
  source: [],
  parts: { servicePrefix: '', prefix: '', maxChars: 0 },
  entries: new Map(),
  malformed: [],
  doubled: [],
};

/** The servers' tools in the catalogue; one malformed tool costs that tool only. */
export class ToolRegistrar {
  readonly #parts: ToolParts;
  readonly #claims = new Claims<Entry>();
  readonly #byServer = new Map<string, ServerTools>();
  readonly #added = new Map<string, { readonly tool: Tool; readonly remove: () => void }>();
  /** Names that are gone → the server they came from. */
  readonly #tombstones = new Map<string, string>();

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  /** Brings the catalogue in step with what the server lists now. */
  update(connection: Connection): void {
    const before = this.#byServer.get(connection.name) ?? NONE;
    const next = connection.isWanted ? this.#read(connection, before) : NONE;
    if (next === before) return;
    if (next === NONE) this.#byServer.delete(connection.name);
    else this.#byServer.set(connection.name, next);
    this.#tell(connection.name, before, next);
    const touched = this.#claims.replace(connection.name, before.entries.keys(), next.entries);
    for (const name of touched) this.#settle(name);
    const added = [...next.entries.keys()].filter((name) => !before.entries.has(name));
    const removed = [...before.entries.keys()].filter((name) => !next.entries.has(name));
    if (added.length + removed.length === 0) return;
    this.#parts.emit({ type: 'server.toolsChanged', server: connection.name, added, removed });
  }

  report(server: string): ToolReport {
    const own = this.#byServer.get(server);
    if (own === undefined) return NO_TOOLS;
    const lost = [...own.entries].filter(([name, entry]) => this.#added.get(name)?.tool !== entry.tool);
    return {
      count: own.entries.size - lost.length,
      malformed: own.malformed,
      collisions: [...lost.map(([name]) => name), ...own.doubled],
    };
  }

  /** The server that had a tool of that name once. */
  formerServer(name: string): string | undefined {
    return this.#tombstones.get(name);
  }

  /** Takes everything out. */
  clear(): void {
    for (const { remove } of this.#added.values()) remove();
    this.#added.clear();
    this.#byServer.clear();
  }

  #read(connection: Connection, before: ServerTools): ServerTools {
    const parts = namingOf(connection, this.#parts.config());
    const source = connection.listing.tools;
    if (source === before.source && isSameNaming(parts, before.parts)) return before;
    const entries = new Map<string, Entry>();
    const malformed: string[] = [];
    const doubled: string[] = [];
    source.forEach((declared, at) => {
      const fault = faultOf(declared);
      if (fault !== undefined || !isObject(declared)) {
        malformed.push(`${nameOf(declared) ?? `number ${at + 1}`}: ${fault ?? 'it is no object'}`);
        return;
      }
      const name = exposedName(declared['name'] as string, parts);
      const text = JSON.stringify(declared);
      const former = before.entries.get(name);
      if (entries.has(name)) doubled.push(name);
      else if (former?.text === text) entries.set(name, former);
      else entries.set(name, { server: connection.name, tool: makeTool(name, declared, connection), text });
    });
    return { source, parts, entries, malformed, doubled };
  }

  /** Puts the winner of a name into the catalogue. */
  #settle(name: string): void {
    const held = this.#added.get(name);
    const winner = this.#claims.winner(name);
    if (held?.tool === winner?.tool && held !== undefined) return;
    if (held !== undefined) {
      held.remove();
      this.#added.delete(name);
      this.#bury(name, held.tool.server ?? '');
    }
    if (winner === undefined) return;
    try {
      this.#added.set(name, { tool: winner.tool, remove: this.#parts.addTool(winner.tool) });
      this.#tombstones.delete(name);
    } catch (error) {
      this.#collided(name, messageOf(error), winner.server);
    }
  }

  #bury(name: string, server: string): void {
    this.#tombstones.delete(name);
    this.#tombstones.set(name, server);
    if (this.#tombstones.size <= this.#parts.config().maxTombstones) return;
    for (const oldest of this.#tombstones.keys()) {
      this.#tombstones.delete(oldest);
      return;
    }
  }

  /** Reports what is new among malformed tools and collisions. */
  #tell(server: string, before: ServerTools, next: ServerTools): void {
    for (const what of next.malformed) {
      if (before.malformed.includes(what)) continue;
      this.#parts.log.warn('malformed tool left out', { server, tool: what });
      this.#parts.emit({ type: 'tool.malformed', server, tool: what });
    }
    for (const name of next.doubled) if (!before.doubled.includes(name)) this.#collided(name, server, server);
    for (const name of next.entries.keys()) {
      if (before.entries.has(name)) continue;
      const other = this.#claims.winner(name)?.server;
      if (other === undefined || other === server) continue;
      const [winner, loser] = other < server ? [other, server] : [server, other];
      this.#collided(name, winner, loser);
    }
  }

  #collided(name: string, winner: string, loser: string): void {
    this.#parts.log.warn('two tools have one name; set toolPrefix in one of the definitions', {
      name,
      winner,
      loser,
    });
    this.#parts.emit({ type: 'tool.collided', name, winner, loser });
  }
}

function makeTool(name: string, declared: JsonObject, connection: Connection): Tool {
  const { name: ownName, description, inputSchema, annotations } = declared;
  const what = `tool ${String(ownName)}`;
  const head = `,"method":"tools/call","params":{"name":${JSON.stringify(ownName)},"arguments":`;
  return {
    name,
    kind: 'tool',
    description: typeof description === 'string' ? description : '',
    inputSchema: inputSchema as JsonObject,
    ...(isObject(annotations) && { annotations: annotations }),
    server: connection.name,
    declared,
    isStale: () => connection.isStale,
    invoke: (args, call) => connection.call(what, head + argumentsText(args, what), call),
  };
}

function argumentsText(args: JsonObject, what: string): string {
  try {
    return JSON.stringify(args);
  } catch (error) {
    throw new GatewayError('TOOL_ARGUMENTS', `arguments of ${what} are nested too deeply`, { cause: error });
  }
}

function faultOf(declared: unknown): string | undefined {
  const name = nameOf(declared);
  if (name === undefined || name === '') return 'it has no name';
  if (/\p{Cc}/u.test(name)) return 'its name holds control characters';
  return isObject((declared as JsonObject)['inputSchema']) ? undefined : 'its inputSchema is no object';
}

function nameOf(declared: unknown): string | undefined {
  const name = isObject(declared) ? declared['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
