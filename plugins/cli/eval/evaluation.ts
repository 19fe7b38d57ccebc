import type { Wanted } from './readRequests.ts';

/** A request, and what the gateway answered. */
export interface Answered extends Wanted {
  /** Names of tools, best first. */
  readonly got: readonly string[];
  readonly confident: boolean;
}

export interface Evaluation {
  readonly requests: number;
  /** The share of requests whose first tool is right; null if no request wants a tool. */
  readonly recallAt1: number | null;
  /** The mean share of needs with a right tool among the first five. */
  readonly recallAt5: number | null;
  /** The mean of one by the rank of the first right tool; 0 beyond the tenth. */
  readonly mrr: number | null;
  /** The share of requests with a confident answer. */
  readonly confident: number;
  /** The share of those whose first tool is right; null if there is none. */
  readonly confidentPrecision: number | null;
}

export function evaluate(answered: readonly Answered[]): Evaluation {
  const wanting = answered.filter(({ want }) => want.length > 0);
  const sure = answered.filter(({ confident }) => confident);
  return {
    requests: answered.length,
    recallAt1: meanOf(wanting, (one) => (isRight(one, one.got[0]) ? 1 : 0)),
    recallAt5: meanOf(wanting, foundInFive),
    mrr: meanOf(wanting, (one) => {
      const at = one.got.findIndex((name) => isRight(one, name));
      return at < 0 ? 0 : 1 / (at + 1);
    }),
    confident: sure.length / answered.length,
    confidentPrecision: meanOf(sure, (one) => (isRight(one, one.got[0]) ? 1 : 0)),
  };
}

/** Whether a need has no right tool among the first five. */
export function isMissed(one: Answered): boolean {
  return one.want.length > 0 && foundInFive(one) < 1;
}

function foundInFive({ want, got }: Answered): number {
  const five = got.slice(0, 5);
  return want.filter((need) => need.some((name) => five.includes(name))).length / want.length;
}

function isRight({ want }: Answered, name: string | undefined): boolean {
  return name !== undefined && want.some((need) => need.includes(name));
}

function meanOf<T>(items: readonly T[], valueOf: (item: T) => number): number | null {
  if (items.length === 0) return null;
  return items.reduce((sum, item) => sum + valueOf(item), 0) / items.length;
}
