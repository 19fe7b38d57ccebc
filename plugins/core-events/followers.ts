import { setNewest } from 'pegboard';
import type { Client } from 'pegboard';
import type { EventEntry } from './entryReader.ts';

const METHOD = 'notifications/service/event';

interface Follower {
  readonly client: Client;
  readonly matches: (entry: EventEntry) => boolean;
  /** Since when nobody has listened, ms since the epoch; undefined while somebody does. */
  deafSince: number | undefined;
}
interface Bounds {
  readonly maxFollowers: number;
  readonly followGraceMs: number;
}

/** Sessions that are told of events as they come. Source: requirement core.events. */
export class Followers {
  readonly #bySession = new Map<string, Follower>();
  readonly #bounds: () => Bounds;

  constructor(bounds: () => Bounds) {
    this.#bounds = bounds;
  }

  /** A session follows once: a new follow takes the former one's place. Over the limit the longest one ends. */
  add(client: Client, matches: (entry: EventEntry) => boolean): void {
    const follower = { client, matches, deafSince: undefined };
    setNewest(this.#bySession, [client.id, follower], this.#bounds().maxFollowers);
  }

  /** A session that has no stream for longer than it takes to open one again follows no more. */
  tell(entry: EventEntry, now: number): void {
    if (this.#bySession.size === 0) return;
    const text = JSON.stringify(entry);
    for (const [id, follower] of this.#bySession) {
      if (!follower.matches(entry)) continue;
      if (follower.client.tell(METHOD, text)) follower.deafSince = undefined;
      else if (now - (follower.deafSince ??= now) > this.#bounds().followGraceMs) this.#bySession.delete(id);
    }
  }
}
