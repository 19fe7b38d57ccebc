import { LRUCache } from 'lru-cache';
import { LOG_LEVELS } from 'pegboard';
import type { McpLogLevel } from 'pegboard';

/** Which log messages each session has asked for; none without `logging/setLevel`. */
export class LogLevels {
  readonly #bySession: LRUCache<string, number>;
  readonly #changed: (least: McpLogLevel) => void;
  #least: number = LOG_LEVELS.length;

  /** @param changed hears of the least severe level that any session wants */
  constructor(maxSessions: number, changed: (least: McpLogLevel) => void) {
    this.#bySession = new LRUCache({ max: maxSessions });
    this.#changed = changed;
  }

  /** Undefined while no session wants any. */
  get least(): McpLogLevel | undefined {
    return LOG_LEVELS[this.#least];
  }

  set(sessionId: string, level: McpLogLevel): void {
    this.#bySession.set(sessionId, LOG_LEVELS.indexOf(level));
    this.#compare();
  }

  drop(sessionId: string): void {
    if (this.#bySession.delete(sessionId)) this.#compare();
  }

  wants(sessionId: string, level: McpLogLevel): boolean {
    const least = this.#bySession.get(sessionId);
    return least !== undefined && LOG_LEVELS.indexOf(level) >= least;
  }

  #compare(): void {
    const least = Math.min(LOG_LEVELS.length, ...this.#bySession.values());
    if (least === this.#least) return;
    this.#least = least;
    const level = this.least;
    if (level !== undefined) this.#changed(level);
  }
}

export function isLogLevel(value: unknown): value is McpLogLevel {
  return LOG_LEVELS.includes(value as McpLogLevel);
}
