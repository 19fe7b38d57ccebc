import { ToolTable } from 'pegboard';
import type { Scope } from 'pegboard';
import type { PinsConfig } from './config.ts';
import { ServerDeclarations } from '../contracts/pins.ts';
import type { DeclaredOffer } from '../contracts/pins.ts';
import { declaredOf, declaredOffer } from './declaredOf.ts';
import { suspicionsOf } from './suspicions.ts';
import type { Around, Suspicion } from './suspicions.ts';

/** Servers that start together are looked at together: some rules compare them. */
const SETTLE_MS = 2_000;
/** A server that changes all the time must not put off the look at others. */
const LATEST_MS = 10_000;
/** Findings that are kept of one server. */
const MAX_FOUND = 1_000;
const MAX_NAMED = 10;

/** Looks at each in turn, and lets others have theirs. */
export type InSlices = <T>(all: readonly T[], look: (one: T) => void) => Promise<void>;

/** A reason for people to look at a declaration. */
export interface Finding extends Suspicion {
  readonly name: string;
  readonly server: string;
}

/** What is suspicious in the declarations of servers. It is told, and nothing follows from it. */
export class Suspects {
  readonly #scope: Scope<PinsConfig>;
  readonly #inSlices: InSlices;
  /** Names of tools by server: as it is offered → as the server declares it. */
  readonly #names = new Map<string, Map<string, string>>();
  readonly #servers = new Map<string, Set<string>>();
  readonly #found = new Map<string, Map<string, readonly Finding[]>>();
  /** What is found in each offer that was looked at, and in those that there are now. */
  readonly #looked = new WeakMap<DeclaredOffer, readonly Finding[]>();
  #offered: readonly Finding[] = [];
  #waiting = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;

  constructor(scope: Scope<PinsConfig>, inSlices: InSlices) {
    this.#scope = scope;
    this.#inSlices = inSlices;
  }

  /** A server offers these tools from now on, or offers them otherwise. */
  listed(server: string, names: readonly string[]): void {
    const waiting = this.#waiting.get(server) ?? new Set();
    this.#waiting.set(server, waiting);
    for (const name of names) waiting.add(name);
    this.#lookSoon();
  }
  #lookSoon(): void {
    const now = Date.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, Math.min(SETTLE_MS, this.#since + LATEST_MS - now));
    this.#timer = setTimeout(() => void this.#lookAll(), waitMs).unref();
  }
  gone(server: string, names: readonly string[]): void {
    for (const name of names) {
      this.#waiting.get(server)?.delete(name);
      this.#found.get(server)?.delete(name);
      const own = this.#names.get(server)?.get(name);
      if (own !== undefined) this.#servers.get(own)?.delete(server);
      this.#names.get(server)?.delete(name);
    }
  }
  forget(server: string): void {
    this.gone(server, [...(this.#names.get(server)?.keys() ?? []), ...(this.#waiting.get(server) ?? [])]);
    for (const kept of [this.#waiting, this.#found, this.#names]) kept.delete(server);
  }
  /** What servers offer besides tools has changed. */
  offersChanged(): void {
    this.#lookSoon();
  }
  async #lookAtOffers(): Promise<void> {
    const all = this.#scope.find(ServerDeclarations)?.offers() ?? [];
    const fresh = all.filter((offer) => !this.#looked.has(offer));
    await this.#inSlices(fresh, (offer) => this.#looked.set(offer, this.#foundIn(offer)));
    const counts = new Map<string, number>();
    this.#offered = all.flatMap((offer) => {
      const found = this.#looked.get(offer) ?? [];
      const count = (counts.get(offer.server) ?? 0) + found.length;
      counts.set(offer.server, count);
      return count > MAX_FOUND ? [] : found;
    });
    const isNew = (offer: DeclaredOffer): boolean => (this.#looked.get(offer) ?? []).length > 0;
    for (const server of new Set(fresh.filter(isNew).map((one) => one.server))) this.#report(server);
  }
  #foundIn(offer: DeclaredOffer): readonly Finding[] {
    const { name, server } = offer;
    return suspicionsOf(declaredOffer(offer), this.#around(server)).map((one) => ({ name, server, ...one }));
  }
  #around(server: string): Around {
    return { server, serversOf: (tool) => [...(this.#servers.get(tool) ?? [])] };
  }
  stop(): void {
    clearTimeout(this.#timer);
  }

  list(): readonly Finding[] {
    const tools = [...this.#found.values()].flatMap((found) => [...found.values()].flat());
    return [...tools, ...this.#offered].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #lookAll(): Promise<void> {
    const waiting = [...this.#waiting].map(([server, names]) => [server, [...names]] as const);
    this.#waiting = new Map();
    this.#since = undefined;
    const table = this.#scope.find(ToolTable);
    // Names first, for rules that compare a tool with those of other servers.
    for (const [server, names] of waiting)
      await this.#inSlices(names, (name) => this.#know(server, name, table));
    for (const [server, names] of waiting) {
      const before = this.#found.get(server)?.size ?? 0;
      await this.#inSlices(names, (name) => this.#look(server, name, table));
      if ((this.#found.get(server)?.size ?? 0) > before) this.#report(server);
    }
    await this.#lookAtOffers();
  }
  #know(server: string, name: string, table: ToolTable | undefined): void {
    const own = table?.shared(name)?.declared?.['name'];
    if (typeof own !== 'string') return;
    this.#names.set(server, (this.#names.get(server) ?? new Map<string, string>()).set(name, own));
    this.#servers.set(own, (this.#servers.get(own) ?? new Set()).add(server));
  }
  #look(server: string, name: string, table: ToolTable | undefined): void {
    const declared = table?.shared(name)?.declared;
    const own = this.#names.get(server)?.get(name);
    if (declared === undefined || own === undefined) return;
    const found = suspicionsOf(declaredOf(own, declared), this.#around(server)).map((one) => ({
      name,
      server,
      ...one,
    }));
    const known = this.#found.get(server) ?? new Map<string, readonly Finding[]>();
    if (found.length === 0) known.delete(name);
    else if (known.size < MAX_FOUND) this.#found.set(server, known.set(name, found));
  }

  #report(server: string): void {
    const offered = this.#offered.filter((one) => one.server === server);
    const found = [...(this.#found.get(server)?.values() ?? []), offered].flat();
    const names = [...new Set(found.map(({ name }) => name))].slice(0, MAX_NAMED);
    const rules = [...new Set(found.map(({ rule }) => rule))];
    this.#scope.log.warn('what a server declares deserves a look; see pegboard pins findings', {
      server,
      names,
      rules,
    });
    const message = `deserves a look (${rules.join(', ')}): ${names.join(', ')}; pegboard pins findings shows why`;
    const reason = 'MCPServerDeclarationSuspicious';
    this.#scope.emit({ type: 'pin.suspected', reason, message, severity: 'Warning', server, names });
  }
}
