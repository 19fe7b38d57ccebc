import type { LRUCache } from 'lru-cache';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { KeyRing } from '../../contracts/vault.ts';
import { sealed, unsealed } from './sealed.ts';
import type { SessionLimits } from './sessions.ts';

interface Sealed {
  readonly i: string;
  readonly t: number;
}

/** Identifies a client without sign-in and session: an id, sealed like a session, that the client sends with every request. */
export class OwnerHandles {
  readonly #keys: KeyRing;
  readonly #opened: LRUCache<string, Sealed>;
  readonly #ttlMs: number;

  constructor(keys: KeyRing, { sessionTtlSeconds, openHandles }: SessionLimits) {
    this.#keys = keys;
    this.#opened = recentlyUsed(openHandles);
    this.#ttlMs = sessionTtlSeconds * 1_000;
  }

  /** A new handle for that owner. */
  seal(id: string): string {
    return sealed({ i: id, t: Date.now() } satisfies Sealed, 'owner', this.#keys);
  }

  /** @returns the owner's id; undefined if the handle is malformed, from another gateway, or expired */
  open(handle: string): string | undefined {
    const facts = this.#opened.get(handle) ?? (unsealed(handle, 'owner', this.#keys) as Sealed | undefined);
    if (facts === undefined || facts.t + this.#ttlMs <= Date.now()) return undefined;
    this.#opened.set(handle, facts);
    return facts.i;
  }
}
