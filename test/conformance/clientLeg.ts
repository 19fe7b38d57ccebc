import { fileURLToPath } from 'node:url';
import type { Expected } from './expected.ts';
import { runSuite, scoredScenarios, unscoredScenarios } from './suite.ts';

const CLIENT = `${process.execPath} ${fileURLToPath(new URL('client.js', import.meta.url))}`;
/** A client that ends without sending anything. */
const SILENT = `${process.execPath} --eval 0`;
const SIGN_IN = 'auth/';

export interface ClientLeg {
  readonly scored: readonly string[];
  /** Of those, which passed, and which a client that sends nothing passes. */
  readonly passed: readonly string[];
  readonly passedBySilence: readonly string[];
  /** Those that passed without being scored. */
  readonly alsoPassed: readonly string[];
  /** Scored ones in which the server requires a sign-in. */
  readonly skipped: readonly string[];
  readonly faults: readonly string[];
}

/** The scenarios of one revision that need no sign-in, with a gateway as the client. */
export async function runClientLeg({ revision, clientChecks }: Expected): Promise<ClientLeg> {
  const required = await scoredScenarios('client', revision);
  const [scored, skipped] = split(required);
  const [unscored] = split(await unscoredScenarios('client', revision));
  const passed: string[] = [];
  const silent: string[] = [];
  const faults = Object.keys(clientChecks)
    .filter((name) => ![...scored, ...unscored].includes(name))
    .map((name) => `${name} is gone: remove it`);
  for (const name of [...scored, ...unscored]) {
    const { isPassed, checks, why } = await runWith(CLIENT, name, revision);
    const least = clientChecks[name];
    if (!isPassed) faults.push(`${name} fails: ${why}`);
    else if (least === undefined) faults.push(`${name} is new: add it, with ${checks} checks`);
    else if (checks < least) faults.push(`${name} has ${checks} checks, not ${least}`);
    else passed.push(name);
    if ((await runWith(SILENT, name, revision)).isPassed) silent.push(name);
  }
  faults.push(...silent.map((name) => `control: ${name} passes with a client that sends nothing`));
  return {
    scored,
    skipped,
    passed: passed.filter((name) => scored.includes(name)),
    passedBySilence: silent.filter((name) => scored.includes(name)),
    alsoPassed: passed.filter((name) => unscored.includes(name)),
    faults: faults.map((fault) => `${revision} client: ${fault}`),
  };
}

/** @returns those that need no sign-in, and those that do */
function split(names: readonly string[]): readonly [readonly string[], readonly string[]] {
  const needsSignIn = (name: string): boolean => name.startsWith(SIGN_IN);
  return [names.filter((name) => !needsSignIn(name)), names.filter(needsSignIn)];
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
