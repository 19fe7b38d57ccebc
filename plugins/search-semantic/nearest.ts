import { setImmediate as turn } from 'node:timers/promises';
import type { Tool } from 'pegboard';
import type { Vector } from './vector.ts';
import { likeness } from './vector.ts';

/** Numbers that are multiplied between two pauses: a millisecond or two. */
const PIECE = 1_000_000;

export interface Nearest {
  /** Best first. */
  readonly tools: readonly Tool[];
  /** Those without a vector. */
  readonly unknown: readonly Tool[];
}

/** The tools whose vectors are nearest, compared in pieces. @param signal what ends it early @returns undefined if it was ended */
export async function nearest(
  query: Float32Array,
  tools: readonly Tool[],
  { count, vectorOf, signal }: Asked,
): Promise<Nearest | undefined> {
  const unknown: Tool[] = [];
  const best: { readonly tool: Tool; readonly score: number }[] = [];
  let done = 0;
  for (const tool of tools) {
    const vector = vectorOf(tool);
    if (vector === undefined) unknown.push(tool);
    // Of another model, or cut to another length.
    if (vector?.bytes.length !== query.length) continue;
    const score = likeness(query, vector);
    if (best.length < count || score > (best.at(-1)?.score ?? 0)) {
      const at = best.findLastIndex((other) => other.score >= score) + 1;
      best.splice(at, 0, { tool, score });
      if (best.length > count) best.pop();
    }
    done += query.length;
    if (done < PIECE) continue;
    done = 0;
    await turn();
    if (signal.aborted) return undefined;
  }
  return { tools: best.map(({ tool }) => tool), unknown };
}
interface Asked {
  readonly count: number;
  readonly vectorOf: (tool: Tool) => Vector | undefined;
  readonly signal: AbortSignal;
}
