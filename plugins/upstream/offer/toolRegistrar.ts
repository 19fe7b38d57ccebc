import { isDeepStrictEqual } from 'node:util';
import { messageOf, setNewest } from 'pegboard';
import type { KernelEvent, Log, Tool } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { ToolReport } from '../server/toolReport.ts';
import { familyTool, groupFamily } from './families.ts';
import type { Member } from './families.ts';
import { Claims, exposedName, namingOf } from './names.ts';
import type { NameParts } from './names.ts';
import { NONE, readTools } from './toolEntry.ts';
import type { OfferingServer } from './offeringServer.ts';
import type { Entry, ServerTools } from './toolEntry.ts';

export interface ToolParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  /** @throws GatewayError TOOL_DUPLICATE */
  readonly addTool: (tool: Tool) => () => void;
}

const MAX_LOGGED = 10;

const NO_TOOLS: ToolReport = { count: 0, excluded: 0, malformed: [], collisions: [] };

/** Keeps the servers' tools in the catalogue; a malformed tool is left out alone. */
export class ToolRegistrar {
  readonly #parts: ToolParts;
  readonly #claims = new Claims<Entry>();
  readonly #byServer = new Map<string, ServerTools>();
  /** Claimant → the names it claims; a claimant is a server or `family <name>`. */
  readonly #claimed = new Map<string, ReadonlyMap<string, Entry>>();
  /** Family → its tools, by exposed name. */
  readonly #merged = new Map<string, ReadonlyMap<string, Merged>>();
  readonly #added = new Map<string, { readonly entry: Entry; readonly remove: () => void }>();
  /** Names of removed tools → the server that offered them. */
  readonly #tombstones = new Map<string, string>();

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  /** Updates the catalogue to the tools that the server lists now. */
  update(connection: OfferingServer): void {
    const before = this.#byServer.get(connection.name) ?? NONE;
    const parts = namingOf(connection, this.#parts.config());
    const next = connection.isWanted ? readTools(connection, parts, before) : NONE;
    if (next === before) return;
    if (next === NONE) this.#byServer.delete(connection.name);
    else this.#byServer.set(connection.name, next);
    this.#tell(connection.name, before, next);
    const families = new Set([before.rules.family?.name, next.rules.family?.name]);
    for (const family of families) if (family !== undefined) this.#regroup(family, parts);
    this.#claim(connection.name, this.#aloneOf(connection.name));
    const added = [...next.entries.keys()].filter((name) => !before.entries.has(name));
    const removed = [...before.entries.keys()].filter((name) => !next.entries.has(name));
    const changed = changedSince(before, next);
    if (added.length + removed.length + changed.length === 0) return;
    this.#parts.emit({ type: 'server.toolsChanged', server: connection.name, added, removed, changed });
    if (changed.length === 0) return;
    const text = 'tools changed their declarations; check that they are still what you want';
    this.#parts.log.warn(text, { server: connection.name, tools: changed.slice(0, MAX_LOGGED) });
  }

  report(server: string): ToolReport {
    const own = this.#byServer.get(server);
    if (own === undefined) return NO_TOOLS;
    const alone = [...this.#aloneOf(server)];
    const lost = alone.filter(([name, entry]) => this.#added.get(name)?.entry !== entry);
    const excluded = [...own.entries.values()].filter((entry) => entry.excluded !== undefined).length;
    return {
      count: own.entries.size - lost.length - excluded,
      excluded,
      malformed: own.malformed,
      collisions: [...lost.map(([name]) => name), ...own.doubled],
    };
  }

  /** Why the definition of its server excludes a tool. */
  exclusion(name: string): string | undefined {
    return this.#added.get(name)?.entry.excluded;
  }

  /** The server that formerly offered a tool of that name. */
  formerServer(name: string): string | undefined {
    return this.#tombstones.get(name);
  }

  /** Removes all tools. */
  clear(): void {
    for (const { remove } of this.#added.values()) remove();
    this.#added.clear();
    this.#byServer.clear();
    this.#claimed.clear();
    this.#merged.clear();
  }

  /** Merges the tools of a family again, and claims the names of those that are not merged. */
  #regroup(name: string, parts: NameParts): void {
    const members = [...this.#byServer].flatMap(([server, { rules, entries }]) =>
      rules.family?.name === name ? [{ server, family: rules.family, entries: [...entries.values()] }] : [],
    );
    const groups = groupFamily(members);
    const arg = members[0]?.family.instanceArg;
    const former = this.#merged.get(name) ?? new Map<string, Merged>();
    const next = new Map<string, Merged>();
    for (const [own, entries] of groups) {
      const exposed = exposedName(own, { ...parts, prefix: name });
      const held = former.get(exposed);
      const isSame =
        held?.arg === arg &&
        held?.of.length === entries.length &&
        entries.every((entry, at) => entry === held.of[at]);
      next.set(exposed, isSame ? held : mergedEntry(exposed, name, members, entries));
    }
    this.#merged.set(name, next);
    if (members.length === 0) this.#merged.delete(name);
    this.#claim(`family ${name}`, next);
    for (const { server } of members) this.#claim(server, this.#aloneOf(server));
  }

  /** The tools that a server offers under its own name. */
  #aloneOf(server: string): ReadonlyMap<string, Entry> {
    const { entries, rules } = this.#byServer.get(server) ?? NONE;
    const merged = rules.family === undefined ? undefined : this.#merged.get(rules.family.name);
    if (merged === undefined || merged.size === 0) return entries;
    const together = new Set([...merged.values()].flatMap((one) => one.of));
    return new Map([...entries].filter(([, entry]) => !together.has(entry)));
  }

  #claim(claimant: string, next: ReadonlyMap<string, Entry>): void {
    const former = this.#claimed.get(claimant);
    if (next.size === 0) this.#claimed.delete(claimant);
    else this.#claimed.set(claimant, next);
    for (const name of this.#claims.replace(claimant, former?.keys() ?? [], next)) this.#settle(name);
  }

  /** Puts the winner of a name into the catalogue. */
  #settle(name: string): void {
    const held = this.#added.get(name);
    const winner = this.#claims.winner(name);
    if (held?.entry === winner && held !== undefined) return;
    if (held !== undefined) {
      held.remove();
      this.#added.delete(name);
      // A family is not a server that could be started again.
      if (held.entry.server === held.entry.tool.server)
        setNewest(this.#tombstones, [name, held.entry.server], this.#parts.config().maxTombstones);
    }
    if (winner === undefined) return;
    try {
      this.#added.set(name, { entry: winner, remove: this.#parts.addTool(winner.tool) });
      this.#tombstones.delete(name);
    } catch (error) {
      this.#collided(name, messageOf(error), winner.server);
    }
  }

  /** Reports new malformed tools and new collisions. */
  #tell(server: string, before: ServerTools, next: ServerTools): void {
    for (const what of next.malformed) {
      if (before.malformed.includes(what)) continue;
      this.#parts.log.warn('malformed tool left out', { server, tool: what });
      this.#parts.emit({ type: 'tool.malformed', server, tool: what });
    }
    for (const name of next.doubled) if (!before.doubled.includes(name)) this.#collided(name, server, server);
    const fresh = new Map([...next.entries].filter(([name]) => !before.entries.has(name)));
    for (const { name, winner, loser } of this.#claims.collisions(fresh)) this.#collided(name, winner, loser);
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

/** Tools whose declaration has changed; a different order of members does not count. */
function changedSince(before: ServerTools, next: ServerTools): readonly string[] {
  const isOther = (name: string, { text, tool }: Entry): boolean => {
    const former = before.entries.get(name);
    if (former === undefined || former.text === text) return false;
    return !isDeepStrictEqual(former.tool.declared, tool.declared);
  };
  return [...next.entries].filter(([name, entry]) => isOther(name, entry)).map(([name]) => name);
}

/** A tool of a family; `of` has the entries it represents, sorted by server. */
interface Merged extends Entry {
  readonly arg: string;
  readonly of: readonly Entry[];
}

function mergedEntry(
  exposed: string,
  name: string,
  members: readonly Member[],
  entries: readonly Entry[],
): Merged {
  const [{ family } = { family: { name, instanceArg: '' } }] = members;
  const [{ own, text } = { own: '', text: '' }] = entries;
  const tool = familyTool(exposed, family, entries);
  return {
    server: `family ${name}`,
    isOwn: false,
    tool,
    own,
    text,
    excluded: undefined,
    arg: family.instanceArg,
    of: entries,
  };
}
