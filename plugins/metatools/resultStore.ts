import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { InboundRequest } from 'pegboard';
import type { MetatoolsConfig } from './config.ts';

interface Stored {
  readonly owner: string;
  readonly json: string;
}

/** Oversized results, bounded in number, bytes and time; each is readable by the one who made the call only. */
export class ResultStore {
  #cache: LRUCache<string, Stored>;

  constructor(limits: MetatoolsConfig) {
    this.#cache = create(limits);
  }

  /** Takes new limits; what still fits stays. */
  resize(limits: MetatoolsConfig): void {
    const held = this.#cache.dump();
    this.#cache = create(limits);
    this.#cache.load(held);
  }

  /** @returns the handle, or undefined when the result is larger than the whole store */
  put(json: string, request: InboundRequest): string | undefined {
    const handle = `r_${randomBytes(16).toString('base64url')}`;
    this.#cache.set(handle, { owner: ownerOf(request), json });
    return this.#cache.has(handle) ? handle : undefined;
  }

  /** @returns the result as JSON text; undefined when it is gone or another one's */
  get(handle: string, request: InboundRequest): string | undefined {
    const stored = this.#cache.get(handle);
    return stored?.owner === ownerOf(request) ? stored.json : undefined;
  }

  clear(): void {
    this.#cache.clear();
  }
}

function create(limits: MetatoolsConfig): LRUCache<string, Stored> {
  return new LRUCache({
    max: limits.maxStoredResults,
    maxSize: limits.maxStoredBytes,
    ttl: limits.storedResultTtlSeconds * 1_000,
    // A string of ASCII takes a byte a character in memory, any other two: the larger figure bounds.
    sizeCalculation: ({ json }) => json.length * 2,
  });
}

/** A signed-in caller keeps its results across sessions; without sign-in the session owns them. */
function ownerOf({ caller, sessionId }: InboundRequest): string {
  if (caller !== undefined) return JSON.stringify([caller.issuer ?? null, caller.subject]);
  return sessionId ?? '';
}
