import { parseArgs } from 'node:util';
import { CASES } from './cases.ts';
import { HAS_REDIS } from '../support/redis.ts';
import { FIGURE_NAMES } from './figures.ts';
import { TARGET_NAMES } from './targets.ts';
import type { TargetName } from './targets.ts';

/** Left out where there is no redis-server, unless they are named. */
const NEED_REDIS: readonly string[] = ['shared', 'sharedSessions', 'sharedSignIns'];

export const USAGE = `npm run bench -- [--json] [--short] [--only NAME,...] [--targets NAME,...] [--rounds N] [--seconds N]

  --json      one JSON document on standard output instead of tables
  --short     two rounds of one second; missed goals are shown but the exit code stays 0
  --only      cases and figures among ${[...CASES.map(({ name }) => name), ...FIGURE_NAMES].join(', ')}
              metrics: what they cost a call, in one process, with their exporter on and without them
              adminPages: their first bytes with 1,000 sessions, 2,000 tools and 100,000 calls
  --targets   targets among ${TARGET_NAMES.join(', ')}; default: all but signedIn
  --rounds    number of measurements of every target; default 5
  --seconds   duration of each measurement; default 3
`;

export interface BenchOptions {
  readonly json: boolean;
  readonly short: boolean;
  readonly help: boolean;
  readonly only: readonly string[];
  readonly targets: readonly TargetName[];
  readonly rounds: number;
  readonly seconds: number;
}

/** @throws Error on an unknown option or name */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string' },
      targets: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  });
  const { json, short, help } = values;
  return {
    json,
    short,
    help,
    only: namesOf('--only', values.only, [...CASES.map(({ name }) => name), ...FIGURE_NAMES]),
    targets: namesOf('--targets', values.targets, TARGET_NAMES),
    rounds: count('--rounds', values.rounds, short ? 2 : 5),
    seconds: count('--seconds', values.seconds, short ? 1 : 3),
  };
}

function namesOf<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
): readonly T[] {
  if (text === undefined)
    return known.filter((name) => name !== 'signedIn' && (HAS_REDIS || !NEED_REDIS.includes(name)));
  return text.split(',').map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new Error(`${flag}: no ${name}; there are ${known.join(', ')}`);
    return found;
  });
}

function count(flag: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 100)
    throw new Error(`${flag} takes a number from 1 to 100`);
  return value;
}
