import type { Era } from '../definition.ts';

/** After that time, a server is asked again which era it speaks best. */
const KNOWN_MS = 86_400_000;

/** The era in which a server was last connected, shared by all its connections. */
export class LastEra {
  #era: Era | undefined;
  #knownAt = 0;

  get current(): Era | undefined {
    return Date.now() - this.#knownAt < KNOWN_MS ? this.#era : undefined;
  }

  set(era: Era): void {
    if (this.current !== era) this.#knownAt = Date.now();
    this.#era = era;
  }
}
