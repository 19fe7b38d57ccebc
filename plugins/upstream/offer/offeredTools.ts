import type { InboundRequest, KernelEvent, Log, Tool, ToolSource, ToolTable } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { UpstreamConfig } from '../config.ts';
import { Claims, EVERYONE } from './claims.ts';
import type { Audience, AudienceGroup, Claimant } from './claims.ts';
import type { ToolEntry } from './toolEntry.ts';

export interface OfferedToolsParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly table: () => Pick<ToolTable, 'declared'>;
}

/** Lists that are kept for requests with lists of their own: each has all tools. */
const MAX_LISTS = 64;

/** The tools of all servers: of each name, the one that wins for a request. */
export class OfferedTools implements ToolSource {
  readonly #parts: OfferedToolsParts;
  readonly #claims = new Claims<ToolEntry>();
  /** Groups whose lists depend on the request → how many names they claim. */
  readonly #groups = new Map<AudienceGroup, number>();
  readonly #ids = new WeakMap<Audience, number>();
  #lastId = 0;
  /** In order, so that the catalogue need not sort each list anew. */
  #names: readonly string[] | undefined;
  /** The tools of requests that are in the same audiences; the latest is last. */
  readonly #lists = new Map<string, readonly Tool[]>();
  readonly #followers = new Set<() => void>();
  /** Names of removed tools → the server that offered them to all. */
  readonly #tombstones = new Map<string, string>();

  constructor(parts: OfferedToolsParts) {
    this.#parts = parts;
  }

  find(name: string, request?: InboundRequest): Tool | undefined {
    return this.#claims.winner(name, request)?.tool;
  }
  all(request: InboundRequest): readonly Tool[] {
    const key = [...this.#groups.keys()].map((group) => this.#idOf(group.audienceOf(request))).join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list: Tool[] = [];
    for (const name of (this.#names ??= [...this.#claims.names].sort())) {
      const tool = this.find(name, request);
      if (tool !== undefined) list.push(tool);
    }
    setNewest(this.#lists, [key, list], MAX_LISTS);
    return list;
  }
  follow(changed: () => void): () => void {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  }

  /** @param request absent: one without lists of its own. @returns undefined if another plugin has the name */
  winner(name: string, request?: InboundRequest): ToolEntry | undefined {
    return this.#holder(name) === undefined ? this.#claims.winner(name, request) : undefined;
  }

  /** The server that formerly offered a tool of that name to all. */
  formerServer(name: string): string | undefined {
    return this.#tombstones.get(name);
  }

  /** Replaces the tools of a claimant, a server or `family <name>`. */
  replace(
    claimant: Claimant,
    former: ReadonlyMap<string, ToolEntry>,
    next: ReadonlyMap<string, ToolEntry>,
  ): void {
    const fresh = new Map([...next].filter(([name]) => !former.has(name)));
    for (const { name, winner, loser } of this.#claims.collisions(claimant, fresh))
      this.collided(name, winner, loser);
    const touched = this.#claims.replace(claimant, former.keys(), next);
    for (const [name, { server }] of fresh) {
      const holder = this.#holder(name);
      if (holder !== undefined) this.collided(name, `the ${holder.kind} tool of that name`, server);
    }
    if (claimant.audience !== EVERYONE) this.#count(claimant.audience.group, next.size - former.size);
    else for (const name of touched) this.#settle(name, former.get(name));
    if ([...touched].every((name) => former.get(name) === next.get(name))) return;
    this.#names = undefined;
    this.#lists.clear();
    for (const changed of this.#followers) changed();
  }

  collided(name: string, winner: string, loser: string): void {
    const text = 'two tools have one name; set toolPrefix in one of the definitions';
    this.#parts.log.warn(text, { name, winner, loser });
    this.#parts.emit({ type: 'tool.collided', name, winner, loser });
  }

  #count(group: AudienceGroup, more: number): void {
    const names = (this.#groups.get(group) ?? 0) + more;
    if (names > 0) this.#groups.set(group, names);
    else this.#groups.delete(group);
  }
  #idOf(audience: Audience | undefined): number {
    if (audience === undefined) return 0;
    const id = this.#ids.get(audience) ?? (this.#lastId += 1);
    this.#ids.set(audience, id);
    return id;
  }

  /** A tool that another plugin added: it has its name before all servers. */
  #holder(name: string): Tool | undefined {
    const tool = this.#parts.table().declared(name);
    return tool === undefined || tool.kind === 'tool' ? undefined : tool;
  }

  /** Notes who had a name that is offered to all no more. A family is not a server that could be started again. */
  #settle(name: string, former: ToolEntry | undefined): void {
    if (this.#claims.contender(name, EVERYONE) !== undefined) this.#tombstones.delete(name);
    else if (former !== undefined && former.server === former.tool.server)
      setNewest(this.#tombstones, [name, former.server], this.#parts.config().maxTombstones);
  }
}
