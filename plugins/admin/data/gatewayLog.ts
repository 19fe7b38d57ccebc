import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** As kernel/program/createLog.ts names it. */
const LINES = 'pegboard:log';
const MAX_LINES = 1_000;
const MAX_CHARS = 2_000;

/** The last lines that the gateway has logged since the pages were switched on. */
export class GatewayLog {
  readonly #lines: string[] = [];

  start(): void {
    subscribe(LINES, this.#keep);
  }

  stop(): void {
    unsubscribe(LINES, this.#keep);
  }

  /** The oldest first; each begins with its time. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  readonly #keep = (line: unknown): void => {
    const text = String(line).trimEnd();
    // Not within a word: half of a secret is not recognised.
    const end = text.length <= MAX_CHARS ? text.length : Math.max(0, text.lastIndexOf(' ', MAX_CHARS));
    this.#lines.push(text.slice(0, end));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  };
}
