import { randomBytes } from 'node:crypto';
import { open, readFile, readdir, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Log } from 'pegboard';
import { AppendFile } from '../kit/files/appendFile.ts';
import { readLine } from './keptCall.ts';
import type { Gap, KeptCall } from './keptCall.ts';

/** One call as memory keeps it: what lists filter by, and where its line is. */
export interface IndexedCall {
  readonly at: number;
  readonly ms: number;
  readonly tool: string;
  readonly server: string | undefined;
  readonly code: string;
  readonly isRefused: boolean;
  /** Email or subject. */
  readonly who: string | undefined;
  readonly session: string | undefined;
  readonly start: number;
  readonly length: number;
}
/** One file. */
export interface Segment {
  readonly name: string;
  readonly calls: IndexedCall[];
  readonly gaps: Gap[];
  bytes: number;
  /** Instead of a file where nothing can be written. */
  readonly lines?: Map<number, string>;
}
/** A call and the file that it is in. */
export interface CallPlace {
  readonly segment: Segment;
  readonly call: IndexedCall;
}
interface OpenSegment {
  readonly segment: Segment;
  readonly handle: AppendFile | undefined;
}
export interface SegmentLimits {
  readonly keepSeconds: number;
  readonly maxBytes: number;
}

const NAME = /^calls-\d{13}-[0-9a-f]{8}\.jsonl$/;
/** The history in this many parts: one of them goes at once. */
const SHARE = 16;
const LINES_IN_A_TURN = 1_000;
const LINE_FEED = 10;
/** Names repeat: one copy of each text is kept. */
const MAX_KNOWN = 20_000;

/** The files of the history, and an index of them in memory. Each process begins files of its own, so half a line of one that was killed
 *  is never continued, and two processes may share a folder. */
export class Segments {
  readonly #folder: string | undefined;
  readonly #limits: () => SegmentLimits;
  readonly #log: Log;
  readonly #known = new Map<string, string>();
  #segments: Segment[] = [];
  #file: OpenSegment | undefined;

  /** @param folder undefined keeps all in memory */
  constructor(folder: string | undefined, limits: () => SegmentLimits, log: Log) {
    this.#folder = folder;
    this.#limits = limits;
    this.#log = log;
  }

  /** The oldest first. */
  all(): readonly Segment[] {
    return this.#segments;
  }

  /** Reads what earlier processes have left; before anything is appended. */
  async load(): Promise<void> {
    await this.prune();
    for (const name of await this.#names()) {
      try {
        this.#segments.unshift(await this.#read(name));
      } catch (error) {
        this.#log.warn('a file of the call history is not readable', { file: name, error });
      }
    }
  }

  /** @throws errors of the file system; nothing of it is in the history then */
  async append(entries: readonly (KeptCall | Gap)[]): Promise<void> {
    // Another process that shares the folder may have removed it as too much.
    if ((await this.#file?.handle?.isIntact()) === false) await this.close();
    const { segment, handle } = (this.#file ??= await this.#begin());
    let start = segment.bytes;
    const lines = entries.map((entry) => {
      const text = `${JSON.stringify(entry)}\n`;
      const length = Buffer.byteLength(text);
      start += length;
      return { entry, text, length, start: start - length };
    });
    try {
      await handle?.append(lines.map(({ text }) => text).join(''));
    } catch (error) {
      // Part of it may be written: the next lines begin a file of their own.
      await this.close();
      if (segment.bytes === 0) await this.#remove(segment.name);
      throw error;
    }
    segment.bytes = start;
    for (const { entry, text, ...place } of lines) {
      segment.lines?.set(place.start, text);
      this.#note(segment, entry, place);
    }
  }

  /** Ends a file that holds its share, so that it can go alone. */
  async roll(): Promise<void> {
    if ((this.#file?.segment.bytes ?? 0) * SHARE < this.#limits().maxBytes) return;
    await this.close();
    await this.prune();
  }

  /** The lines of calls, in their order; undefined for one whose file is gone. */
  async read(places: readonly CallPlace[]): Promise<readonly (KeptCall | undefined)[]> {
    const handles = new Map<string, Promise<FileHandle | undefined>>();
    const openOnce = (name: string): Promise<FileHandle | undefined> => {
      const opening = handles.get(name) ?? open(join(this.#folder ?? '', name), 'r').catch(() => undefined);
      handles.set(name, opening);
      return opening;
    };
    try {
      return await Promise.all(
        places.map(async ({ segment: { name, lines }, call: { start, length } }) => {
          const text = lines?.get(start) ?? (await textAt(await openOnce(name), start, length));
          const entry = readLine(text);
          return entry === undefined || 'lost' in entry ? undefined : entry;
        }),
      );
    } finally {
      for (const opening of handles.values()) await (await opening)?.close();
    }
  }

  /** Removes what is too old or too much; what is too much alone stays until something newer is there. */
  async prune(): Promise<void> {
    const { keepSeconds, maxBytes } = this.#limits();
    const oldest = Date.now() - keepSeconds * 1_000;
    let bytes = 0;
    for (const { name, size, changedAt } of await this.#sizes()) {
      const isNewest = bytes === 0;
      bytes += size;
      if (name === this.#file?.segment.name) continue;
      if (changedAt >= oldest && (isNewest || bytes <= maxBytes)) continue;
      await this.#remove(name);
    }
  }

  async #remove(name: string): Promise<void> {
    if (this.#folder !== undefined) await rm(join(this.#folder, name), { force: true });
    this.#segments = this.#segments.filter((segment) => segment.name !== name);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle?.close();
  }

  async #begin(): Promise<OpenSegment> {
    const name = `calls-${String(Date.now())}-${randomBytes(4).toString('hex')}.jsonl`;
    const handle =
      this.#folder === undefined ? undefined : await AppendFile.open(join(this.#folder, name), 0);
    const lines = handle === undefined ? { lines: new Map<number, string>() } : {};
    const segment: Segment = { name, calls: [], gaps: [], bytes: 0, ...lines };
    this.#segments.push(segment);
    return { segment, handle };
  }

  #note(segment: Segment, entry: KeptCall | Gap, place: { start: number; length: number }): void {
    if ('lost' in entry) {
      segment.gaps.push(entry);
      return;
    }
    const { at, ms, tool, server, code, isRefused = false, email, subject, session } = entry;
    const who = email ?? subject;
    segment.calls.push({
      at,
      ms,
      tool: this.#once(tool),
      server: server === undefined ? undefined : this.#once(server),
      code: this.#once(code),
      isRefused,
      who: who === undefined ? undefined : this.#once(who),
      session: session === undefined ? undefined : this.#once(session),
      ...place,
    });
  }

  #once(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }

  /** Those of our files, the newest first. */
  async #names(): Promise<readonly string[]> {
    if (this.#folder === undefined) return this.#segments.map(({ name }) => name).reverse();
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((name) => NAME.test(name))
      .sort()
      .reverse();
  }

  async #sizes(): Promise<readonly { name: string; size: number; changedAt: number }[]> {
    const folder = this.#folder;
    if (folder === undefined)
      return [...this.#segments]
        .reverse()
        .map(({ name, bytes, calls }) => ({ name, size: bytes, changedAt: calls.at(-1)?.at ?? 0 }));
    const sizes = (await this.#names()).map(async (name) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      return facts === undefined ? [] : [{ name, size: facts.size, changedAt: facts.mtimeMs }];
    });
    return (await Promise.all(sizes)).flat();
  }

  async #read(name: string): Promise<Segment> {
    const path = join(this.#folder ?? '', name);
    const segment: Segment = { name, calls: [], gaps: [], bytes: 0 };
    let foreign = 0;
    const bytes = await readFile(path);
    segment.bytes = bytes.length;
    for (let start = 0, lines = 1; start < bytes.length; lines += 1) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed === -1 ? bytes.length : feed + 1;
      const entry = readLine(bytes.toString('utf8', start, end));
      if (entry === undefined) foreign += 1;
      else this.#note(segment, entry, { start, length: end - start });
      start = end;
      if (lines % LINES_IN_A_TURN === 0) await turn();
    }
    if (foreign > 0) this.#log.warn('lines of the call history are not readable', { path, lines: foreign });
    return segment;
  }
}

async function textAt(handle: FileHandle | undefined, start: number, length: number): Promise<string> {
  if (handle === undefined) return '';
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
  return buffer.toString('utf8', 0, bytesRead);
}
