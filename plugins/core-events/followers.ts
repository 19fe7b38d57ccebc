import type { JsonObject, Scope } from 'pegboard';
import { Front } from '../contracts/mcp.ts';
import { SharedTable } from '../kit/vault/sharedTable.ts';
import type { EventsConfig } from './config.ts';
import { shownTo } from './entryReader.ts';
import type { EventEntry } from './entryReader.ts';

const METHOD = 'notifications/service/event';

/** Less time would not be enough to renew a follow. */
const LEAST_GRACE_MS = 3_000;

/** What a session follows. @property fields that an event must have @property reader who follows */
export interface Follow extends JsonObject {
  readonly fields: JsonObject;
  readonly reader?: string;
}

/** Sessions that receive events as notifications. All processes know all of them, and each sends its own events.
 *  Source: requirement core.events. */
export class Followers {
  readonly #scope: Scope<EventsConfig>;
  readonly #table: SharedTable<Follow>;
  /** The time since when a session has had no stream, ms since the epoch. Empty with several processes, which cannot tell at once. */
  readonly #deafSince = new Map<string, number>();

  /** Called in apply() only. */
  constructor(scope: Scope<EventsConfig>) {
    this.#scope = scope;
    this.#table = new SharedTable<Follow>(scope, {
      name: 'follow',
      max: () => scope.config.maxFollowers,
      added: (id) => void this.#deafSince.delete(id),
      removed: (id) => void this.#deafSince.delete(id),
      lease: {
        isHeld: (id) => scope.find(Front)?.holds(id) === true,
        ttlSeconds: () => this.graceMs / 1_000,
      },
    });
  }

  /** Each session follows once: a new follow replaces the former one. Beyond `maxFollowers` the oldest one ends.
   *  @throws GatewayError STORE_UNREACHABLE */
  add(sessionId: string, follow: Follow): Promise<void> {
    return this.#table.set(sessionId, follow, this.graceMs / 1_000);
  }

  /** Sends the event to the sessions that follow; ends a follow whose session has had no stream for `followGraceMs`. */
  tell(entry: EventEntry, now: number): void {
    const entries = [...this.#table.entries].filter(([, { fields }]) => hasFields(entry, fields));
    if (entries.length === 0) return;
    const front = this.#scope.find(Front);
    for (const [id, { reader }] of entries) {
      const shown = shownTo(reader, entry);
      if (shown === undefined) continue;
      if (front?.tell(id, METHOD, JSON.stringify(shown)) === true) {
        this.#deafSince.delete(id);
        continue;
      }
      const since = this.#deafSince.get(id) ?? now;
      this.#deafSince.set(id, since);
      if (now - since > this.#scope.config.followGraceMs) this.#table.delete(id);
    }
  }

  /** Renews the follows: with several processes, each lasts in the vault while one of them has the session's stream. */
  renew(): void {
    void this.#table.renew();
  }

  /** How long a follow lasts without being renewed. */
  get graceMs(): number {
    return Math.max(this.#scope.config.followGraceMs, LEAST_GRACE_MS);
  }
}

/** Whether the entry has all these fields with these values. */
export function hasFields(entry: EventEntry, fields: JsonObject): boolean {
  return Object.entries(fields).every(([key, value]) => entry[key] === value);
}
