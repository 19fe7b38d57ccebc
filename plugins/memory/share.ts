import type { Budget } from './budget.ts';
import { SMALL_BYTES } from '../contracts/memory.ts';
import type { MemoryShare, MemoryUse } from '../contracts/memory.ts';

/** The part of the budget that one message has, and the one that it wants. */
export class Share implements MemoryShare {
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
