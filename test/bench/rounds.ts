/** Interleaved rounds: the targets take turns, in a rotating order, so that a slow moment of the
 *  machine affects all of them. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilCallable } from './call.ts';
import type { Case } from './cases.ts';
import { createClient } from './client.ts';
import { runLoad } from './load.ts';
import { mean, median } from './median.ts';
import { cpuUs, rssBytes } from './processes.ts';
import { startTarget, startUpstream } from './targets.ts';
import type { Target, TargetName } from './targets.ts';

/** Tolerance for the Date header and for the way wrk counts the last answer. */
const WIRE_TOLERANCE = 0.03;
const MAX_WARM_UP_SECONDS = 10;

export interface RoundOptions {
  readonly targets: readonly TargetName[];
  readonly rounds: number;
  /** Duration of the load on each target in a round. */
  readonly seconds: number;
  /** Calls to each target before the first round, so that its code is compiled; a slow target gets fewer. */
  readonly warmUpCalls: number;
  readonly directory: string;
  readonly progress: (text: string) => void;
}
export interface Sample {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerCall: number;
  readonly rssMb: number;
}
export interface Ratio {
  readonly calls: number;
  readonly cpu: number;
  /** calls/s divided by the floor's, round by round. */
  readonly rounds: readonly number[];
}
export interface CaseResult extends Case {
  readonly samples: Partial<Record<TargetName, Sample>>;
  /** Each target relative to the floor: the medians of the rounds' ratios. */
  readonly ratios: Partial<Record<TargetName, Ratio>>;
}
type Samples = Map<TargetName, Sample[]>;

export async function measureCase(one: Case, options: RoundOptions): Promise<CaseResult> {
  const upstream = await startUpstream(one.upstream);
  const targets: Target[] = [];
  try {
    for (const name of options.targets) {
      targets.push(await startTarget(name, upstream, mkdtempSync(join(options.directory, `${one.name}-`))));
    }
    return summarise(one, await measureRounds(one, targets, options));
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    await upstream.stop();
  }
}

async function measureRounds(one: Case, targets: readonly Target[], options: RoundOptions): Promise<Samples> {
  const wireBytes = new Map<TargetName, number>();
  for (const target of targets) {
    wireBytes.set(target.name, await checkedAnswerBytes(target, one));
    await warmUp(target, one, options);
  }
  const samples: Samples = new Map(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round += 1) {
    const slices: Samples = new Map(targets.map(({ name }) => [name, []]));
    for (let second = 0; second < options.seconds; second += 1) {
      for (const target of rotated(targets, round + second)) {
        slices
          .get(target.name)
          ?.push(await measureSecond(target, one, options, wireBytes.get(target.name) ?? 0));
      }
    }
    for (const [name, own] of slices) samples.get(name)?.push(merged(own, mean));
    const rates = [...samples].map(
      ([name, own]) => `${name} ${Math.round(own.at(-1)?.callsPerSecond ?? 0)}/s`,
    );
    options.progress(`${one.name} round ${round + 1}/${options.rounds}: ${rates.join(', ')}`);
  }
  for (const target of targets) await checkedAnswerBytes(target, one);
  return samples;
}

async function warmUp(target: Target, one: Case, options: RoundOptions): Promise<void> {
  let calls = 0;
  for (let second = 0; second < MAX_WARM_UP_SECONDS && calls < options.warmUpCalls; second += 1) {
    calls += (await load(target, one, options, 1)).calls;
  }
}

function rotated<T>(values: readonly T[], by: number): readonly T[] {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

async function measureSecond(
  target: Target,
  one: Case,
  options: RoundOptions,
  wireBytes: number,
): Promise<Sample> {
  const before = cpuUs(target.pid);
  const result = await load(target, one, options, 1);
  const spentUs = cpuUs(target.pid) - before;
  const isWrong = Math.abs(result.bytesPerCall / wireBytes - 1) > WIRE_TOLERANCE;
  if (result.failures > 0 || result.calls === 0 || isWrong) {
    const got = `${result.failures} failures, ${result.bytesPerCall} bytes per answer instead of ${wireBytes}`;
    throw new Error(
      `${target.name} in ${one.name}: not every answer was correct: ${result.calls} calls, ${got}`,
    );
  }
  return {
    callsPerSecond: result.calls / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuUsPerCall: spentUs / result.calls,
    rssMb: rssBytes(target.pid) / 1e6,
  };
}

function load(
  { url, session, token }: Target,
  { kind, connections }: Case,
  { directory }: RoundOptions,
  seconds: number,
) {
  return runLoad({ url, callers: [{ session, token }], kind, connections, seconds, directory });
}

async function checkedAnswerBytes({ url, session, token }: Target, { kind }: Case): Promise<number> {
  const client = createClient(url);
  client.session = session;
  client.token = token;
  try {
    return (await waitUntilCallable(client, kind)).wireBytes;
  } finally {
    client.close();
  }
}

function summarise(one: Case, samples: Samples): CaseResult {
  const floor = samples.get('floor') ?? [];
  const medians: Partial<Record<TargetName, Sample>> = {};
  const ratios: Partial<Record<TargetName, Ratio>> = {};
  for (const [name, own] of samples) {
    medians[name] = merged(own, median);
    if (name === 'floor' || floor.length === 0) continue;
    const rounds = own.map((sample, at) => sample.callsPerSecond / (floor[at]?.callsPerSecond ?? NaN));
    const cpu = own.map((sample, at) => sample.cpuUsPerCall / (floor[at]?.cpuUsPerCall ?? NaN));
    ratios[name] = { calls: median(rounds), cpu: median(cpu), rounds };
  }
  return { ...one, samples: medians, ratios };
}

function merged(samples: readonly Sample[], by: (values: readonly number[]) => number): Sample {
  return {
    callsPerSecond: by(samples.map(({ callsPerSecond }) => callsPerSecond)),
    p50Ms: by(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: by(samples.map(({ p99Ms }) => p99Ms)),
    cpuUsPerCall: by(samples.map(({ cpuUsPerCall }) => cpuUsPerCall)),
    rssMb: by(samples.map(({ rssMb }) => rssMb)),
  };
}
