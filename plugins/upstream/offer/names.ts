import { createHash } from 'node:crypto';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';

export interface NameParts {
  readonly servicePrefix: string;
  /** `toolPrefix` of the definition, or the server's name. */
  readonly prefix: string;
  readonly maxChars: number;
}

export function namingOf(
  { name, definition }: { readonly name: string; readonly definition: Pick<ServerDefinition, 'toolPrefix'> },
  { servicePrefix, maxNameChars }: Pick<UpstreamConfig, 'servicePrefix' | 'maxNameChars'>,
): NameParts {
  return { servicePrefix, prefix: definition.toolPrefix ?? name, maxChars: maxNameChars };
}

export function isSameNaming(a: NameParts, b: NameParts): boolean {
  return a.servicePrefix === b.servicePrefix && a.prefix === b.prefix && a.maxChars === b.maxChars;
}

/** `x_<prefix>_<name>`; the prefix is not repeated if the name begins with `<prefix>_`. Exposed names are never parsed:
 *  a map has the meaning of each. Source: requirement service.names. */
export function exposedName(name: string, { servicePrefix, prefix, maxChars }: NameParts): string {
  const full = name.startsWith(`${prefix}_`)
    ? `${servicePrefix}_${name}`
    : `${servicePrefix}_${prefix}_${name}`;
  if (full.length <= maxChars) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 12);
  return `${full.slice(0, maxChars - 13).replace(/[\ud800-\udbff]$/, '')}_${hash}`;
}

/** Whether a tool of that name could belong to the server. */
export function isNamedAfter(name: string, { servicePrefix, prefix }: NameParts): boolean {
  return name.startsWith(`${servicePrefix}_${prefix}_`);
}

/** URIs of Pegboard's own resources. Source: requirement resource.auth. */
const OWN_URIS: ReadonlySet<string> = new Set(['auth://status']);

export function isOwnUri(uri: string): boolean {
  return OWN_URIS.has(uri);
}

/** Keeps a URI that has a scheme, unless it is one of Pegboard's own. */
export function exposedUri(uri: string, parts: NameParts): string {
  return uri.includes('://') && !isOwnUri(uri)
    ? uri
    : exposedName(uri, { ...parts, maxChars: Number.POSITIVE_INFINITY });
}

export interface Claim {
  readonly server: string;
  /** The prefix is the server's own name, not a toolPrefix or a family, which any definition may choose. */
  readonly isOwn: boolean;
}
export interface Collision {
  readonly name: string;
  readonly winner: string;
  readonly loser: string;
}

/** Resolves names that several servers claim: an own name wins, else the first server by name, in any order of arrival. */
export class Claims<T extends Claim> {
  readonly #claimsByName = new Map<string, readonly T[]>();

  winner(name: string): T | undefined {
    return this.#claimsByName.get(name)?.[0];
  }
  names(): Iterable<string> {
    return this.#claimsByName.keys();
  }

  /** The collisions that these claims would cause. */
  collisions(fresh: ReadonlyMap<string, T>): readonly Collision[] {
    return [...fresh].flatMap(([name, claim]) => {
      const other = this.winner(name);
      if (other === undefined || other.server === claim.server) return [];
      const [winner, loser] = byRight(other, claim) < 0 ? [other, claim] : [claim, other];
      return [{ name, winner: winner.server, loser: loser.server }];
    });
  }

  /** Replaces the claims of `server` by `next`. @returns the names whose winner may have changed */
  replace(server: string, former: Iterable<string>, next: ReadonlyMap<string, T>): ReadonlySet<string> {
    const touched = new Set<string>([...former, ...next.keys()]);
    for (const name of touched) {
      const others = (this.#claimsByName.get(name) ?? []).filter((claim) => claim.server !== server);
      const own = next.get(name);
      const claims = own === undefined ? others : [...others, own].sort(byRight);
      if (claims.length === 0) this.#claimsByName.delete(name);
      else this.#claimsByName.set(name, claims);
    }
    return touched;
  }
}

function byRight(a: Claim, b: Claim): number {
  if (a.isOwn !== b.isOwn) return a.isOwn ? -1 : 1;
  return a.server < b.server ? -1 : 1;
}
