import type { InboundRequest } from 'pegboard';
import type { OwnList } from '../own/ownLists.ts';
import type { Personal } from '../own/personal.ts';
import type { Server } from '../server/server.ts';
import type { Audience, AudienceGroup } from './claims.ts';
import { Offering } from './offering.ts';
import type { OfferingParts } from './offering.ts';
import type { OfferingServer } from './offeringServer.ts';

const MAX_OWNERS = 20_000;

/** One server of those whose names are chosen together: a family, or one server. */
export interface OfferMember {
  readonly server: Server;
  readonly personal: Personal | undefined;
}
/** What the servers offer to all requests whose owners have equal lists. */
interface Variant {
  readonly key: string;
  readonly offering: Offering;
  readonly lists: readonly (OwnList | undefined)[];
  /** How many owners have it. */
  users: number;
}
/** Owners of the credentials that a request uses, by server. */
type Owners = ReadonlyMap<string, string>;
/** Owners that occur together. */
interface Seen {
  readonly owners: Owners;
  variant: Variant | undefined;
}

/** What a family, or a server, offers whose lists depend on the caller: one variant for each combination of lists. A request whose
 *  owner has no list gets that of the shared connection. */
export class OwnOffers implements AudienceGroup {
  readonly #parts: OfferingParts;
  #members: readonly OfferMember[] = [];
  readonly #variants = new Map<string, Variant>();
  readonly #unowned: Seen = { owners: new Map(), variant: undefined };
  /** Owners that occur together, by a text of them; the latest is last. */
  readonly #seen = new Map<string, Seen>();
  readonly #seenByOwner = new Map<string, Set<Seen>>();
  #byRequest = new WeakMap<InboundRequest, Offering>();

  constructor(parts: OfferingParts) {
    this.#parts = parts;
  }

  /** The members, or what is shared of them, have changed. */
  update(members: readonly OfferMember[]): void {
    this.#members = members;
    this.#byRequest = new WeakMap();
    for (const seen of [this.#unowned, ...this.#seen.values()]) this.#assign(seen);
    for (const variant of this.#variants.values()) this.#fill(variant);
  }

  /** What a server lists for one owner has changed: thousands of owners connect at once after a restart. */
  listed(server: string, owner: string): void {
    // An owner who has not been seen gets a variant with the next request.
    for (const seen of this.#seenByOwner.get(owner) ?? [])
      if (seen.owners.get(server) === owner) this.#assign(seen);
  }

  /** The owner of the request gets its own variant from now on. */
  prepare(request: InboundRequest): void {
    const owners = this.#ownersOf(request);
    if (owners.size === 0) return;
    const text = JSON.stringify([...owners]);
    const seen = this.#seen.get(text) ?? { owners, variant: undefined };
    this.#seen.delete(text);
    this.#seen.set(text, seen);
    if (seen.variant !== undefined) return;
    this.#assign(seen);
    for (const owner of owners.values())
      this.#seenByOwner.set(owner, (this.#seenByOwner.get(owner) ?? new Set()).add(seen));
    const [oldest] = this.#seen;
    if (oldest !== undefined && this.#seen.size > MAX_OWNERS) this.#forget(...oldest);
  }

  /** Withdraws everything. */
  clear(): void {
    this.#members = [];
    this.#byRequest = new WeakMap();
    for (const { offering } of this.#variants.values()) offering.clear();
    this.#variants.clear();
    this.#seen.clear();
    this.#seenByOwner.clear();
    this.#unowned.variant = undefined;
  }

  audienceOf(request?: InboundRequest): Audience | undefined {
    return this.offeringFor(request)?.audience;
  }
  /** @param request absent: one without a list of its own */
  offeringFor(request?: InboundRequest): Offering | undefined {
    const shared = this.#unowned.variant?.offering;
    if (request === undefined) return shared;
    const known = this.#byRequest.get(request);
    if (known !== undefined) return known;
    const own = this.#variants.get(this.#keyOf(this.#listsOf(this.#ownersOf(request))));
    const offering = own?.offering ?? shared;
    if (offering !== undefined) this.#byRequest.set(request, offering);
    return offering;
  }

  #ownersOf(request: InboundRequest): Owners {
    const owners = new Map<string, string>();
    for (const { personal } of this.#members) {
      const owner = personal?.credentialOf(request)?.owner;
      if (personal !== undefined && owner !== undefined) owners.set(personal.name, owner);
    }
    return owners;
  }
  #listsOf(owners: Owners): readonly (OwnList | undefined)[] {
    return this.#members.map(({ personal }) => {
      const owner = owners.get(personal?.name ?? '');
      return owner === undefined ? undefined : personal?.listOf(owner);
    });
  }

  #keyOf(lists: Variant['lists']): string {
    return this.#members.map(({ server }, at) => `${server.name} ${lists[at]?.id ?? ''}`).join(' ');
  }

  #assign(seen: Seen): void {
    const lists = this.#listsOf(seen.owners);
    const key = this.#keyOf(lists);
    const former = seen.variant;
    if (key === former?.key) return;
    this.#byRequest = new WeakMap();
    seen.variant = this.#variants.get(key) ?? this.#add(key, lists);
    seen.variant.users += 1;
    if (former !== undefined) this.#release(former);
  }
  #release(variant: Variant): void {
    variant.users -= 1;
    if (variant.users > 0) return;
    this.#variants.delete(variant.key);
    variant.offering.clear();
  }
  #forget(text: string, seen: Seen): void {
    this.#seen.delete(text);
    for (const owner of seen.owners.values()) {
      const others = this.#seenByOwner.get(owner);
      others?.delete(seen);
      if (others?.size === 0) this.#seenByOwner.delete(owner);
    }
    this.#byRequest = new WeakMap();
    if (seen.variant !== undefined) this.#release(seen.variant);
  }

  #add(key: string, lists: Variant['lists']): Variant {
    const variant = { key, lists, offering: new Offering({ group: this }, this.#parts), users: 0 };
    this.#variants.set(key, variant);
    this.#fill(variant);
    return variant;
  }
  #fill({ offering, lists }: Variant): void {
    this.#members.forEach(({ server }, at) => offering.update(withList(server, lists[at])));
  }
}

/** A server as its owner sees it. */
function withList(server: Server, list: OwnList | undefined): OfferingServer {
  if (list === undefined) return server;
  return {
    name: server.name,
    get definition() {
      return server.definition;
    },
    get isWanted() {
      return server.isWanted;
    },
    isStale: false,
    listing: list.listing,
    facts: list.facts,
    callsFor: (request, client) => server.callsFor(request, client),
    watchFor: (owner, uri, updated) => server.watchFor(owner, uri, updated),
  };
}
