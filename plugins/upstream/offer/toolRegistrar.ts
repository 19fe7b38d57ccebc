import { isDeepStrictEqual } from 'node:util';
import type { InboundRequest, KernelEvent, Log } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { ToolReport } from '../connection/toolReport.ts';
import type { Audience } from './claims.ts';
import { familyTool, groupFamily } from './families.ts';
import type { Member } from './families.ts';
import { exposedName, namingOf } from './names.ts';
import type { NameParts } from './names.ts';
import type { OfferedTools } from './offeredTools.ts';
import { NONE, readServerTools } from './toolEntry.ts';
import type { OfferingServer } from './offeringServer.ts';
import type { ToolEntry, ServerTools } from './toolEntry.ts';

export interface ToolRegistrarParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly offered: OfferedTools;
}

type Counted = Omit<ToolReport, 'partialLists' | 'takenEntries'>;

const MAX_LOGGED = 10;

const NO_TOOLS: Counted = { count: 0, excluded: 0, malformed: [], collisions: [], odd: [] };

/** Offers the servers' tools to one audience; a malformed tool is left out alone. */
export class ToolRegistrar {
  readonly #audience: Audience;
  readonly #parts: ToolRegistrarParts;
  readonly #byServer = new Map<string, ServerTools>();
  /** Claimant → the names it claims; a claimant is a server or `family <name>`. */
  readonly #claimed = new Map<string, ReadonlyMap<string, ToolEntry>>();
  /** Family → its tools, by exposed name. */
  readonly #merged = new Map<string, ReadonlyMap<string, Merged>>();

  constructor(audience: Audience, parts: ToolRegistrarParts) {
    this.#audience = audience;
    this.#parts = parts;
  }

  /** Updates to the tools that the server lists now. */
  update(connection: OfferingServer): void {
    const before = this.#byServer.get(connection.name) ?? NONE;
    const parts = namingOf(connection, this.#parts.config());
    const next = connection.isWanted ? readServerTools(connection, parts, before) : NONE;
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

  /** @param request of the audience; absent: one without lists of its own */
  report(server: string, request?: InboundRequest): Counted {
    const own = this.#byServer.get(server);
    if (own === undefined) return NO_TOOLS;
    const alone = [...this.#aloneOf(server)];
    const lost = alone.filter(([name, entry]) => this.#parts.offered.winner(name, request) !== entry);
    const excluded = [...own.entries.values()].filter((entry) => entry.excluded !== undefined).length;
    return {
      count: own.entries.size - lost.length - excluded,
      excluded,
      malformed: own.malformed,
      collisions: [...lost.map(([name]) => name), ...own.doubled],
      odd: own.mended.map((one) => `tool ${one}; dropped`),
    };
  }

  /** What is wrong with a malformed tool, by the name under which it would be offered. */
  leftOut(name: string, server: string): string | undefined {
    return this.#byServer.get(server)?.faults.get(name);
  }

  /** JSON of the declarations that are offered. */
  bytes(server: string): number {
    const entries = [...(this.#byServer.get(server)?.entries.values() ?? [])];
    const offered = entries.filter(({ excluded }) => excluded === undefined);
    return offered.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  }

  /** Removes all tools. */
  clear(): void {
    for (const claimant of [...this.#claimed.keys()]) this.#claim(claimant, new Map());
    this.#byServer.clear();
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
  #aloneOf(server: string): ReadonlyMap<string, ToolEntry> {
    const { entries, rules } = this.#byServer.get(server) ?? NONE;
    const merged = rules.family === undefined ? undefined : this.#merged.get(rules.family.name);
    if (merged === undefined || merged.size === 0) return entries;
    const together = new Set([...merged.values()].flatMap((one) => one.of));
    return new Map([...entries].filter(([, entry]) => !together.has(entry)));
  }

  #claim(claimant: string, next: ReadonlyMap<string, ToolEntry>): void {
    const former = this.#claimed.get(claimant) ?? new Map<string, ToolEntry>();
    if (next.size === 0) this.#claimed.delete(claimant);
    else this.#claimed.set(claimant, next);
    this.#parts.offered.replace({ audience: this.#audience, server: claimant }, former, next);
  }

  /** Reports new malformed tools, and those that the server lists twice. */
  #tell(server: string, before: ServerTools, next: ServerTools): void {
    const told = new Set(before.malformed);
    const fresh = next.malformed.filter((tool) => !told.has(tool));
    for (const tool of fresh) this.#parts.emit({ type: 'tool.malformed', server, tool });
    for (const tool of fresh.slice(0, MAX_LOGGED))
      this.#parts.log.warn('malformed tool left out', { server, tool });
    const count = fresh.length - MAX_LOGGED;
    if (count > 0) this.#parts.log.warn('more malformed tools left out', { server, count });
    const known = new Set(before.mended);
    const mended = next.mended.filter((one) => !known.has(one));
    if (mended.length > 0) {
      const facts = { server, what: 'tools', count: mended.length, names: mended.slice(0, MAX_LOGGED) };
      this.#parts.log.warn('malformed members of entries dropped', facts);
    }
    for (const name of next.doubled)
      if (!before.doubled.includes(name)) this.#parts.offered.collided(name, server, server);
  }
}

/** Tools whose declaration has changed; a different order of members does not count. */
function changedSince(before: ServerTools, next: ServerTools): readonly string[] {
  const isOther = (name: string, { text, tool }: ToolEntry): boolean => {
    const former = before.entries.get(name);
    if (former === undefined || former.text === text) return false;
    return !isDeepStrictEqual(former.tool.declared, tool.declared);
  };
  return [...next.entries].filter(([name, entry]) => isOther(name, entry)).map(([name]) => name);
}

/** A tool of a family; `of` has the entries it represents, sorted by server. */
interface Merged extends ToolEntry {
  readonly arg: string;
  readonly of: readonly ToolEntry[];
}

function mergedEntry(
  exposed: string,
  name: string,
  members: readonly Member[],
  entries: readonly ToolEntry[],
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
