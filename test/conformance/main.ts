/** `npm run conformance`: the official suite against Pegboard, bare and behind an adapter that only renames. */
import { readFile } from 'node:fs/promises';
import { startAdapter } from './adapter.ts';
import { runClientLeg } from './clientLeg.ts';
import { fixtureServer } from './fixtureServer.ts';
import { hostOverHttp } from './fixtureHost.ts';
import { gatewayOver } from './gateways.ts';
import { BARE_FAILS, CHECKS, NULL_PASSES } from './expected.ts';
import { REVISION, runSuite, scoredScenarios, suiteVersion } from './suite.ts';
import type { Outcome } from './suite.ts';
import { withoutEmptyPasses } from './vacuity.ts';

const MAX_ADAPTER_LINES = 60;
const USUAL_CHECKS = 2;
type Outcomes = ReadonlyMap<string, Outcome>;
const faults: string[] = [];

async function main(): Promise<void> {
  const source = new URL('../../../test/conformance/adapter.ts', import.meta.url);
  const lines = (await readFile(source, 'utf8')).split('\n').length - 1;
  if (lines >= MAX_ADAPTER_LINES) faults.push(`the adapter has ${lines} lines; it may only rename`);
  const scored = await scoredScenarios('server');
  const { bare, adapted } = await overFixture();
  const control = await overNothing();
  const client = await runClientLeg();
  faults.push(...client.faults);

  expectFailures('bare', bare, scored, BARE_FAILS);
  expectFailures('with adapter', adapted, scored, []);
  const passedByNothing = scored.filter((name) => isPassed(control, name) && !NULL_PASSES.includes(name));
  for (const name of passedByNothing) faults.push(`control: ${name} passes without a server behind us`);
  for (const name of scored) {
    const least = CHECKS[name] ?? USUAL_CHECKS;
    const { isPassed = false, checks = 0 } = adapted.get(name) ?? {};
    if (isPassed && checks < least) faults.push(`with adapter: ${name} has ${checks} checks, not ${least}`);
  }
  const count = (outcomes: Outcomes): number => scored.filter((name) => isPassed(outcomes, name)).length;
  print(`conformance ${REVISION}, suite ${suiteVersion()}, server scenarios that are scored:`);
  print(`  bare ${count(bare)}/${scored.length}, with adapter ${count(adapted)}/${scored.length}`);
  print(`  control without a server: ${count(control)}/${scored.length}`);
  print(`  as a client, without those that need a sign-in: ${client.passed.length}/${client.all.length}`);
  const rest = [...adapted.keys()].filter((name) => !scored.includes(name));
  for (const name of rest) print(`  not scored: ${name} ${isPassed(adapted, name) ? 'passes' : 'fails'}`);
}

async function overFixture(): Promise<{ readonly bare: Outcomes; readonly adapted: Outcomes }> {
  const server = await hostOverHttp(fixtureServer);
  const gateway = await gatewayOver(server.url);
  const adapter = await startAdapter(gateway.url());
  try {
    return { bare: await suiteAt(localhost(gateway.url())), adapted: await suiteAt(adapter.url) };
  } finally {
    await adapter.close();
    await gateway.stop();
    await server.close();
  }
}

async function overNothing(): Promise<Outcomes> {
  const gateway = await gatewayOver('http://127.0.0.1:9/mcp', false);
  const adapter = await startAdapter(gateway.url());
  try {
    return await suiteAt(adapter.url);
  } finally {
    await adapter.close();
    await gateway.stop();
  }
}

/** dns-rebinding-protection runs at no other name. */
function localhost(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

async function suiteAt(url: string): Promise<Outcomes> {
  const { outcomes, output } = await runSuite('server', ['--url', `${url}/mcp`, '--requirements', REVISION]);
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
        ? `${what}: ${name} passes now; take it off the list`
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

await main();
for (const fault of faults) print(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
