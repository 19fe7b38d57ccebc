import { isObject } from 'pegboard';
import { sha256 } from './digest.ts';

/** What happened; further members depend on the type. The table is in the README. */
export interface TrailEvent {
  readonly type: string;
  readonly [fact: string]: unknown;
}
/** One line of the trail. */
export interface Line {
  /** Counts from 1, over all files. */
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  /** Digest of the line before, without its line feed. */
  readonly prev: string;
  readonly event: TrailEvent;
}
/** Where a trail ends: its last line and that line's digest. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of a trail without a line. */
export const ORIGIN: Head = { seq: 0, hash: '0'.repeat(64) };
/** No line is longer: names are cut, everything else has a fixed length. */
export const MAX_LINE_BYTES = 65_536;

const FILE = /^audit-(\d{12})\.jsonl$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** The name says the seq of the first line, so that a file that is missing or swapped shows. */
export function fileName(firstSeq: number): string {
  return `audit-${String(firstSeq).padStart(12, '0')}.jsonl`;
}
/** @returns undefined for a file that is none of a trail's */
export function firstSeqOf(name: string): number | undefined {
  const digits = FILE.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The line that follows `head`. */
export function writeLine(head: Head, time: string, event: TrailEvent): { text: string; head: Head } {
  const seq = head.seq + 1;
  const text = JSON.stringify({ seq, time, prev: head.hash, event } satisfies Line);
  return { text, head: { seq, hash: sha256(text) } };
}

/** @returns undefined when it is no line of a trail */
export function readLine(bytes: Buffer): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { seq, time, prev, event } = value;
  const isLine =
    Number.isSafeInteger(seq) &&
    typeof time === 'string' &&
    typeof prev === 'string' &&
    DIGEST.test(prev) &&
    isObject(event) &&
    typeof event['type'] === 'string';
  return isLine ? (value as unknown as Line) : undefined;
}
