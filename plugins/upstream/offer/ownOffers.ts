import { setNewest } from 'pegboard';
import type { InboundRequest } from 'pegboard';
import type { Connection } from '../server/connection.ts';
import type { OwnList } from '../server/ownLists.ts';
import type { Personal } from '../server/personal.ts';
import type { Audience, AudienceGroup } from './claims.ts';
import { Offering } from './offering.ts';
import type { OfferingParts } from './offering.ts';
import type { OfferingServer } from './offeringServer.ts';

const MAX_OWNERS = 20_000;

/** One server of those whose names are chosen together: a family, or one server. */
export interface OfferMember {
  readonly connection: Connection;
  readonly personal: Personal | undefined;
}
/** What the servers offer to all requests whose owners have equal lists. */
interface Variant {
  readonly offering: Offering;
  readonly lists: readonly (OwnList | undefined)[];
}
/** Of the credentials that a request uses, by server. */
type Owners = ReadonlyMap<string, string>;
interface Seen {
  readonly owners: Owners;
  /** Key of theirs. */
  variant: string | undefined;
}

/** What a family, or a server, offers whose lists depend on the caller: one variant for each combination of lists. A request whose
 *  owner has no list gets that of the shared connection. */
export class OwnOffers implements AudienceGroup {
  readonly #parts: OfferingParts;
  #members: readonly OfferMember[] = [];
  /** By the ids of its lists. */
  readonly #variants = new Map<string, Variant>();
  /** Owners that were seen, by a text of them. */
  readonly #seen = new Map<string, Seen>([['', { owners: new Map(), variant: undefined }]]);
  /** How many owners have each variant. */
  readonly #users = new Map<string, number>();
  #byRequest = new WeakMap<InboundRequest, Offering>();

  constructor(parts: OfferingParts) {
    this.#parts = parts;
  }

  /** The members, or what is shared of them, have changed. */
  update(members: readonly OfferMember[]): void {
    this.#members = members;
    this.#byRequest = new WeakMap();
    this.#users.clear();
    const wanted = new Map<string, Variant['lists']>();
    for (const seen of this.#seen.values()) {
      const lists = this.#listsOf(seen.owners);
      seen.variant = keyOf(lists);
      this.#count(seen.variant, 1);
      wanted.set(seen.variant, lists);
    }
    for (const key of this.#variants.keys()) if (!wanted.has(key)) this.#drop(key);
    for (const [key, lists] of wanted) this.#fill(this.#variants.get(key) ?? this.#add(key, lists));
  }

  /** What the servers list for one owner has changed: thousands of owners connect at once after a restart. */
  listed(server: string, owner: string): void {
    const [member, ...others] = this.#members;
    if (member?.personal === undefined || others.length > 0) {
      this.update(this.#members);
      return;
    }
    const seen = this.#seen.get(textOf(new Map([[server, owner]])));
    // An owner who has not been seen gets a variant with the next request.
    if (seen === undefined) return;
    const former = seen.variant;
    this.#assign(seen);
    if (former === undefined || former === seen.variant) return;
    if (this.#count(former, -1) === 0) this.#drop(former);
  }

  /** The owner of the request gets its own variant from now on. */
  prepare(request: InboundRequest): void {
    const owners = this.#ownersOf(request);
    const text = textOf(owners);
    if (this.#seen.has(text)) return;
    const seen: Seen = { owners, variant: undefined };
    setNewest(this.#seen, [text, seen], MAX_OWNERS);
    this.#assign(seen);
  }

  /** Withdraws everything. */
  clear(): void {
    this.#members = [];
    this.#byRequest = new WeakMap();
    for (const { offering } of this.#variants.values()) offering.clear();
    this.#variants.clear();
    this.#users.clear();
  }

  audienceOf(request?: InboundRequest): Audience | undefined {
    return this.offeringFor(request)?.audience;
  }
  /** @param request absent: one without a list of its own */
  offeringFor(request?: InboundRequest): Offering | undefined {
    const known = request && this.#byRequest.get(request);
    if (known !== undefined) return known;
    const variantOf = (owners: Owners): Variant | undefined =>
      this.#variants.get(keyOf(this.#listsOf(owners)));
    const variant = (request && variantOf(this.#ownersOf(request))) ?? variantOf(new Map());
    if (request !== undefined && variant !== undefined) this.#byRequest.set(request, variant.offering);
    return variant?.offering;
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

  #assign(seen: Seen): void {
    const lists = this.#listsOf(seen.owners);
    const key = keyOf(lists);
    if (key === seen.variant) return;
    if (!this.#variants.has(key)) this.#fill(this.#add(key, lists));
    this.#count(key, 1);
    seen.variant = key;
    this.#byRequest = new WeakMap();
  }
  /** @returns how many owners have it then */
  #count(key: string, more: number): number {
    const users = (this.#users.get(key) ?? 0) + more;
    this.#users.set(key, users);
    return users;
  }
  #drop(key: string): void {
    const { offering } = this.#variants.get(key) ?? {};
    this.#variants.delete(key);
    this.#users.delete(key);
    offering?.clear();
  }

  #add(key: string, lists: Variant['lists']): Variant {
    const variant: Variant = { offering: new Offering({ group: this }, this.#parts), lists };
    this.#variants.set(key, variant);
    return variant;
  }

  #fill({ offering, lists }: Variant): void {
    this.#members.forEach(({ connection }, at) => offering.update(withList(connection, lists[at])));
  }
}

function textOf(owners: Owners): string {
  return owners.size === 0 ? '' : JSON.stringify([...owners]);
}
function keyOf(lists: readonly (OwnList | undefined)[]): string {
  return lists.map((list) => list?.id ?? '').join(' ');
}

/** A server as its owner sees it. */
function withList(connection: Connection, list: OwnList | undefined): OfferingServer {
  if (list === undefined) return connection;
  return {
    name: connection.name,
    get definition() {
      return connection.definition;
    },
    get isWanted() {
      return connection.isWanted;
    },
    isStale: false,
    listing: list.listing,
    facts: list.facts,
    for: (request, client) => connection.for(request, client),
    watchFor: (owner, uri, updated) => connection.watchFor(owner, uri, updated),
  };
}
