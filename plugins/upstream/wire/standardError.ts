import { LineSplitter, hiderOf, plainText } from 'pegboard';
import type { Hide, Log, Secret } from 'pegboard';
import { inNames, inProse } from './inProse.ts';
import { PerSecond } from '../perSecond.ts';

export interface StandardErrorLimits {
  readonly maxLogLineChars: number;
  readonly maxLogLinesPerSecond: number;
  readonly stderrTailLines: number;
}

const MAX_LINE_BYTES = 65_536;

/** What a server writes beside the protocol: bounded lines in the log, the last ones kept for error messages. */
export class StandardError {
  readonly #log: Log;
  readonly #limits: () => StandardErrorLimits;
  /** As they came; cut and redacted when somebody asks. The first line often names the cause, and usage follows. */
  #first: string | undefined;
  readonly #tail: string[] = [];
  #lines = this.#newLines();
  #hide: Hide = hiderOf([]);
  #hideInProse: Hide = hiderOf([]);
  #hideInNames: Hide = hiderOf([]);
  #heard = 0;
  readonly #logged: PerSecond;

  constructor(log: Log, limits: () => StandardErrorLimits) {
    this.#log = log;
    this.#limits = limits;
    this.#logged = new PerSecond(
      () => limits().maxLogLinesPerSecond,
      (lines) => log.info('lines of a server left out of the log', { lines }),
    );
  }

  #newLines(): LineSplitter {
    const take = (line: string): boolean => {
      this.#hear(line);
      return true;
    };
    return new LineSplitter(
      () => MAX_LINE_BYTES,
      take,
      () => this.#hear('(a line without end)'),
    );
  }

  /** A server may print what it was given; log, status and errors never do (decision D19). */
  hide(secrets: readonly Secret[]): void {
    this.#hide = hiderOf(secrets);
    this.#hideInProse = hiderOf(inProse(secrets));
    this.#hideInNames = hiderOf(inNames(secrets));
  }

  /** For what a server declares: a word that is a secret by chance stays a word. */
  hideInProse(text: string): string {
    return this.#hideInProse(text);
  }
  /** Whether a name repeats what the server was given. */
  isRepeatedIn(name: string): boolean {
    return this.#hideInNames(name) !== name;
  }

  /** What a server says as others may read it: without what it was given, and without what a terminal would obey. */
  redact(text: string): string {
    return plainText(this.#hide(text));
  }

  /** Standard error. @returns how many lines it counts as: those that ended in it, one at least */
  push(chunk: Buffer): number {
    const before = this.#heard;
    this.#lines.push(chunk);
    return Math.max(1, this.#heard - before);
  }

  /** Standard output that is no message. */
  noise(text: string): void {
    this.#tell('server wrote what is no message', text);
  }

  /** What to quote of it: its first line and its last ones. */
  quotes(): Quotes {
    const tail = this.#tail.map((line) => this.#cut(line));
    return { first: this.#first === undefined ? undefined : this.#cut(this.#first), tail };
  }
  /** A new process begins: the last words of the former one are not its own. */
  begin(): void {
    this.#first = undefined;
    this.#tail.length = 0;
    this.#lines = this.#newLines();
  }

  #hear(line: string): void {
    this.#heard += 1;
    if (line.trimEnd() === '') return;
    this.#tail.push(line);
    while (this.#tail.length > this.#limits().stderrTailLines) {
      const gone = this.#tail.shift();
      this.#first ??= gone;
    }
    this.#tell('server wrote', line);
  }

  /** Most lines of a flood are only counted: cutting and redacting costs more than all else. */
  #tell(text: string, line: string): void {
    if (!this.#logged.mayGo()) return;
    this.#logged.spend(1);
    this.#log.info(text, { line: this.#cut(line) });
  }

  #cut(line: string): string {
    const trimmed = this.redact(line.slice(0, MAX_LINE_BYTES).trimEnd());
    const { maxLogLineChars } = this.#limits();
    return trimmed.length > maxLogLineChars ? `${trimmed.slice(0, maxLogLineChars)}…` : trimmed;
  }
}

const MAX_WORDS_CHARS = 1_000;

/** Lines of standard error, redacted. */
export interface Quotes {
  /** Undefined when it is one of the last. */
  readonly first: string | undefined;
  readonly tail: readonly string[];
}
export const NOTHING_QUOTED: Quotes = { first: undefined, tail: [] };

/** `text` with the beginning and the end of what the server wrote on standard error. */
export function withLastWords(text: string, { first, tail }: Quotes): string {
  const words = tail.join(' | ').slice(-MAX_WORDS_CHARS);
  if (words === '') return text;
  const begun = first === undefined ? '' : `; it began with: ${first}`;
  return `${text}${begun}; its last words: ${words}`;
}
