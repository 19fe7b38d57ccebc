import type { GrantRecord } from '../record/grantRecord.ts';

/** What this process knows about one owner's grant at one server: the record as it was last read or written. */
export class GrantCell {
  readonly owner: string;
  readonly server: string;
  /** The record as it was last read or written; undefined if there is none, or nothing was read yet. */
  #record: GrantRecord | undefined;
  #isCurrent = false;
  /** Counts what was learned, so that a slow read does not undo a later write. */
  #version = 0;
  readonly #learned: (cell: GrantCell) => void;
  #waiting: (() => void)[] = [];

  /** @param learned called with each new record */
  constructor(owner: string, server: string, learned: (cell: GrantCell) => void) {
    this.owner = owner;
    this.server = server;
    this.#learned = learned;
  }

  /** Equal for cells of the same owner and server. */
  get id(): string {
    return `${this.owner}:${this.server}`;
  }
  get record(): GrantRecord | undefined {
    return this.#record;
  }
  /** Whether nothing says that the vault has another record. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }
  get version(): number {
    return this.#version;
  }

  /** @param since the version at which the read began; absent: a write of this process */
  learn(record: GrantRecord | undefined, since = this.#version): void {
    if (since !== this.#version) return;
    this.#version += 1;
    this.#isCurrent = true;
    this.#record = record;
    this.#wake();
    this.#learned(this);
  }

  /** Another process has written it, or may have. */
  doubt(): void {
    this.#version += 1;
    this.#isCurrent = false;
    this.#wake();
  }

  /** Resolves when it is written or doubted. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
