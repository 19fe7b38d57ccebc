import { plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { ListName } from '../client/conversation/readList.ts';
import { edited } from '../client/rpc/edited.ts';
import { faultsIn } from '../client/rpc/faultsIn.ts';

/** Each round removes something; the deepest fault takes four. */
const MAX_ROUNDS = 8;
const MAX_TOLD = 3;

export interface ShapedEntry {
  /** Undefined if it cannot be offered. */
  readonly entry: JsonObject | undefined;
  /** What was dropped, or why it cannot be offered; empty for a sound entry. */
  readonly odd: string;
}

/** An entry of a list without the members that clients of the official SDKs refuse: they would refuse every server's entries with it.
 *  @returns the entry itself if nothing is wrong with it */
export function shapedEntry(list: ListName, declared: unknown): ShapedEntry {
  const odd: string[] = [];
  let entry = declared;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const faults = faultsIn(list, entry);
    if (faults.length === 0) return { entry: entry as JsonObject, odd: told(odd) };
    odd.push(...faults.map(({ text }) => text));
    if (faults.some(({ path }) => path.length === 0)) break;
    entry = edited(entry, faults);
  }
  return { entry: undefined, odd: told(odd) };
}

function told(odd: readonly string[]): string {
  const more = odd.length > MAX_TOLD ? `; and ${odd.length - MAX_TOLD} more` : '';
  return plainText(odd.slice(0, MAX_TOLD).join('; ')) + more;
}
