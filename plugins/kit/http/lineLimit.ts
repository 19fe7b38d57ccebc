import type { Log, LogData, LogLevel } from 'pegboard';

const MAX_SOURCES = 1_000;
const WINDOW_MS = 60_000;
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** All sources beyond so many in one minute count as one. */
const OTHERS = { address: 'others', reason: 'others' };

/** Facts of a line about a refused request; address, reason and server are its source. */
export interface RefusalFacts extends LogData {
  readonly address: string;
  readonly reason: string;
  /** The MCP server that it is about. */
  readonly server?: string | undefined;
}
interface Source extends RefusalFacts {
  readonly level: LogLevel;
  lines: number;
}

/** Log lines about requests that are refused: at most so many a minute for each source, so that a storm does not fill a disk. A last
 *  line of the minute says how many were left out, also if the storm has ended. */
export class LineLimit {
  readonly #log: Log;
  readonly #max: () => number;
  readonly #sources = new Map<string, Source>();
  #minute: NodeJS.Timeout | undefined;

  /** @param max lines of a source in a minute */
  constructor(log: Log, max: () => number) {
    this.#log = log;
    this.#max = max;
  }

  /** Writes the line, or counts it as left out. */
  write(level: LogLevel, text: string, facts: RefusalFacts): void {
    this.#minute ??= setTimeout(() => this.end(), WINDOW_MS).unref();
    const source = this.#sourceOf(level, facts);
    source.lines += 1;
    if (source.lines <= this.#max()) this.#log[level](text, facts);
  }

  /** Ends the minute. In onStop, too. */
  end(): void {
    clearTimeout(this.#minute);
    this.#minute = undefined;
    const left = [...this.#sources.values()]
      .map((source) => ({ ...source, lines: source.lines - this.#max() }))
      .filter(({ lines }) => lines > 0)
      .sort((a, b) => b.lines - a.lines);
    this.#sources.clear();
    for (const level of LEVELS)
      this.#tell(
        level,
        left.filter((source) => source.level === level),
      );
  }

  #sourceOf(level: LogLevel, facts: RefusalFacts): Source {
    const keyOf = ({ address, reason, server = '' }: RefusalFacts): string =>
      `${level} ${address} ${reason} ${server}`;
    const isFull = this.#sources.size >= MAX_SOURCES && !this.#sources.has(keyOf(facts));
    const { address, reason, server }: RefusalFacts = isFull ? OTHERS : facts;
    const key = keyOf({ address, reason, server });
    const source = this.#sources.get(key) ?? { level, address, reason, server, lines: 0 };
    this.#sources.set(key, source);
    return source;
  }

  #tell(level: LogLevel, [most, ...others]: readonly Source[]): void {
    if (most === undefined) return;
    const { address, reason, server } = most;
    const lines = others.reduce((sum, one) => sum + one.lines, most.lines);
    const source = { address, reason, ...(server !== undefined && { server }) };
    const facts = { lines, most: { ...source, lines: most.lines }, sources: 1 + others.length };
    this.#log[level]('lines about refused requests left out of the log', facts);
  }
}
