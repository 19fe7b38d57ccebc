import { LOG_LEVELS } from 'pegboard';
import type { McpLogLevel } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { Session } from '../../contracts/sessions.ts';

interface Wanted {
  readonly level: number;
  readonly createdAt: number;
}

/** The log level that each session has set with `logging/setLevel`; without one it receives no log messages. Also counts the
 *  single requests that want messages from servers; they filter those themselves. */
export class LogLevels {
  readonly #bySession = new Map<string, Wanted>();
  /** How many requests want each level. */
  readonly #held = LOG_LEVELS.map(() => 0);
  readonly #maxSessions: () => number;
  readonly #changed: (least: McpLogLevel) => void;
  #least: number = LOG_LEVELS.length;

  /** @param maxSessions with one more, the session that set its level longest ago is dropped
   *  @param changed called with the least severe level that any session wants */
  constructor(maxSessions: () => number, changed: (least: McpLogLevel) => void) {
    this.#maxSessions = maxSessions;
    this.#changed = changed;
  }

  /** Undefined while no session wants any messages. */
  get least(): McpLogLevel | undefined {
    return LOG_LEVELS[this.#least];
  }

  set({ id, createdAt }: Pick<Session, 'id' | 'createdAt'>, level: McpLogLevel): void {
    setNewest(this.#bySession, [id, { level: LOG_LEVELS.indexOf(level), createdAt }], this.#maxSessions());
    this.#compare();
  }

  /** Holds the level for one request. Servers keep sending until the next sweep: notifying them at the end of each request would take many
   *  messages. @returns the function to call once, when the request is over */
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

  /** @param time ms since the epoch: sessions that began earlier have expired */
  dropBefore(time: number): void {
    for (const [id, { createdAt }] of this.#bySession) if (createdAt < time) this.#bySession.delete(id);
    this.#compare();
  }

  wants(sessionId: string, level: McpLogLevel): boolean {
    const wanted = this.#bySession.get(sessionId);
    return wanted !== undefined && LOG_LEVELS.indexOf(level) >= wanted.level;
  }

  /** @param isElsewhere whether the session's stream is not here @returns whether such a session wants the message */
  wantedElsewhere(level: McpLogLevel, isElsewhere: (sessionId: string) => boolean): boolean {
    return [...this.#bySession.keys()].some((id) => this.wants(id, level) && isElsewhere(id));
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
