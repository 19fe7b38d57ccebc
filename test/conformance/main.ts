/** `npm run conformance`: the official suite against Pegboard, bare and behind an adapter that only renames.
 *  `npm run conformance -- NAME`: only the scenarios for clients that begin with it, such as `auth/`. */
import { readFile } from 'node:fs/promises';
import { runEnds } from '../support/cleanup.ts';
import { startAdapter } from './adapter.ts';
import { runAuthorizationLeg } from './authorizationLeg.ts';
import { runClientLeg } from './clientLeg.ts';
import { fixtureServer } from './fixtureServer.ts';
import { hostOverHttp } from './fixtureHost.ts';
import { gatewayOver } from './gateways.ts';
import { EXPECTED } from './expected.ts';
import type { Expected } from './expected.ts';
import { runSuite, scoredScenarios, suiteVersion } from './suite.ts';
import type { Outcome } from './suite.ts';
import { withoutEmptyPasses } from './vacuity.ts';

const MAX_ADAPTER_LINES = 70;
const USUAL_CHECKS = 2;
type Outcomes = ReadonlyMap<string, Outcome>;
const faults: string[] = [];

async function main(only: string | undefined): Promise<void> {
  if (only !== undefined) {
    for (const expected of EXPECTED) await judgeClient(expected, only);
    return;
  }
  const source = new URL('../../../test/conformance/adapter.ts', import.meta.url);
  const lines = (await readFile(source, 'utf8')).split('\n').length - 1;
  if (lines >= MAX_ADAPTER_LINES) faults.push(`the adapter has ${lines} lines; it may only rename`);
  print(`conformance, suite ${suiteVersion()}, scored scenarios:`);
  for (const expected of EXPECTED) await judge(expected);
  for (const expected of EXPECTED) await judgeClient(expected);
  for (const { revision } of EXPECTED) {
    const { passed, all, faults: found } = await runAuthorizationLeg(revision);
    faults.push(...found);
    print(`  ${revision}: as an authorization server: ${passed.length}/${all.length}`);
  }
  await runEnds();
}

async function judgeClient(expected: Expected, only = ''): Promise<void> {
  const { revision } = expected;
  const leg = await runClientLeg(expected, only);
  faults.push(...leg.faults);
  const of = (names: readonly string[]): string => `${names.length}/${leg.scored.length}`;
  print(
    `  ${revision}: as a client ${of(leg.passed)}, control that sends nothing ${of(leg.passedBySilence)}`,
  );
  for (const name of leg.alsoPassed) print(`  not scored: ${name} passes`);
}

async function judge(expected: Expected): Promise<void> {
  const { revision, bareFails, adaptedFails, nullPasses } = expected;
  const scored = await scoredScenarios('server', revision);
  const { bare, adapted } = await overFixture(revision);
  const control = await overNothing(revision);
  expectFailures(`${revision} bare`, bare, scored, bareFails);
  expectFailures(`${revision} with adapter`, adapted, scored, adaptedFails);
  const passedByNothing = scored.filter((name) => isPassed(control, name) && !nullPasses.includes(name));
  for (const name of passedByNothing)
    faults.push(`${revision} control: ${name} passes without a server behind the gateway`);
  for (const name of scored) {
    const least = expected.checks[name] ?? USUAL_CHECKS;
    const { isPassed = false, checks = 0 } = adapted.get(name) ?? {};
    if (isPassed && checks < least) faults.push(`${revision}: ${name} has ${checks} checks, not ${least}`);
  }
  const count = (...runs: Outcomes[]): string =>
    `${scored.filter((name) => runs.some((run) => isPassed(run, name))).length}/${scored.length}`;
  print(`  ${revision}: bare ${count(bare)}, with adapter ${count(adapted)}, either ${count(bare, adapted)}`);
  print(`  ${revision}: control without a server: ${count(control)}`);
  const rest = [...adapted.keys()].filter((name) => !scored.includes(name) && !name.startsWith('tasks-'));
  for (const name of rest) print(`  not scored: ${name} ${isPassed(adapted, name) ? 'passes' : 'fails'}`);
}

async function overFixture(
  revision: string,
): Promise<{ readonly bare: Outcomes; readonly adapted: Outcomes }> {
  const server = await hostOverHttp(fixtureServer);
  const gateway = await gatewayOver(server.url);
  const adapter = await startAdapter(gateway.url());
  try {
    return {
      bare: await suiteAt(localhost(gateway.url()), revision),
      adapted: await suiteAt(adapter.url, revision),
    };
  } finally {
    await adapter.close();
    await gateway.stop();
    await server.close();
  }
}

async function overNothing(revision: string): Promise<Outcomes> {
  const gateway = await gatewayOver('http://127.0.0.1:9/mcp', { isUp: false });
  const adapter = await startAdapter(gateway.url());
  try {
    return await suiteAt(adapter.url, revision);
  } finally {
    await adapter.close();
    await gateway.stop();
  }
}

/** dns-rebinding-protection requires this name. */
function localhost(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

async function suiteAt(url: string, revision: string): Promise<Outcomes> {
  const { outcomes, output } = await runSuite('server', ['--url', `${url}/mcp`, '--requirements', revision]);
  if (outcomes.size === 0) throw new Error(`the suite did not run:\n${output}`);
  return withoutEmptyPasses(outcomes, url);
}

function expectFailures(
  what: string,
  outcomes: Outcomes,
  scored: readonly string[],
  known: readonly string[],
): void {
  for (const name of scored) {
    if (isPassed(outcomes, name) === !known.includes(name)) continue;
    const why = outcomes.get(name)?.faults.join('; ') ?? 'it did not run';
    faults.push(
      known.includes(name)
        ? `${what}: ${name} passes now; remove it from the list`
        : `${what}: ${name} fails: ${why}`,
    );
  }
}

function isPassed(outcomes: Outcomes, name: string): boolean {
  return outcomes.get(name)?.isPassed === true;
}
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main(process.argv[2]);
for (const fault of faults) print(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
