import { isObject } from 'pegboard';
import { sha256 } from './digest.ts';

/** The recorded event; further members depend on its type (table in README.md). */
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
/** The end of a trail: number and digest of its last line. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of an empty trail. */
export const ORIGIN: Head = { seq: 0, hash: '0'.repeat(64) };
/** Maximum length of a line: long names are replaced by digests, everything else has a fixed length. */
export const MAX_LINE_BYTES = 65_536;

const FILE = /^audit-(\d{12})\.jsonl$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** The name has the seq of the first line, so that a missing or swapped file is detected. */
export function fileName(firstSeq: number): string {
  return `audit-${String(firstSeq).padStart(12, '0')}.jsonl`;
}
/** @returns undefined if the file does not belong to a trail */
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

/** @returns undefined if the bytes are not a line of a trail */
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
