import { createHash } from 'node:crypto';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { Listing } from '../client/conversation/listing.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';

const MAX_OWNERS = 20_000;

/** What a server lists for those who have one list. */
export interface OwnList {
  /** Equal lists of one server are one object. */
  readonly id: string;
  /** Length of its JSON. */
  readonly bytes: number;
  readonly listing: Listing;
  readonly facts: ServerFacts | undefined;
}
export type Listed = Pick<OwnList, 'listing' | 'facts'>;
interface Owned {
  readonly list: OwnList;
  /** False for one that an earlier process has read. */
  readonly isCurrent: boolean;
}

/** The last known lists of one server, by owner of a connection. */
export class OwnLists {
  readonly #byOwner = new Map<string, Owned>();
  readonly #known = new Map<string, WeakRef<OwnList>>();

  of(owner: string): OwnList | undefined {
    return this.#byOwner.get(owner)?.list;
  }
  isCurrent(owner: string): boolean {
    return this.#byOwner.get(owner)?.isCurrent === true;
  }
  /** Each list that owners have, once. */
  get all(): ReadonlySet<OwnList> {
    return new Set([...this.#byOwner.values()].map(({ list }) => list));
  }
  /** One that an owner has. */
  known(id: string): OwnList | undefined {
    return this.#known.get(id)?.deref();
  }

  /** @returns whether it differs from the list that the owner had */
  set(owner: string, listing: Listing, facts: ServerFacts | undefined): boolean {
    const former = this.#byOwner.get(owner);
    if (former?.list.listing === listing && former.isCurrent) return false;
    const list = this.#shared({ listing, facts });
    setNewest(this.#byOwner, [owner, { list, isCurrent: true }], MAX_OWNERS);
    return list !== former?.list;
  }
  /** Sets what an earlier process has read. @returns whether nothing newer was there */
  recall(owner: string, kept: Listed): boolean {
    if (this.#byOwner.has(owner)) return false;
    setNewest(this.#byOwner, [owner, { list: this.#shared(kept), isCurrent: false }], MAX_OWNERS);
    return true;
  }

  /** @returns whether there was one */
  forget(owner: string): boolean {
    return this.#byOwner.delete(owner);
  }
  clear(): void {
    this.#byOwner.clear();
    this.#known.clear();
  }

  #shared({ listing, facts }: Listed): OwnList {
    const text = JSON.stringify([listing, facts?.era, facts?.capabilities]);
    const id = createHash('sha256').update(text).digest('hex');
    const known = this.known(id);
    if (known !== undefined) return known;
    for (const [other, ref] of this.#known) if (ref.deref() === undefined) this.#known.delete(other);
    const list = { id, bytes: Buffer.byteLength(text), listing, facts };
    this.#known.set(id, new WeakRef(list));
    return list;
  }
}
