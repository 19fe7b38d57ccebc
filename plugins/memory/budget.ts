import { getHeapStatistics } from 'node:v8';
import { GatewayError } from 'pegboard';
import type { Call } from 'pegboard';
import { sharerOf } from '../kit/authority/ownerOf.ts';
import { Tally } from '../kit/metrics/tally.ts';
import { SMALL_BYTES } from '../contracts/memory.ts';
import type { MemoryBudget, MemoryShare, MemoryUse } from '../contracts/memory.ts';
import type { MemoryConfig } from './config.ts';

/** A message in memory is its bytes, its text, the parsed text, and what is made of it: up to this many times its size, with slack for the garbage collector. */
const HEAP_SHARE = 16;
/** Share of all bytes that one owner may take. */
const OWNER_SHARE = 0.75;

interface Held {
  readonly owner: string;
  readonly bytes: number;
}

/** Counts the bytes of all large messages. Who waits is served in turn. */
export class Budget implements MemoryBudget {
  readonly waits = new Tally();
  readonly refusals = new Tally();
  readonly #limits: () => MemoryConfig;
  readonly #heapLimit: number;
  #opened = 0;
  #used = 0;
  readonly #usedByOwner = new Map<string, number>();
  readonly #held = new Map<Call, Held>();
  readonly #waiting = new Set<Share>();
  #isClosed = false;
  /** What the waiting ones have. */
  #idleBytes = 0;

  constructor(limits: () => MemoryConfig, heapLimit = getHeapStatistics().heap_size_limit) {
    this.#limits = limits;
    this.#heapLimit = heapLimit;
  }

  get used(): number {
    return this.#used;
  }
  get maxBytes(): number {
    return this.#limits().maxBytes || Math.floor(this.#heapLimit / HEAP_SHARE);
  }
  get maxBytesOfOne(): number {
    return Math.floor(this.maxBytes * OWNER_SHARE);
  }
  get waitMs(): number {
    return this.#limits().waitMs;
  }

  open(use: MemoryUse, owner: string): MemoryShare {
    return new Share(this, { number: ++this.#opened, use, owner });
  }

  hold(call: Call, bytes: number): void {
    if (bytes <= SMALL_BYTES) return;
    const until = call.parent?.tool.kind === 'meta' ? call.parent : call;
    // It may have settled before its answer came, and would never settle again.
    if (until.cancel.reason !== undefined) return;
    const { owner, bytes: before } = this.#held.get(until) ?? { owner: sharerOf(call.request), bytes: 0 };
    this.#held.set(until, { owner, bytes: before + bytes });
    this.#count(owner, bytes);
  }

  settled(call: Call): void {
    const held = this.#held.get(call);
    if (held === undefined) return;
    this.#held.delete(call);
    this.#count(held.owner, -held.bytes);
    this.#serve();
  }

  /** Other limits may have room. */
  resized(): void {
    this.#serve();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }
  /** The plugin has stopped: those that still have shares of it wait no more. */
  close(): void {
    this.#isClosed = true;
    for (const share of [...this.#waiting]) this.#grant(share);
  }

  /** @returns whether the share has got what it wants */
  take(share: Share): boolean {
    // A new one does not overtake those that wait; the bytes of one that has begun are free only when it has ended.
    if (!this.#isClosed && ((share.bytes === 0 && this.#waiting.size > 0) || !this.#fits(share)))
      return false;
    this.#fill(share);
    return true;
  }

  giveBack(share: Share): void {
    this.#fill(share);
    this.#serve();
  }

  wait(share: Share): void {
    this.#waiting.add(share);
    this.#idleBytes += share.bytes;
    this.waits.add({ use: share.use });
    this.#serve();
  }

  leave(share: Share): void {
    if (this.#waiting.delete(share)) this.#idleBytes -= share.bytes;
  }

  full(share: Share): GatewayError {
    this.refusals.add({ use: share.use });
    const own = this.#usedByOwner.get(share.owner) ?? 0;
    const text = `large messages take ${this.#used} of ${this.maxBytes} bytes of memory, ${own} of them for this caller; if that is usual, raise plugins.memory.config.maxBytes and the memory of the process`;
    return new GatewayError('MEMORY_FULL', text, { details: { retryAfter: Math.ceil(this.waitMs / 1_000) } });
  }

  tooLarge(share: Share): GatewayError {
    this.refusals.add({ use: share.use });
    const text = `it has ${share.wanted} bytes or more, and the messages of one caller may take ${this.maxBytesOfOne} in memory; ask for less, or raise plugins.memory.config.maxBytes and the memory of the process`;
    return new GatewayError('MEMORY_FULL', text);
  }

  #fits({ owner, bytes, wanted }: Share): boolean {
    const more = wanted - bytes;
    const own = this.#usedByOwner.get(owner) ?? 0;
    return this.#used + more <= this.maxBytes && own + more <= this.maxBytesOfOne;
  }

  #fill(share: Share): void {
    this.#count(share.owner, share.wanted - share.bytes);
    share.bytes = share.wanted;
  }

  #count(owner: string, bytes: number): void {
    this.#used += bytes;
    const own = (this.#usedByOwner.get(owner) ?? 0) + bytes;
    if (own === 0) this.#usedByOwner.delete(owner);
    else this.#usedByOwner.set(owner, own);
  }

  #grant(share: Share): void {
    this.leave(share);
    this.#fill(share);
    share.granted();
  }

  #serve(): void {
    let isFull = false;
    for (const share of this.#waiting) {
      if (isFull && share.bytes === 0) continue;
      if (this.#fits(share)) this.#grant(share);
      else isFull ||= this.#used + share.wanted - share.bytes > this.maxBytes;
    }
    // If all bytes belong to those that wait, none will be free: the oldest may go on, beyond the bound by its own size at most.
    if (this.#used !== this.#idleBytes) return;
    const begun = [...this.#waiting].filter(({ bytes }) => bytes > 0);
    const oldest = begun.reduce<Share | undefined>(
      (a, b) => (a !== undefined && a.number < b.number ? a : b),
      undefined,
    );
    if (oldest !== undefined) this.#grant(oldest);
  }
}

/** The part of the budget that one message has, and the one that it wants. */
class Share implements MemoryShare {
  /** Older ones have lower numbers. */
  readonly number: number;
  readonly use: MemoryUse;
  readonly owner: string;
  bytes = 0;
  wanted = 0;
  readonly #budget: Budget;
  /** While it waits. */
  #room: Promise<void> | undefined;
  #go: (() => void) | undefined;
  /** The time of all waits of one message together. Who waited in vain does not wait again until a message has had room: what is behind it on its
   *  stream may hold the memory. */
  #waitedMs = 0;
  #wasRefused = false;

  constructor(budget: Budget, { number, use, owner }: Pick<Share, 'number' | 'use' | 'owner'>) {
    this.#budget = budget;
    this.number = number;
    this.use = use;
    this.owner = owner;
  }

  size(bytes: number): boolean {
    this.wanted = bytes <= SMALL_BYTES ? 0 : bytes;
    if (this.wanted > this.bytes) {
      const isTaken = this.#room === undefined && this.#budget.take(this);
      if (isTaken) this.#wasRefused = false;
      return isTaken;
    }
    this.#budget.leave(this);
    this.granted();
    if (this.wanted === 0 && this.bytes > 0 && !this.#wasRefused) this.#waitedMs = 0;
    if (this.wanted < this.bytes) this.#budget.giveBack(this);
    return true;
  }

  room(): Promise<void> {
    if (this.#room !== undefined) return this.#room;
    if (this.wanted <= this.bytes) return Promise.resolve();
    if (!this.#budget.isClosed && this.wanted > this.#budget.maxBytesOfOne)
      return Promise.reject(this.#budget.tooLarge(this));
    const since = performance.now();
    const room = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#room = this.#go = undefined;
        this.#waitedMs = this.#budget.waitMs;
        this.#wasRefused = true;
        this.#budget.leave(this);
        reject(this.#budget.full(this));
      }, this.#budget.waitMs - this.#waitedMs);
      this.#go = () => {
        clearTimeout(timer);
        this.#waitedMs += performance.now() - since;
        resolve();
      };
    });
    this.#room = room;
    this.#budget.wait(this);
    return room;
  }

  granted(): void {
    this.#room = undefined;
    this.#go?.();
    this.#go = undefined;
  }
}
