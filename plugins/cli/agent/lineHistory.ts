import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const HISTORY_LINES = 1_000;

/** The lines typed in the REPL: state/repl-history in the configuration directory, mode 0600, the newest first. */
export class LineHistory {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = join(directory, 'state', 'repl-history');
  }

  /** Empty if there is no file yet, or it cannot be read. */
  read(): string[] {
    try {
      return readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
    } catch {
      return [];
    }
  }

  /** @throws Error if the folder cannot be written */
  write(lines: readonly string[]): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, `${lines.slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 });
  }
}
