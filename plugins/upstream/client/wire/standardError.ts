import { plainText } from 'pegboard';
import { hiderOf } from 'pegboard/kit';
import type { Log } from 'pegboard';
import type { Hide, Secret } from 'pegboard/contracts';
import { LineSplitter } from '../../../kit/text/lineSplitter.ts';
import { inNames, inProse } from './inProse.ts';
import type { OutputQuery, ServiceOutput } from '../../../contracts/services.ts';
import { PerSecond } from '../perSecond.ts';
import { KeptOutput } from './keptOutput.ts';
import type { KeptLimits } from './keptOutput.ts';
import { NpxFolder } from './npxFolder.ts';
import { RepeatedWords } from './repeatedWords.ts';

export interface StandardErrorLimits extends KeptLimits {
  readonly maxLogLineChars: number;
  readonly maxLogLinesPerSecond: number;
  readonly stderrTailLines: number;
}

const MAX_LINE_BYTES = 65_536;
const MAX_NOISE_CHARS = 1_000;
const MAX_FORMER_SECRETS = 1_000;

/** Output of a server outside of the protocol: logs bounded lines, and keeps the last ones for error messages. */
export class StandardError {
  readonly #log: Log;
  readonly #limits: () => StandardErrorLimits;
  /** Unchanged lines, truncated and redacted when they are read. The first often names the cause, before a usage text. */
  #first: string | undefined;
  readonly #tail: string[] = [];
  /** The first text on standard output that was not a message. */
  #noise: string | undefined;
  #npx = new NpxFolder();
  /** The command whose last start was ended before it answered. */
  #unanswered: string | undefined;
  readonly #kept: KeptOutput;
  readonly #repeated = new RepeatedWords();
  #lines = this.#newLines();
  #secrets: readonly Secret[] = [];
  #hide: Hide = hiderOf([]);
  #hideInProse: Hide = hiderOf([]);
  #hideInNames: Hide = hiderOf([]);
  #heard = 0;
  readonly #logged: PerSecond;

  constructor(log: Log, limits: () => StandardErrorLimits) {
    this.#log = log;
    this.#limits = limits;
    this.#kept = new KeptOutput(limits);
    this.#logged = new PerSecond(
      () => limits().maxLogLinesPerSecond,
      (lines) => log.info('lines of a server left out of the log', { lines }),
    );
  }

  #newLines(): LineSplitter {
    return new LineSplitter(
      () => MAX_LINE_BYTES,
      (line) => this.#hear(line),
      () => this.#hear('(a line that is too long)'),
    );
  }

  /** A server may print secrets it was given; log, status and errors must not (decision D19). */
  hide(secrets: readonly Secret[]): void {
    this.#secrets = secrets;
    this.#hide = hiderOf(secrets);
    this.#hideInProse = hiderOf(inProse(secrets));
    this.#hideInNames = hiderOf(inNames(secrets));
  }

  /** Until the next hide(), also what the former process or pod was given, which may still end. */
  hideToo(secrets: readonly Secret[]): void {
    this.hide([...secrets, ...this.#secrets.slice(0, MAX_FORMER_SECRETS)]);
  }

  /** Hides secrets in declarations of a server, but no common word that is also a secret. */
  hideInProse(text: string): string {
    return this.#hideInProse(text);
  }
  /** Whether a name repeats a secret that the server was given. */
  isRepeatedIn(name: string): boolean {
    return this.#hideInNames(name) !== name;
  }

  /** A text of the server without secrets and without terminal sequences. */
  redact(text: string): string {
    return plainText(this.#hide(text));
  }

  /** Takes a chunk of standard error. @returns the number of lines that ended in it, at least 1 */
  push(chunk: Buffer): number {
    const before = this.#heard;
    this.#lines.push(chunk);
    return Math.max(1, this.#heard - before);
  }

  /** Takes a line about the process from what confines it, as if the process had written it. */
  note(line: string): void {
    this.#hear(line);
  }

  /** Logs standard output that is not a message. */
  noise(text: string): void {
    this.#noise ??= text.slice(0, MAX_NOISE_CHARS);
    this.#tell('server wrote something that is not a message', text);
  }

  /** The first line and the last ones, for error messages. */
  quotes(): Quotes {
    const tail = this.#tail.map((line) => this.#cut(line));
    const [first, noise] = [this.#first, this.#noise].map((line) => line && this.#cut(line));
    return { first, tail, noise };
  }
  /** What to do about an installation of the process that its words show to be incomplete; empty if they do not. */
  cure(command: readonly string[]): string {
    return this.redact(this.#npx.cure(this.#unanswered === JSON.stringify(command)));
  }
  /** Logs that the process has written what the one before had, which is not logged line by line. */
  tellRepeated(): void {
    const repeated = this.#repeated.news();
    if (repeated !== undefined) this.#log.info('server wrote the same words as before', { ...repeated });
  }
  /** The gateway ends the process. */
  ended(command: readonly string[], hasAnswered: boolean): void {
    this.tellRepeated();
    this.#repeated.forget();
    this.#answered(command, hasAnswered);
  }
  /** The process has ended by itself. */
  died(command: readonly string[], hasAnswered: boolean): void {
    this.tellRepeated();
    this.#repeated.died();
    if (hasAnswered) this.#answered(command, true);
  }
  #answered(command: readonly string[], hasAnswered: boolean): void {
    this.#unanswered = hasAnswered ? undefined : JSON.stringify(command);
  }
  /** What the server wrote, over its restarts, as far as it is kept. */
  read(query: OutputQuery): ServiceOutput {
    return this.#kept.read(query, (line, hide) => this.#cut(line, hide));
  }
  /** A new process begins: error messages do not quote the former one. */
  begin(): void {
    this.#first = undefined;
    this.#noise = undefined;
    this.#npx = new NpxFolder();
    this.#tail.length = 0;
    this.#repeated.begin();
    this.#lines = this.#newLines();
    this.#kept.started(this.#hide);
  }

  #hear(line: string): void {
    this.#heard += 1;
    if (line.trimEnd() === '') return;
    this.#kept.add(line, this.#hide);
    this.#npx.hear(line);
    this.#tail.push(line);
    while (this.#tail.length > this.#limits().stderrTailLines) {
      const gone = this.#tail.shift();
      this.#first ??= gone;
    }
    const before = this.#repeated.hear(line);
    if (before === 'same') return;
    if (before > 0) this.#log.info('server wrote lines as before', { lines: before });
    this.#tell('server wrote', line);
  }

  /** Only counts lines beyond the limit: truncating and redacting them would dominate the cost of a flood. */
  #tell(text: string, line: string): void {
    if (!this.#logged.mayGo()) return;
    this.#logged.spend(1);
    this.#log.info(text, { line: this.#cut(line) });
  }

  #cut(line: string, hide: Hide = this.#hide): string {
    const trimmed = plainText(hide(line.slice(0, MAX_LINE_BYTES).trimEnd()));
    const { maxLogLineChars } = this.#limits();
    return trimmed.length > maxLogLineChars ? `${trimmed.slice(0, maxLogLineChars)}…` : trimmed;
  }
}

const MAX_WORDS_CHARS = 1_000;

/** Lines that a server wrote outside of the protocol, redacted. */
export interface Quotes {
  /** The first line; undefined if it is one of the last. */
  readonly first: string | undefined;
  readonly tail: readonly string[];
  /** The first text on standard output that was not a message. */
  readonly noise: string | undefined;
}
export const NOTHING_QUOTED: Quotes = { first: undefined, tail: [], noise: undefined };

/** `text` with the first and the last lines of the server's standard error. */
export function withLastWords(text: string, { first, tail }: Omit<Quotes, 'noise'>): string {
  const words = tail.join(' | ').slice(-MAX_WORDS_CHARS);
  if (words === '') return text;
  const begun = first === undefined ? '' : `; it began with: ${first}`;
  return `${text}${begun}; its last words: ${words}`;
}
