import { signatureFor } from './signingKeys.ts';
import type { Keys } from './signingKeys.ts';
import { writeLine } from './line.ts';
import type { Head, TrailEvent } from './line.ts';

/** An event and the time it was reported. */
export interface TrailEntry {
  readonly event: TrailEvent;
  /** RFC 3339. */
  readonly time: string;
}
/** The end of the trail, where the next line is appended. */
export interface TrailPosition {
  readonly head: Head;
  /** Size of the current file. */
  readonly bytes: number;
  readonly sinceCheckpoint: number;
}
export interface TrailRules {
  readonly maxFileBytes: number;
  readonly checkpointLines: number;
  readonly keys: Keys;
}
/** Lines that are written to one file with one write. */
export interface Piece {
  /** Set if the piece begins a file. */
  readonly firstSeq: number | undefined;
  readonly text: string;
  readonly hasCheckpoint: boolean;
  /** The end of the trail after this piece is written. */
  readonly after: TrailPosition;
}

/** Lines for these entries and the due checkpoints, split where a file is full. */
export function compose(
  entries: readonly TrailEntry[],
  from: TrailPosition,
  rules: TrailRules,
): readonly Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { firstSeq: undefined, text: '', hasCheckpoint: false, after: from };
  const add = ({ event, time }: TrailEntry): void => {
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
