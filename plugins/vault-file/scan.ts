import { GatewayError } from 'pegboard';
import { refuseNewer } from '../kit/vault/stateFormat.ts';
import type { KeyRing } from '../contracts/vault.ts';
import { FILE_HEAD_BYTES, HEAD_BYTES, formatIn, open, recordBytes } from './logRecord.ts';
import type { Opened } from './logRecord.ts';
import { Reader } from './reader.ts';

/** Where the record of a key is. */
export interface Location {
  readonly offset: number;
  /** Bytes of the whole record. */
  readonly bytes: number;
  /** ms since the epoch; Infinity: never */
  readonly expiresAt: number;
}
export interface Damage {
  readonly offset: number;
  readonly bytes: number;
}
export interface Scan {
  readonly entries: Map<string, Location>;
  /** Offset of the next record. */
  readonly end: number;
  /** Bytes of a write that never finished, and so was never acknowledged. */
  readonly tornBytes: number;
  readonly damage: readonly Damage[];
  /** Whether a key that is no longer the first has sealed some records. */
  readonly hasOldKey: boolean;
}

/** Reads a whole log and opens every record.
 *  @throws GatewayError STORE_UNREACHABLE if nothing opens, so that the keys must be wrong, or if a newer version wrote it */
export async function scan(reader: Reader, ring: KeyRing, name: string): Promise<Scan> {
  const entries = new Map<string, Location>();
  const damage: Damage[] = [];
  const format = formatIn(ring, await reader.at(0, FILE_HEAD_BYTES));
  if (format !== undefined) refuseNewer(name, format);
  const isHeadGood = format !== undefined;
  let opened = 0;
  let hasOldKey = false;
  let tornBytes = 0;
  let at = Math.min(FILE_HEAD_BYTES, reader.size);
  if (!isHeadGood) damage.push({ offset: 0, bytes: at });

  while (at < reader.size) {
    const found = await recordAt(reader, ring, at);
    if (found !== undefined) {
      opened += 1;
      hasOldKey ||= found.isOldKey;
      apply(entries, found, at);
      at += found.bytes;
      continue;
    }
    const next = await nextRecord(reader, ring, at + 1);
    if (next === undefined) {
      if (await isTorn(reader, at)) tornBytes = reader.size - at;
      else damage.push({ offset: at, bytes: reader.size - at });
      break;
    }
    damage.push({ offset: at, bytes: next - at });
    at = next;
  }
  if (!isHeadGood && opened === 0) throw wrongKeys(name);
  return { entries, end: at, tornBytes, damage, hasOldKey };
}

interface Found extends Opened {
  readonly bytes: number;
}

async function recordAt(reader: Reader, ring: KeyRing, offset: number): Promise<Found | undefined> {
  const bytes = await reader.record(offset);
  if (bytes === undefined) return undefined;
  const opened = open(ring, offset, bytes);
  return opened === undefined ? undefined : { ...opened, bytes: bytes.length };
}

async function nextRecord(reader: Reader, ring: KeyRing, from: number): Promise<number | undefined> {
  for (let at = await reader.mark(from); at !== undefined; at = await reader.mark(at + 1)) {
    if ((await recordAt(reader, ring, at)) !== undefined) return at;
  }
  return undefined;
}

/** A killed process leaves the beginning of a record, a loss of power can leave zeros; anything else at the end is damage. */
async function isTorn(reader: Reader, offset: number): Promise<boolean> {
  const head = await reader.at(offset, HEAD_BYTES);
  const bytes = recordBytes(head);
  if (head.length < HEAD_BYTES || (bytes !== undefined && offset + bytes > reader.size)) return true;
  return reader.isZeroFrom(offset);
}

function apply(entries: Map<string, Location>, { change, bytes }: Found, offset: number): void {
  if (change.op === 'delete') entries.delete(change.key);
  else entries.set(change.key, { offset, bytes, expiresAt: change.expiresAt });
}

function wrongKeys(name: string): GatewayError {
  const fix = 'restore the key file that belongs to it, or move it away to start with an empty vault';
  return new GatewayError(
    'STORE_UNREACHABLE',
    `no record in ${name} opens with the keys of this state directory; ${fix}`,
  );
}
