/** Times over which calls are counted, each in so many parts. */
export const SPANS = {
  hour: { parts: 60, ms: 60_000 },
  day: { parts: 48, ms: 1_800_000 },
  week: { parts: 56, ms: 10_800_000 },
} as const;
export type Span = keyof typeof SPANS;

/** Upper bounds of durations in ms; the last count is of those beyond. */
const BOUNDS: readonly number[] = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
const [CALLS, ERRORS, FIRST] = [0, 1, 2];
const WIDTH = FIRST + BOUNDS.length + 1;

export interface CallFigures {
  readonly calls: number;
  readonly errors: number;
  /** Half of the calls took at most so many ms, as an estimate; absent without a call that ran. */
  readonly p50?: number;
  /** The same of 95 in 100. */
  readonly p95?: number;
}

/** Counters of calls over an hour, a day and a week: 11 kB, however many calls there are. */
export class CallSeries {
  readonly #rings = Object.fromEntries(
    Object.entries(SPANS).map(([span, { parts }]) => [span, new Ring(parts)]),
  ) as Readonly<Record<Span, Ring>>;

  /** One that ended before a span counts nowhere in it. @param at ms since the epoch @param ms undefined: it was refused before it ran */
  count(at: number, isError: boolean, ms: number | undefined): void {
    for (const span of Object.keys(SPANS) as Span[]) {
      const part = partAt(span, at);
      if (part > partAt(span) - SPANS[span].parts) this.#rings[span].count(part, isError, ms);
    }
  }

  /** The oldest part first; the last one is not over yet. */
  parts(span: Span): readonly CallFigures[] {
    const { parts } = SPANS[span];
    const first = partAt(span) - parts + 1;
    return Array.from({ length: parts }, (_, at) => figuresOf(this.#rings[span].at(first + at)));
  }

  whole(span: Span): CallFigures {
    const { parts } = SPANS[span];
    const sum = new Uint32Array(WIDTH);
    for (let part = partAt(span) - parts + 1; part <= partAt(span); part += 1)
      this.#rings[span].at(part).forEach((value, at) => (sum[at] = (sum[at] ?? 0) + value));
    return figuresOf(sum);
  }
}

const EMPTY = new Uint32Array(WIDTH);

class Ring {
  readonly #counts: Uint32Array;
  readonly #numbers: Float64Array;

  constructor(parts: number) {
    this.#counts = new Uint32Array(parts * WIDTH);
    this.#numbers = new Float64Array(parts);
  }

  count(part: number, isError: boolean, ms: number | undefined): void {
    const place = part % this.#numbers.length;
    const counts = this.#counts.subarray(place * WIDTH, (place + 1) * WIDTH);
    if (this.#numbers[place] !== part) counts.fill(0);
    this.#numbers[place] = part;
    add(counts, CALLS);
    if (isError) add(counts, ERRORS);
    if (ms === undefined) return;
    const bound = BOUNDS.findIndex((one) => ms <= one);
    add(counts, FIRST + (bound < 0 ? BOUNDS.length : bound));
  }

  at(part: number): Uint32Array {
    const place = part % this.#numbers.length;
    if (this.#numbers[place] !== part) return EMPTY;
    return this.#counts.subarray(place * WIDTH, (place + 1) * WIDTH);
  }
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function partAt(span: Span, at = Date.now()): number {
  return Math.floor(at / SPANS[span].ms);
}

/** When the oldest part of the time began, RFC 3339. */
export function spanBegan(span: Span): string {
  return new Date((partAt(span) - SPANS[span].parts + 1) * SPANS[span].ms).toISOString();
}

function figuresOf(counts: Uint32Array): CallFigures {
  const [p50, p95] = [quantile(counts, 0.5), quantile(counts, 0.95)];
  return {
    calls: counts[CALLS] ?? 0,
    errors: counts[ERRORS] ?? 0,
    ...(p50 !== undefined && { p50 }),
    ...(p95 !== undefined && { p95 }),
  };
}

/** As if durations were even between two bounds; those beyond the last count as that. */
function quantile(counts: Uint32Array, share: number): number | undefined {
  const times = counts.subarray(FIRST);
  const total = times.reduce((sum, each) => sum + each, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [at, each] of times.entries()) {
    const [from, to] = [BOUNDS[at - 1] ?? 0, BOUNDS[at] ?? BOUNDS.at(-1) ?? 0];
    if (each > 0 && below + each >= share * total)
      return Math.round(from + Math.max(0, to - from) * ((share * total - below) / each));
    below += each;
  }
  return undefined;
}
