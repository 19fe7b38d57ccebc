import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';

const MAX_PEOPLE = 10_000;
const WINDOW_MS = 60_000;
const MAX_AT_SERVER = 10;
const MAX_AT_ALL = 60;

/** How often people have asked for links within a minute, by server. */
export class SignInAttempts {
  readonly #byPerson = recentlyUsed<Map<string, number>>(MAX_PEOPLE, WINDOW_MS);

  /** Counts one more, if it is admitted. @returns undefined, or the seconds to wait */
  secondsToWait(person: string, server: string): number | undefined {
    const known = this.#byPerson.get(person);
    const counts = known ?? new Map<string, number>();
    if (known === undefined) this.#byPerson.set(person, counts);
    const atServer = counts.get(server) ?? 0;
    const atAll = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (atServer >= MAX_AT_SERVER || atAll >= MAX_AT_ALL)
      return Math.max(1, Math.ceil(this.#byPerson.getRemainingTTL(person) / 1_000));
    counts.set(server, atServer + 1);
    return undefined;
  }

  /** Begins the counts of that person anew. */
  reset(person: string): void {
    this.#byPerson.delete(person);
  }
}
