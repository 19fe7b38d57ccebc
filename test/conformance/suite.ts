import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@modelcontextprotocol/conformance/package.json';
const LIMIT_MS = 180_000;
const NOT_SCORED = 'Run and reported, but never scored';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const SUITE = path('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const NODE_20 = new URL('node20.js', import.meta.url).href;

export type Leg = 'server' | 'client' | 'authorization';
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}
export interface Outcome {
  readonly scenario: string;
  readonly isPassed: boolean;
  /** Number of successful checks. */
  readonly checks: number;
  readonly faults: readonly string[];
}

export function suiteVersion(): string {
  return (createRequire(import.meta.url)(PACKAGE) as { readonly version: string }).version;
}

/** Names of the scored scenarios. @param revision the one whose frozen set of requirements applies */
export async function scoredScenarios(leg: Leg, revision: string): Promise<readonly string[]> {
  const { output } = await run(['list', '--requirements', revision]);
  const [scored = ''] = output.split(NOT_SCORED);
  const [servers = '', clients = ''] = scored.split('Client scenarios');
  const section = leg === 'server' ? servers : clients;
  return [...section.matchAll(/^ +- (\S+)$/gm)].map(([, name = '']) => name);
}

/** Names of the scenarios that the suite runs and does not score. */
export async function unscoredScenarios(leg: Leg, revision: string): Promise<readonly string[]> {
  const { output } = await run(['list', '--requirements', revision]);
  const [, unscored = ''] = output.split(NOT_SCORED);
  return [...unscored.matchAll(/^ +- (\S+) \[(\w+)\]$/gm)]
    .filter(([, , own]) => own === leg)
    .map(([, name = '']) => name);
}

/** Runs the unmodified suite. @param target `['--url', …]` or `['--command', …]`
 *  @param read gets each line that it prints meanwhile @returns by scenario */
export async function runSuite(
  leg: Leg,
  target: readonly string[],
  read?: (line: string) => void,
): Promise<{ readonly outcomes: ReadonlyMap<string, Outcome>; readonly output: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const { output } = await run([leg, ...target, '-o', directory], read);
    const found = await readdir(directory, { recursive: true });
    const files = found.filter((name) => name.endsWith('checks.json'));
    const outcomes = await Promise.all(files.map((file) => readOutcome(leg, directory, file)));
    return { outcomes: new Map(outcomes.map((outcome) => [outcome.scenario, outcome])), output };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Warnings count as failures, except of a server. */
async function readOutcome(leg: Leg, directory: string, file: string): Promise<Outcome> {
  const checks = JSON.parse(await readFile(join(directory, file), 'utf8')) as readonly Check[];
  const isFault = ({ status }: Check): boolean =>
    status === 'FAILURE' || (leg !== 'server' && status === 'WARNING');
  const faults = checks.filter(isFault).map(({ id, errorMessage = '' }) => `${id} ${errorMessage}`.trim());
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const scenario = file.replace(/\/checks\.json$/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  return {
    scenario: scenario.replace(leg === 'authorization' ? /^authorization-server-/ : /^server-/, ''),
    isPassed: faults.length === 0 && passed > 0,
    checks: passed,
    faults,
  };
}

async function run(
  args: readonly string[],
  read?: (line: string) => void,
): Promise<{ readonly output: string }> {
  const child = spawn(process.execPath, ['--import', NODE_20, SUITE, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  if (read !== undefined) createInterface(child.stdout).on('line', read);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { output: stdout + stderr };
}
