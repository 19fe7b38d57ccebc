import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { MAX_LINE_BYTES, firstSeqOf } from './line.ts';

export interface TrailFile {
  readonly name: string;
  readonly firstSeq: number;
}
export interface RawLine {
  /** The line without its line feed; about the first MAX_LINE_BYTES of a longer one. */
  readonly bytes: Buffer;
  /** Whether a line feed ends the line: a crash can leave half a line. */
  readonly isWhole: boolean;
}

const LINE_FEED = 0x0a;

/** The files of the trail in the order they were written; empty if the directory does not exist. */
export async function trailFiles(directory: string): Promise<readonly TrailFile[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      const firstSeq = firstSeqOf(name);
      return firstSeq === undefined ? [] : [{ name, firstSeq }];
    })
    .sort((a, b) => a.firstSeq - b.firstSeq);
}

/** Streams the lines of a file. */
export async function* linesOf(path: string): AsyncGenerator<RawLine> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const part = chunk.subarray(from, end);
      yield { bytes: rest.length === 0 ? part : Buffer.concat([rest, part]), isWhole: true };
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    if (rest.length < MAX_LINE_BYTES) rest = Buffer.concat([rest, chunk.subarray(from)]);
  }
  if (rest.length > 0) yield { bytes: rest, isWhole: false };
}
