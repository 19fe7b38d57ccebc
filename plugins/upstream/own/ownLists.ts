import { createHash } from 'node:crypto';
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

/** A list, and how many owners have it. */
interface Used {
  readonly list: OwnList;
  owners: number;
}

/** The last known lists of one server, by owner of a connection. */
export class OwnLists {
  /** The owner whose list was set last is last. */
  readonly #byOwner = new Map<string, Owned>();
  readonly #used = new Map<string, Used>();
  #bytes = 0;

  of(owner: string): OwnList | undefined {
    return this.#byOwner.get(owner)?.list;
  }
  isCurrent(owner: string): boolean {
    return this.#byOwner.get(owner)?.isCurrent === true;
  }
  /** Length of all lists together; one that several owners have counts once. */
  get bytes(): number {
    return this.#bytes;
  }
  /** One that an owner has. */
  known(id: string): OwnList | undefined {
    return this.#used.get(id)?.list;
  }

  /** @returns whether it differs from the list that the owner had */
  set(owner: string, listing: Listing, facts: ServerFacts | undefined): boolean {
    const former = this.#byOwner.get(owner);
    if (former?.list.listing === listing && former.isCurrent) return false;
    const list = this.#shared({ listing, facts });
    this.#put(owner, { list, isCurrent: true });
    return list !== former?.list;
  }
  /** Sets what an earlier process has read. @returns whether nothing newer was there */
  recall(owner: string, kept: Listed): boolean {
    if (this.#byOwner.has(owner)) return false;
    this.#put(owner, { list: this.#shared(kept), isCurrent: false });
    return true;
  }

  /** @returns whether there was one */
  forget(owner: string): boolean {
    const used = this.#used.get(this.of(owner)?.id ?? '');
    if (used === undefined) return false;
    this.#byOwner.delete(owner);
    used.owners -= 1;
    if (used.owners > 0) return true;
    this.#used.delete(used.list.id);
    this.#bytes -= used.list.bytes;
    return true;
  }
  clear(): void {
    this.#byOwner.clear();
    this.#used.clear();
    this.#bytes = 0;
  }

  #put(owner: string, owned: Owned): void {
    const { list } = owned;
    const used = this.#used.get(list.id) ?? { list, owners: 0 };
    if (used.owners === 0) this.#bytes += list.bytes;
    this.#used.set(list.id, used);
    used.owners += 1;
    this.forget(owner);
    this.#byOwner.set(owner, owned);
    const [oldest] = this.#byOwner.keys();
    if (oldest !== undefined && this.#byOwner.size > MAX_OWNERS) this.forget(oldest);
  }
  #shared({ listing, facts }: Listed): OwnList {
    const text = JSON.stringify([listing, facts?.era, facts?.capabilities]);
    const id = createHash('sha256').update(text).digest('hex');
    return this.known(id) ?? { id, bytes: Buffer.byteLength(text), listing, facts };
  }
}
