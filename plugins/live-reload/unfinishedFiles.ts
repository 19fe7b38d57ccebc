import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurn } from 'pegboard/kit';
import type { ConfigControl, Issue, Log, Resource, ResourceDraft, Scope } from 'pegboard';

/** A text without its end is read if the file stays as it is for so long. */
const CUT_MS = 5_000;
/** The same for a file that may still be in the making; the usual wait of other watchers of files. */
const UNSURE_MS = 2_000;
/** Larger files are not compared. */
const MAX_BYTES = 4 * 1_048_576;

const READ_ALL_THE_SAME =
  'a file looks cut, but it stays as it is, so it is read; restore its end if that is missing';
const ENDS_IN_KEY = /(^|\n)[^\n#]*:$/;

interface Facts {
  readonly text: string;
  readonly ino: number;
  /** Whether the last change of the file was a write: a rename, and a copy that keeps times, come after the last one. */
  readonly isInPlace: boolean;
}
interface Look extends Facts {
  readonly sinceMs: number;
  /** 0 if the file does not wait. */
  readonly waitMs: number;
}

/** Changed files that may be half written: until they are whole, or stay as they are for a while, their last version counts. */
export class UnfinishedFiles {
  readonly #control: () => ConfigControl;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  readonly #looks = new Map<string, Look>();
  readonly #inTurn = inTurn();

  /** @param scope nothing is reloaded once its signal is aborted @param now in ms */
  constructor(
    control: () => ConfigControl,
    { log, signal }: Pick<Scope<unknown>, 'log' | 'signal'>,
    now = () => performance.now(),
  ) {
    this.#control = control;
    this.#log = log;
    this.#signal = signal;
    this.#now = now;
  }

  get isWaiting(): boolean {
    return this.#waiting().length > 0;
  }

  /** Reloads, unless all of the changed files and of those that wait have to wait. */
  async reload(changed: readonly string[]): Promise<void> {
    if ((await this.#inTurn(() => this.#isReady(changed))) && !this.#signal.aborted)
      await this.#control()
        .reload()
        .catch(() => undefined);
  }

  /** The draft without what is in held files: definitions in force stay, with a warning each. */
  sift(draft: ResourceDraft): ResourceDraft {
    const inForce = this.#inForce();
    const read = textsOf(draft.resources);
    const known = textsOf(inForce);
    const isHeld = (file: string): boolean =>
      (!read.has(file) || read.get(file) !== known.get(file)) &&
      this.#isUnfinished(file, known.get(file), read.get(file));
    const held = new Set([...this.#waiting(), ...known.keys()].filter(isHeld));
    const kept = inForce.filter((one) => held.has(fileOf(one)));
    return {
      ...draft,
      resources: draft.resources.filter((one) => !held.has(fileOf(one))),
      unreadable: [...draft.unreadable, ...kept],
      issues: [...draft.issues.filter(({ file = '' }) => !held.has(file)), ...kept.map(unfinished)],
    };
  }

  /** Whether a text of config.yaml that was just read may be half written. */
  isHeld(text: string): boolean {
    return this.#isUnfinished(this.#settingsFile(), this.#control().text, text);
  }

  async #isReady(changed: readonly string[]): Promise<boolean> {
    const texts = textsOf(this.#inForce());
    texts.set(this.#settingsFile(), this.#control().text);
    let isReady = false;
    for (const file of new Set([...changed, ...this.#waiting()]))
      if (!(await this.#waits(file, texts.get(file)))) isReady = true;
    return isReady;
  }

  /** Whether a text that was just read may be half written, also if no one has looked at its file since it changed.
   *  False for another text, or a new file, in the place of what was looked at.
   *  @param text undefined if it could not be read as a definition */
  #isUnfinished(file: string, inForce = '', text?: string): boolean {
    const look = this.#looks.get(file);
    try {
      const { ino, mtimeMs, ctimeMs } = statSync(file);
      const now = text ?? readFileSync(file, 'utf8');
      const isCut = waitMsOf(now, inForce, true) > 0;
      if (look === undefined || look.waitMs === 0) return isCut && now !== look?.text && ctimeMs === mtimeMs;
      return ino === look.ino && (look.text === '' ? isCut : now.startsWith(look.text));
    } catch {
      // Who reads it next reports why it cannot be read.
      return false;
    }
  }

  #settingsFile(): string {
    return join(this.#control().directory, 'config.yaml');
  }
  #inForce(): readonly Resource[] {
    return this.#control()
      .kinds()
      .flatMap(({ name }) => this.#control().resources(name));
  }
  #waiting(): string[] {
    return [...this.#looks].filter(([, { waitMs }]) => waitMs > 0).map(([file]) => file);
  }

  async #waits(file: string, inForce = ''): Promise<boolean> {
    const was = this.#looks.get(file);
    // A log or a certificate beside them may grow as it likes.
    const facts = /\.ya?ml$/.test(file) ? await factsOf(file) : undefined;
    if (facts === undefined || (facts.text === inForce && inForce !== '')) {
      this.#looks.delete(file);
      return false;
    }
    const sinceMs = this.#now();
    const sign = waitMsOf(facts.text, inForce, facts.isInPlace);
    if (was?.text === facts.text) {
      if (was.waitMs === 0 || sinceMs - was.sinceMs < was.waitMs) return was.waitMs > 0;
      if (sign === CUT_MS) this.#log.warn(READ_ALL_THE_SAME, { file });
      this.#looks.set(file, { ...was, waitMs: 0 });
      return false;
    }
    // A single write, too, empties a file first.
    const isGrowing =
      facts.isInPlace &&
      was !== undefined &&
      was.text !== '' &&
      facts.text.startsWith(was.text) &&
      (was.waitMs > 0 || sinceMs - was.sinceMs < UNSURE_MS);
    const waitMs = Math.max(sign, isGrowing ? Math.max(was.waitMs, UNSURE_MS) : 0);
    if (waitMs > 0 && (was?.waitMs ?? 0) === 0)
      this.#log.info('a file may be half written; its last version stays meanwhile', { file });
    this.#looks.set(file, { ...facts, sinceMs, waitMs });
    return waitMs > 0;
  }
}

function unfinished({ kind, name, origin }: Resource): Issue {
  const message = `${kind} ${name}: its file may be half written; until it is whole, the last version stays`;
  const definition = { kind, name };
  return { severity: 'warning', code: 'CONFIG_UNREADABLE', message, definition, ...origin.locate([]) };
}

/** File → its text. What is in no file has an empty one. */
function textsOf(resources: readonly Resource[]): Map<string, string> {
  return new Map(resources.map((one) => [fileOf(one), one.origin.text ?? '']));
}
function fileOf({ origin }: Resource): string {
  return origin.locate([]).file ?? '';
}

/** How long a file must stay as it is before it is read; 0 for a text that shows no sign of a missing end. */
export function waitMsOf(text: string, inForce: string, isInPlace: boolean): number {
  const [now, before] = [text.trimEnd(), inForce.trimEnd()];
  if (now === before || before === '') return 0;
  if (before.startsWith(now) || (ENDS_IN_KEY.test(now) && !ENDS_IN_KEY.test(before))) return CUT_MS;
  if (!isInPlace) return 0;
  const endsInLine = inForce.endsWith('\n') && !text.endsWith('\n');
  const [lines, linesBefore] = [now.split('\n'), before.split('\n')];
  const lacksEnd = lines.length < linesBefore.length && !lines.includes(linesBefore.at(-1) ?? '');
  return endsInLine || lacksEnd ? UNSURE_MS : 0;
}

/** @returns undefined if it cannot be read */
async function factsOf(file: string): Promise<Facts | undefined> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    if (size > MAX_BYTES) return undefined;
    // Streaming leaves out a character that is half written at the end.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFile(file), { stream: true });
    return { text, ino, isInPlace: ctimeMs === mtimeMs };
  } catch {
    return undefined;
  }
}
