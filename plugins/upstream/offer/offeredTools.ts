import { messageOf } from 'pegboard';
import type { InboundRequest, KernelEvent, Log, Tool } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { UpstreamConfig } from '../config.ts';
import { Claims, EVERYONE } from './claims.ts';
import type { Audience, Claimant } from './claims.ts';
import type { ToolEntry } from './toolEntry.ts';

export interface OfferedToolsParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  /** @throws GatewayError TOOL_DUPLICATE */
  readonly addTool: (tool: Tool) => () => void;
}
interface Added {
  readonly entry: ToolEntry;
  /** No request gets another tool of its name. */
  readonly isForAll: boolean;
  readonly remove: () => void;
}

/** The tools of all servers in the catalogue: of each name, the one that wins for a request. */
export class OfferedTools {
  readonly #parts: OfferedToolsParts;
  readonly #claims = new Claims<ToolEntry>();
  readonly #added = new Map<string, Map<Audience, Added>>();
  /** Winners that the catalogue refuses. */
  readonly #refused = new WeakSet<ToolEntry>();
  /** Names of removed tools → the server that offered them to all. */
  readonly #tombstones = new Map<string, string>();

  constructor(parts: OfferedToolsParts) {
    this.#parts = parts;
  }

  /** @param request absent: one without lists of its own */
  winner(name: string, request?: InboundRequest): ToolEntry | undefined {
    const entry = this.#claims.winner(name, request);
    return entry !== undefined && !this.#refused.has(entry) ? entry : undefined;
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
    for (const name of this.#claims.replace(claimant, former.keys(), next))
      this.#settle(name, claimant.audience);
  }

  collided(name: string, winner: string, loser: string): void {
    const text = 'two tools have one name; set toolPrefix in one of the definitions';
    this.#parts.log.warn(text, { name, winner, loser });
    this.#parts.emit({ type: 'tool.collided', name, winner, loser });
  }

  /** Puts those that win a name into the catalogue. @param changed whose claims on it have changed */
  #settle(name: string, changed: Audience): void {
    const added = this.#added.get(name) ?? new Map<Audience, Added>();
    this.#added.set(name, added);
    const isShared = added.has(EVERYONE) || this.#claims.contender(name, EVERYONE) !== undefined;
    const affected = isShared ? new Set([...added.keys(), ...this.#claims.audiences(name)]) : [changed];
    const wanted = new Map<Audience, ToolEntry>();
    for (const audience of affected) {
      const entry = this.#claims.contender(name, audience);
      if (entry !== undefined) wanted.set(audience, entry);
    }
    const isForAll = wanted.size === 1 && wanted.has(EVERYONE);
    for (const audience of affected) {
      const held = added.get(audience);
      if (held === undefined || (held.entry === wanted.get(audience) && held.isForAll === isForAll)) continue;
      held.remove();
      added.delete(audience);
      if (audience === EVERYONE) this.#bury(held.entry);
    }
    for (const [audience, entry] of wanted) {
      const remove = added.has(audience) ? undefined : this.#add(entry, isForAll ? undefined : audience);
      if (remove !== undefined) added.set(audience, { entry, isForAll, remove });
    }
    if (added.has(EVERYONE)) this.#tombstones.delete(name);
    if (added.size === 0) this.#added.delete(name);
  }

  /** @param audience absent: it is for all requests. @returns undefined if the catalogue refuses it */
  #add(entry: ToolEntry, audience: Audience | undefined): (() => void) | undefined {
    const { tool, server } = entry;
    const isFor = (request: InboundRequest): boolean =>
      audience?.group.audienceOf(request) === audience && this.#claims.winner(tool.name, request) === entry;
    try {
      const remove = this.#parts.addTool(audience === undefined ? tool : { ...tool, isFor });
      this.#refused.delete(entry);
      return remove;
    } catch (error) {
      this.#refused.add(entry);
      this.collided(tool.name, messageOf(error), server);
      return undefined;
    }
  }

  #bury({ tool, server }: ToolEntry): void {
    // A family is not a server that could be started again.
    if (server === tool.server)
      setNewest(this.#tombstones, [tool.name, server], this.#parts.config().maxTombstones);
  }
}
