import { signatureFor } from './signingKeys.ts';
import type { Keys } from './signingKeys.ts';
import { writeLine } from './line.ts';
import type { Head, TrailEvent } from './line.ts';

/** An event at the time it was told. */
export interface Entry {
  readonly event: TrailEvent;
  /** RFC 3339. */
  readonly time: string;
}
/** Where lines go on. */
export interface TrailPosition {
  readonly head: Head;
  /** Of the file in use. */
  readonly bytes: number;
  readonly sinceCheckpoint: number;
}
export interface Rules {
  readonly maxFileBytes: number;
  readonly checkpointLines: number;
  readonly keys: Keys;
}
/** Lines that go into one file with one write. */
export interface Piece {
  /** Set when it begins a file. */
  readonly firstSeq: number | undefined;
  readonly text: string;
  readonly hasCheckpoint: boolean;
  /** Where the trail stands once it is written. */
  readonly after: TrailPosition;
}

/** Lines for these entries, with the checkpoints that are due, cut where a file is full. */
export function compose(entries: readonly Entry[], from: TrailPosition, rules: Rules): readonly Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { firstSeq: undefined, text: '', hasCheckpoint: false, after: from };
  const add = ({ event, time }: Entry): void => {
    const { head, bytes, sinceCheckpoint } = piece.after;
    const isCheckpoint = event.type === 'checkpoint';
    const place = { seq: head.seq + 1, time, prev: head.hash };
    const line = writeLine(
      head,
      time,
      isCheckpoint ? { ...event, ...signatureFor(place, rules.keys) } : event,
    );
    const lineBytes = Buffer.byteLength(line.text) + 1;
    const isFull = bytes > 0 && bytes + lineBytes > rules.maxFileBytes;
    if (isFull) pieces.push(piece);
    const { firstSeq, text, hasCheckpoint } = isFull
      ? { firstSeq: place.seq, text: '', hasCheckpoint: false }
      : piece;
    piece = {
      firstSeq,
      text: `${text}${line.text}\n`,
      hasCheckpoint: hasCheckpoint || isCheckpoint,
      after: {
        head: line.head,
        bytes: (isFull ? 0 : bytes) + lineBytes,
        sinceCheckpoint: isCheckpoint ? 0 : sinceCheckpoint + 1,
      },
    };
  };
  for (const entry of entries) {
    add(entry);
    if (piece.after.sinceCheckpoint >= rules.checkpointLines)
      add({ ...entry, event: { type: 'checkpoint' } });
  }
  return piece.text === '' ? pieces : [...pieces, piece];
}
