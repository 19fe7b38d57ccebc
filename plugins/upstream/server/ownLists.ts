import { createHash } from 'node:crypto';
import { setNewest } from 'pegboard';
import type { Listing } from '../conversation/listing.ts';
import type { ServerFacts } from '../revision/serverFacts.ts';

const MAX_OWNERS = 20_000;

/** What a server lists for those who have one list. */
export interface OwnList {
  /** Equal lists of one server are one object. */
  readonly id: string;
  readonly listing: Listing;
  readonly facts: ServerFacts | undefined;
}

/** The last known lists of one server, by owner of a connection. */
export class OwnLists {
  readonly #byOwner = new Map<string, OwnList>();
  readonly #known = new Map<string, WeakRef<OwnList>>();

  of(owner: string): OwnList | undefined {
    return this.#byOwner.get(owner);
  }
  has(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** @returns whether it differs from the list that the owner had */
  set(owner: string, listing: Listing, facts: ServerFacts | undefined): boolean {
    const former = this.#byOwner.get(owner);
    if (former?.listing === listing) return false;
    const next = this.#shared(listing, facts);
    setNewest(this.#byOwner, [owner, next], MAX_OWNERS);
    return next !== former;
  }

  /** @returns whether there was one */
  forget(owner: string): boolean {
    return this.#byOwner.delete(owner);
  }
  clear(): void {
    this.#byOwner.clear();
    this.#known.clear();
  }

  #shared(listing: Listing, facts: ServerFacts | undefined): OwnList {
    const text = JSON.stringify([listing, facts?.era, facts?.capabilities]);
    const id = createHash('sha256').update(text).digest('base64url');
    const known = this.#known.get(id)?.deref();
    if (known !== undefined) return known;
    for (const [other, ref] of this.#known) if (ref.deref() === undefined) this.#known.delete(other);
    const list = { id, listing, facts };
    this.#known.set(id, new WeakRef(list));
    return list;
  }
}
