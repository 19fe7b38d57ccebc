import { setNewest } from 'pegboard';
import type { Client } from 'pegboard';
import type { EventEntry } from './entryReader.ts';

const METHOD = 'notifications/service/event';

interface Follower {
  readonly client: Client;
  readonly matches: (entry: EventEntry) => boolean;
  /** Since when the session has had no stream, ms since the epoch; undefined while it has one. */
  deafSince: number | undefined;
}
interface Bounds {
  readonly maxFollowers: number;
  readonly followGraceMs: number;
}

/** Sessions that receive events as notifications. Source: requirement core.events. */
export class Followers {
  readonly #bySession = new Map<string, Follower>();
  readonly #bounds: () => Bounds;

  constructor(bounds: () => Bounds) {
    this.#bounds = bounds;
  }

  /** Each session follows once: a new follow replaces the former one. Beyond `maxFollowers` the oldest one ends. */
  add(client: Client, matches: (entry: EventEntry) => boolean): void {
    const follower = { client, matches, deafSince: undefined };
    setNewest(this.#bySession, [client.id, follower], this.#bounds().maxFollowers);
  }

  /** Sends the event to the sessions that follow; ends a follow whose session has had no stream for `followGraceMs`. */
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
