import { isObject, pathBelow } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { REMEDY_KEY } from '../../../kit/faults/remedy.ts';
import { rawMember } from '../../../kit/text/rawJson.ts';
import { badDataIn } from './badDataIn.ts';
import { edited } from './edited.ts';
import { faultsIn } from './faultsIn.ts';
import type { Fault } from './faultsIn.ts';
import { mendOf } from './mendOf.ts';
import type { Pending } from './pending.ts';

const JUDGED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
]);
/** Each round mends one level; the deepest fault takes four. */
const MAX_ROUNDS = 8;
const MAX_LEVELS = 512;
/** What may be a number of which JavaScript does not keep all digits. */
const LONG_NUMBER = /\d{16}|\d[eE][+-]?\d\d/;
/** Beyond that, the texts of members are not looked for: that is quadratic. */
const MAX_MEMBERS = 64;

/** Judges a result in the value that its text was parsed to anyway. What helps against a fault here is not a server's to say, which
 *  may be a gateway itself. Types of content that no revision knows pass: clients may know them.
 *  @returns the text, as it came or mended where it can mean one thing only; else what is wrong with it; undefined if it is not an object */
export function judgedResult(
  { method, era }: Pick<Pending, 'method' | 'era'>,
  { result, value }: { readonly result: string; readonly value: unknown },
): string | Fault | undefined {
  if (!isObject(value)) return value === null && method.endsWith('/list') ? '{}' : undefined;
  if (!JUDGED.has(method) || !isFinal(value)) return result;
  const { _meta: meta } = value;
  if (isObject(meta) && Object.hasOwn(meta, REMEDY_KEY)) {
    const own = edited(value, [{ path: ['_meta', REMEDY_KEY] }]) as JsonObject;
    return judgedResult({ method, era }, { result: textOf(own, { result, value }), value: own });
  }
  // Only the newer era has null as structured content.
  const shape = method === 'tools/call' && era === 'modern' ? 'tools/call, 2026-07-28' : method;
  let faults = allFaults(shape, value);
  if (faults.length === 0) return result;
  if (pathBelow(value, MAX_LEVELS) !== undefined) return faults[0];
  let exact: boolean | undefined;
  const isExact = (): boolean => (exact ??= !LONG_NUMBER.test(result));
  let mended = value;
  for (let round = 0; round < MAX_ROUNDS && faults.length > 0; round += 1) {
    const edits = [];
    for (const fault of faults) {
      const edit = mendOf(fault.path, mended, isExact);
      if (edit === undefined) return fault;
      edits.push(edit);
    }
    mended = edited(mended, edits) as JsonObject;
    faults = allFaults(shape, mended);
  }
  return faults[0] ?? textOf(mended, { result, value });
}

/** Further rounds and tasks have shapes of their own. */
function isFinal({ resultType = 'complete' }: JsonObject): boolean {
  return resultType === 'complete';
}

function allFaults(shape: string, value: JsonObject): readonly Fault[] {
  const faults = faultsIn(shape, value);
  return faults.length === 0 ? badDataIn(value) : faults;
}

/** Members that are not mended keep their text: numbers may have more digits than JavaScript keeps. */
function textOf(
  mended: JsonObject,
  { result, value }: { readonly result: string; readonly value: JsonObject },
): string {
  const keys = Object.keys(mended);
  if (keys.length > MAX_MEMBERS) return JSON.stringify(mended);
  const members = keys.map((key) => {
    const isKept = mended[key] === value[key];
    return `${JSON.stringify(key)}:${(isKept ? rawMember(result, key) : undefined) ?? JSON.stringify(mended[key])}`;
  });
  return `{${members.join(',')}}`;
}
