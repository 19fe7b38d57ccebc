import { randomBytes } from 'node:crypto';
import type { Hide } from 'pegboard/contracts';
import type { OutputLine, OutputQuery, ServiceOutput } from '../../../contracts/services.ts';

export interface KeptLimits {
  readonly stderrKeptLines: number;
  readonly stderrKeptChars: number;
}
/** Shows a line as others may see it. */
export type Show = (line: string, hide: Hide) => string;

interface Entry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined for the start of a process. */
  readonly line: string | undefined;
  /** Hides the secrets of the process that wrote it: the next one may have other secrets. */
  readonly hide: Hide;
}

/** The last lines of the standard error of one server, over its restarts; hidden and truncated when they are read. */
export class KeptOutput {
  readonly #limits: () => KeptLimits;
  /** Cursors of another process of Pegboard, or of another instance, must not match. */
  readonly #id = randomBytes(4).toString('hex');
  readonly #entries: Entry[] = [];
  #chars = 0;
  /** Number of entries that were ever added. */
  #count = 0;

  constructor(limits: () => KeptLimits) {
    this.#limits = limits;
  }

  /** A process is started. Starts in a row count as one: a command that is not there is tried again and again. */
  started(hide: Hide): void {
    if (this.#entries.at(-1)?.line === undefined) this.#entries.pop();
    this.#push({ at: Date.now(), line: undefined, hide });
  }

  add(line: string, hide: Hide): void {
    this.#chars += line.length;
    this.#push({ at: Date.now(), line, hide });
  }

  /** The newest lines, or the oldest after a cursor; an unknown cursor counts as none. */
  read({ lines, after }: OutputQuery, show: Show): ServiceOutput {
    const [id, digits] = after?.split('-') ?? [];
    const seen = Number(digits);
    const first = this.#count - this.#entries.length;
    const isKnown = id === this.#id && seen <= this.#count;
    const from = isKnown ? Math.max(seen, first) : Math.max(first, this.#count - lines);
    const found = this.#entries.slice(from - first, from - first + lines);
    const missed = isKnown ? from - seen : 0;
    return {
      lines: found.map((entry) => shown(entry, show)),
      next: `${this.#id}-${from + found.length}`,
      ...(missed > 0 && { missed }),
    };
  }

  #push(entry: Entry): void {
    this.#entries.push(entry);
    this.#count += 1;
    const { stderrKeptLines, stderrKeptChars } = this.#limits();
    while (this.#entries.length > stderrKeptLines || this.#chars > stderrKeptChars)
      this.#chars -= this.#entries.shift()?.line?.length ?? 0;
  }
}

function shown({ at, line, hide }: Entry, show: Show): OutputLine {
  const time = new Date(at).toISOString();
  return line === undefined ? { time, started: true } : { time, text: show(line, hide) };
}
