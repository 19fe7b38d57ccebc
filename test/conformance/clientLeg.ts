import { fileURLToPath } from 'node:url';
import type { Expected } from './expected.ts';
import { runSuite, scoredScenarios, unscoredScenarios } from './suite.ts';

const CLIENT = `${process.execPath} ${fileURLToPath(new URL('client.js', import.meta.url))}`;
/** A client that ends without sending anything. */
const SILENT = `${process.execPath} --eval 0`;
/** Scenarios mostly wait. */
const AT_ONCE = 3;
/** Scenarios of optional extensions of the protocol, which a gateway does not have. */
const OF_EXTENSIONS = [
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
];

export interface ClientLeg {
  readonly scored: readonly string[];
  /** Scored scenarios that passed; `passedBySilence`: those that a client that sends nothing passes. */
  readonly passed: readonly string[];
  readonly passedBySilence: readonly string[];
  /** Those that passed without being scored. */
  readonly alsoPassed: readonly string[];
  readonly faults: readonly string[];
}

/** The scenarios of one revision, with a gateway as the client. @param only how the names of those begin that run */
export async function runClientLeg({ revision, clientChecks }: Expected, only = ''): Promise<ClientLeg> {
  const isWanted = (name: string): boolean => name.startsWith(only) && !OF_EXTENSIONS.includes(name);
  const scored = (await scoredScenarios('client', revision)).filter(isWanted);
  const unscored = (await unscoredScenarios('client', revision)).filter(isWanted);
  const passed: string[] = [];
  const silent: string[] = [];
  const faults = Object.keys(clientChecks)
    .filter((name) => isWanted(name) && ![...scored, ...unscored].includes(name))
    .map((name) => `${name} is gone: remove it`);
  const runs = new Map<string, Run>();
  const waiting = [...scored, ...unscored];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      runs.set(name, await runWith(CLIENT, name, revision));
      if ((await runWith(SILENT, name, revision)).isPassed) silent.push(name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const [name, run] of runs) {
    // On a busy machine its deadlines may be met alone only.
    const { isPassed, checks, why } = run.isPassed ? run : await runWith(CLIENT, name, revision);
    const least = clientChecks[name];
    if (!isPassed) faults.push(`${name} fails: ${why}`);
    else if (least === undefined) faults.push(`${name} is new: add it, with ${checks} checks`);
    else if (checks < least) faults.push(`${name} has ${checks} checks, not ${least}`);
    else passed.push(name);
  }
  faults.push(...silent.map((name) => `control: ${name} passes with a client that sends nothing`));
  return {
    scored,
    passed: passed.filter((name) => scored.includes(name)),
    passedBySilence: silent.filter((name) => scored.includes(name)),
    alsoPassed: passed.filter((name) => unscored.includes(name)),
    faults: faults.map((fault) => `${revision} client: ${fault}`),
  };
}

interface Run {
  readonly isPassed: boolean;
  readonly checks: number;
  readonly why: string;
}

/** @param command which the suite splits at spaces */
async function runWith(command: string, name: string, revision: string): Promise<Run> {
  const target = ['--command', command, '--scenario', name, '--spec-version', revision];
  const { outcomes, output } = await runSuite('client', target);
  const { isPassed = false, checks = 0, faults = [] } = outcomes.get(name) ?? {};
  // Its verdict includes the client's exit code, except where a client may fail.
  const isWell = output.includes('OVERALL: PASSED') && !output.includes('Client exited with code');
  return { isPassed: isPassed && isWell, checks, why: faults.length > 0 ? faults.join('; ') : output };
}
