import { LOG_LEVELS, setNewest } from 'pegboard';
import type { McpLogLevel, Session } from 'pegboard';

interface Wanted {
  readonly level: number;
  readonly createdAt: number;
}

/** Which log messages each session has asked for; none without `logging/setLevel`. */
export class LogLevels {
  readonly #bySession = new Map<string, Wanted>();
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
    const least = Math.min(LOG_LEVELS.length, ...levels);
    if (least === this.#least) return;
    this.#least = least;
    const level = this.least;
    if (level !== undefined) this.#changed(level);
  }
}

export function isLogLevel(value: unknown): value is McpLogLevel {
  return LOG_LEVELS.includes(value as McpLogLevel);
}
