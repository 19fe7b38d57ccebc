import { isDeepStrictEqual } from 'node:util';
import type { KernelEvent, Log } from 'pegboard';
import type { ListName } from '../client/conversation/readList.ts';
import { LIST_NAMES } from '../client/conversation/readList.ts';
import { serverEvents } from '../connection/serverEvents.ts';
import type { Differences } from './differences.ts';
import type { Collision } from './holders.ts';
import { isOwnUri } from './names.ts';
import type { ServerOffer } from './serverOffer.ts';
import { SECTIONS } from './sourceItems.ts';
import type { Section } from './sourceItems.ts';
import type { ServerTools, ToolEntry } from './toolEntry.ts';

const MAX_LOGGED = 10;
/** All names collide if two servers run the same package. */
const MAX_SHOWN = 3;

/** Reports what has changed in what servers offer. */
export class Changes {
  readonly #log: Log;
  readonly #emit: (event: KernelEvent) => void;
  readonly #differences: Differences;

  constructor(log: Log, emit: (event: KernelEvent) => void, differences: Differences) {
    this.#log = log;
    this.#differences = differences;
    this.#emit = emit;
  }

  /** A server offers something else, to all or to some. */
  tell(server: string, before: ServerOffer, next: ServerOffer): void {
    for (const what of LIST_NAMES) {
      const leftOut = newIn(next[what].leftOut, before[what].leftOut);
      if (what === 'tools') this.#malformed(server, leftOut);
      else this.#odd('malformed entries left out', what, server, leftOut);
      const mended = newIn(next[what].mended, before[what].mended);
      this.#odd('malformed members of entries dropped', what, server, mended);
    }
    for (const name of newIn(next.tools.doubled, before.tools.doubled))
      this.collided('tools', [{ name, winner: server, loser: server }]);
    this.#tools(server, before.tools, next.tools);
    for (const section of SECTIONS) this.#items(section, server, [before, next]);
    for (const gap of newIn(next.gaps, before.gaps)) {
      this.#log.warn('a list of the server was read in part', { server, gap });
      serverEvents(server, this.#emit)('MCPServerListPartial', gap);
    }
  }

  /** What a server offers is shown otherwise, and its tools are other objects. */
  renewed(server: string, offer: ServerOffer): void {
    for (const section of SECTIONS) {
      const { size: count } = offer[section].entries;
      if (count > 0) this.#emit({ type: `server.${section}Changed`, server, count });
    }
  }

  /** Names that two have; one of them is left out. */
  collided(what: ListName, collisions: readonly Collision[]): void {
    if (what === 'tools')
      for (const collision of collisions) {
        const text = 'two tools have one name; set toolPrefix in one of the definitions';
        this.#log.warn(text, { ...collision });
        this.#emit({ type: 'tool.collided', ...collision });
      }
    else this.#collidedItems(what, collisions);
  }
  #collidedItems(what: Section, collisions: readonly Collision[]): void {
    const byPair = new Map<string, Collision[]>();
    for (const one of collisions) {
      const pair = `${one.winner} ${one.loser}`;
      byPair.set(pair, [...(byPair.get(pair) ?? []), one]);
    }
    for (const those of byPair.values()) {
      const [{ winner, loser } = { winner: '', loser: '' }] = those;
      const text = 'two servers offer something under one name; that of the loser is left out';
      const names = those.slice(0, MAX_SHOWN).map(({ name }) => name);
      this.#log.warn(text, { what, winner, loser, count: those.length, names: names.join(', ') });
    }
    for (const collision of collisions) this.#emit({ type: 'tool.collided', what, ...collision });
  }

  #malformed(server: string, tools: readonly string[]): void {
    for (const tool of tools) this.#emit({ type: 'tool.malformed', server, tool });
    for (const tool of tools.slice(0, MAX_LOGGED))
      this.#log.warn('malformed tool left out', { server, tool });
    const count = tools.length - MAX_LOGGED;
    if (count > 0) this.#log.warn('more malformed tools left out', { server, count });
  }
  #odd(text: string, what: ListName, server: string, told: readonly string[]): void {
    if (told.length === 0) return;
    this.#log.warn(text, { server, what, count: told.length, names: told.slice(0, MAX_LOGGED) });
  }

  #tools(server: string, before: ServerTools, next: ServerTools): void {
    const { added, removed, replaced } = this.#differences.of(before.entries, next.entries);
    const changed = replaced.filter((name) => isOther(next.entries.get(name), before.entries.get(name)));
    if (added.length + removed.length + changed.length === 0) return;
    this.#emit({ type: 'server.toolsChanged', server, added, removed, changed });
  }

  #items(what: Section, server: string, offers: readonly [ServerOffer, ServerOffer]): void {
    const [{ entries: former }, { entries: now }] = [offers[0][what], offers[1][what]];
    if (former === now) return;
    for (const [listed, { ownName: name }] of now) {
      if (what === 'prompts' || former.has(listed) || !isOwnUri(name)) continue;
      const text = 'a server offers a resource under a uri of Pegboard; it is listed under another name';
      this.#log.warn(text, { server, uri: name, listed });
      this.#emit({ type: 'tool.collided', what, name, winner: 'pegboard', loser: server });
    }
    if (former.size + now.size > 0) this.#emit({ type: `server.${what}Changed`, server, count: now.size });
  }
}

function newIn(told: readonly string[], before: readonly string[]): readonly string[] {
  const known = new Set(before);
  return told.filter((one) => !known.has(one));
}

/** Whether a declaration has changed; a different order of members does not count. */
function isOther(entry: ToolEntry | undefined, former: ToolEntry | undefined): boolean {
  return entry?.text !== former?.text && !isDeepStrictEqual(former?.tool.declared, entry?.tool.declared);
}
