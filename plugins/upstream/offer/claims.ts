import type { InboundRequest } from 'pegboard';
import type { Places } from './places.ts';

/** Requests that are offered the same by certain servers. */
export interface Audience {
  readonly group: AudienceGroup;
}
/** Audiences of the same servers. */
export interface AudienceGroup {
  /** The one that a request is in. @param request absent: one without lists of its own */
  audienceOf(request?: InboundRequest): Audience | undefined;
}
/** Audience of the servers that offer the same to all. */
export const EVERYONE: Audience = { group: { audienceOf: () => EVERYONE } };

export interface Claim {
  readonly server: string;
  /** The prefix is the server's own name, not a toolPrefix or a family, which any definition may choose. */
  readonly isOwn: boolean;
}
export interface Claimant {
  readonly audience: Audience;
  readonly server: string;
}
export interface Collision {
  readonly name: string;
  readonly winner: string;
  readonly loser: string;
}

/** Resolves names that several servers claim: for each request, an own name wins, else the server that came first, else, or without
 *  places, the first server by name. */
export class Claims<T extends Claim> {
  readonly #places: Places | undefined;
  /** Claims on each name, by group and audience; the best of an audience is first. */
  readonly #claimsByName = new Map<string, Map<AudienceGroup, Map<Audience, readonly T[]>>>();

  /** Claims that win for every request. */
  readonly #soleByName = new Map<string, T>();

  /** @param places absent: the order of arrival does not matter */
  constructor(places?: Places) {
    this.#places = places;
  }

  /** @param request absent: one without lists of its own */
  winner(name: string, request?: InboundRequest, isIn?: (claim: T) => boolean): T | undefined {
    const sole = isIn === undefined ? this.#soleByName.get(name) : undefined;
    if (sole !== undefined) return sole;
    let best: T | undefined;
    for (const [group, claimsByAudience] of this.#claimsByName.get(name) ?? []) {
      const audience = group.audienceOf(request);
      const claim = ((audience && claimsByAudience.get(audience)) ?? []).find(isIn ?? (() => true));
      if (claim !== undefined && (best === undefined || this.#compare(name, claim, best) < 0)) best = claim;
    }
    return best;
  }

  /** The claim that came first, of different names in their order. */
  earliest<N extends T & { readonly offer: { readonly name: string } }>(claims: readonly N[]): N | undefined {
    const at = ({ offer, server }: N): number => this.#places?.of(offer.name, server) ?? 0;
    return [...claims].sort((a, b) => at(a) - at(b))[0];
  }

  /** The first claim of an audience, unless it loses to the one that everyone is offered. */
  contender(name: string, audience: Audience): T | undefined {
    const claim = this.#first(name, audience);
    const forAll = this.#first(name, EVERYONE);
    if (claim === undefined || forAll === undefined || claim === forAll) return claim;
    return this.#compare(name, claim, forAll) < 0 ? claim : undefined;
  }
  get names(): Iterable<string> {
    return this.#claimsByName.keys();
  }
  /** Audiences in which a server has that name. */
  audiences(name: string): readonly Audience[] {
    const groups = [...(this.#claimsByName.get(name)?.values() ?? [])];
    return groups.flatMap((claimsByAudience) => [...claimsByAudience.keys()]);
  }

  /** The collisions that these claims would cause: each once, however many audiences a server has. */
  collisions({ audience: { group } }: Claimant, fresh: ReadonlyMap<string, T>): readonly Collision[] {
    return [...fresh].flatMap(([name, claim]) => {
      for (const claims of this.#claimsByName.get(name)?.get(group)?.values() ?? [])
        if (claims.some(({ server }) => server === claim.server)) return [];
      const others = this.audiences(name).flatMap((audience) => this.#first(name, audience) ?? []);
      if (others.length === 0) return [];
      const other = others.reduce((best, one) => (this.#compare(name, one, best) < 0 ? one : best));
      const [winner, loser] = this.#compare(name, other, claim) < 0 ? [other, claim] : [claim, other];
      return [{ name, winner: winner.server, loser: loser.server }];
    });
  }
  #first(name: string, audience: Audience): T | undefined {
    return this.#claimsByName.get(name)?.get(audience.group)?.get(audience)?.[0];
  }

  /** Replaces the claims of one claimant by `next`. @returns the names whose winner may have changed */
  replace(
    { audience, server }: Claimant,
    former: Iterable<string>,
    next: ReadonlyMap<string, T>,
  ): ReadonlySet<string> {
    const touched = new Set<string>([...former, ...next.keys()]);
    this.#places?.take(server, next.keys());
    for (const name of touched) {
      const claimsByGroup =
        this.#claimsByName.get(name) ?? new Map<AudienceGroup, Map<Audience, readonly T[]>>();
      const claimsByAudience = claimsByGroup.get(audience.group) ?? new Map<Audience, readonly T[]>();
      const others = (claimsByAudience.get(audience) ?? []).filter((claim) => claim.server !== server);
      const own = next.get(name);
      const claims = own === undefined ? others : [...others, own].sort((a, b) => this.#compare(name, a, b));
      setOrDelete(claimsByAudience, [audience, claims], claims.length === 0);
      setOrDelete(claimsByGroup, [audience.group, claimsByAudience], claimsByAudience.size === 0);
      setOrDelete(this.#claimsByName, [name, claimsByGroup], claimsByGroup.size === 0);
      if (claimsByGroup.size === 0) this.#places?.forget(name);
      const sole = claimsByGroup.size === 1 ? this.#first(name, EVERYONE) : undefined;
      if (sole === undefined) this.#soleByName.delete(name);
      else this.#soleByName.set(name, sole);
    }
    return touched;
  }

  #compare(name: string, a: Claim, b: Claim): number {
    if (a.isOwn !== b.isOwn) return a.isOwn ? -1 : 1;
    const [first, second] = [a, b].map(({ server }) => this.#places?.of(name, server) ?? Infinity) as [
      number,
      number,
    ];
    if (first !== second) return first - second;
    return a.server < b.server ? -1 : 1;
  }
}

function setOrDelete<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], isEmpty: boolean): void {
  if (isEmpty) map.delete(key);
  else map.set(key, value);
}
