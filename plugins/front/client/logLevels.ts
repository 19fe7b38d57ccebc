import { LOG_LEVELS, setNewest } from 'pegboard';
import type { McpLogLevel } from 'pegboard';
import type { Session } from '../contract.ts';

interface Wanted {
  readonly level: number;
  readonly createdAt: number;
}

/** Which log messages each session has asked for; none without `logging/setLevel`. And for how long single requests want
 *  servers to send some, which they sort out themselves. */
export class LogLevels {
  readonly #bySession = new Map<string, Wanted>();
  /** How many requests want each level. */
  readonly #held = LOG_LEVELS.map(() => 0);
  readonly #maxSessions: () => number;
  readonly #changed: (least: McpLogLevel) => void;
  #least: number = LOG_LEVELS.length;

  /** @param maxSessions with more, the one that asked longest ago is told nothing more
   *  @param changed hears of the least severe level that any session wants */
  constructor(maxSessions: () => number, changed: (least: McpLogLevel) => void) {
    this.#maxSessions = maxSessions;
    this.#changed = changed;
  }

  /** Undefined while no session wants any. */
  get least(): McpLogLevel | undefined {
    return LOG_LEVELS[this.#least];
  }

  set({ id, createdAt }: Pick<Session, 'id' | 'createdAt'>, level: McpLogLevel): void {
    setNewest(this.#bySession, [id, { level: LOG_LEVELS.indexOf(level), createdAt }], this.#maxSessions());
    this.#compare();
  }

  /** For one request. Servers go on until the next sweep: telling them of each request's end would be many messages.
   *  @returns the function to call once, when it is over */
  hold(level: McpLogLevel): () => void {
    const at = LOG_LEVELS.indexOf(level);
    this.#count(at, 1);
    if (at < this.#least) this.#compare();
    return () => this.#count(at, -1);
  }
  #count(at: number, more: number): void {
    this.#held[at] = (this.#held[at] ?? 0) + more;
  }

  drop(sessionId: string): void {
    if (this.#bySession.delete(sessionId)) this.#compare();
  }

  /** @param time ms since the epoch: sessions that began before it are over */
  dropBefore(time: number): void {
    for (const [id, { createdAt }] of this.#bySession) if (createdAt < time) this.#bySession.delete(id);
    this.#compare();
  }

  wants(sessionId: string, level: McpLogLevel): boolean {
    const wanted = this.#bySession.get(sessionId);
    return wanted !== undefined && LOG_LEVELS.indexOf(level) >= wanted.level;
  }

  #compare(): void {
    const levels = [...this.#bySession.values()].map(({ level }) => level);
    const held = this.#held.findIndex((requests) => requests > 0);
    const least = Math.min(LOG_LEVELS.length, ...levels, ...(held < 0 ? [] : [held]));
    if (least === this.#least) return;
    this.#least = least;
    const level = this.least;
    if (level !== undefined) this.#changed(level);
  }
}

export function isLogLevel(value: unknown): value is McpLogLevel {
  return LOG_LEVELS.includes(value as McpLogLevel);
}
