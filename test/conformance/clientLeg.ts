import { fileURLToPath } from 'node:url';
import { runSuite, scoredScenarios } from './suite.ts';

/** The revision used with servers. */
const REVISION = '2025-11-25';
const CLIENT = fileURLToPath(new URL('client.js', import.meta.url));

export interface ClientLeg {
  readonly passed: readonly string[];
  readonly all: readonly string[];
  readonly faults: readonly string[];
}

/** The scored scenarios that need no sign-in, with a gateway as the client. */
export async function runClientLeg(): Promise<ClientLeg> {
  const all = (await scoredScenarios('client', REVISION)).filter((name) => !name.startsWith('auth/'));
  const passed: string[] = [];
  const faults: string[] = [];
  for (const name of all) {
    // The suite splits the command at spaces.
    const command = `${process.execPath} ${CLIENT}`;
    const target = ['--command', command, '--scenario', name, '--spec-version', REVISION];
    const { outcomes, output } = await runSuite('client', target);
    const outcome = outcomes.get(name);
    // Its verdict includes the client's exit code.
    if (outcome?.isPassed === true && output.includes('OVERALL: PASSED')) passed.push(name);
    else faults.push(`client: ${name} fails: ${outcome?.faults.join('; ') ?? output}`);
  }
  return { passed, all, faults };
}
