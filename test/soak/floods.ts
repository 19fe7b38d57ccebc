import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { soakDirectory } from './board.ts';

const BABBLER = fileURLToPath(
  new URL('../../../test/plugins/upstream/fixtures/babbler.mjs', import.meta.url),
);
const FLOODS = ['garbage', 'notifications', 'list_changed', 'empty lines', 'logs', 'standard error'];
const CALLS = 300;

export interface Flooded {
  readonly flood: string;
  /** ms, of calls to a healthy server beside it. */
  readonly before: number;
  readonly during: number;
}

/** How long calls to a healthy server take beside one that babbles. */
export async function floodAll(): Promise<readonly Flooded[]> {
  const measured: Flooded[] = [];
  for (const flood of FLOODS) measured.push(await floodedWith(flood));
  return measured;
}

async function floodedWith(flood: string): Promise<Flooded> {
  const directory = soakDirectory(['a']);
  const pegboard = await servePegboard(directory.path);
  await pegboard.logged('server connected');
  const client = await McpClient.connect(pegboard.url);
  const before = await medianMs(client);
  const command = JSON.stringify([process.execPath, BABBLER, flood, directory.at('told')]);
  directory.write('mcpservers/loud.yaml', `type: stdio\nautoStart: true\ncommand: ${command}\n`);
  while (pegboard.lines.filter(({ text }) => text === 'server connected').length < 2) await pause(50);
  const during = await medianMs(client);
  await pegboard.stop();
  return { flood, before, during };
}

async function medianMs(client: McpClient): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const asked = performance.now();
    await client.callTool('x_a_echo', { text: 'healthy' });
    times.push(performance.now() - asked);
  }
  times.sort((a, b) => a - b);
  return times[CALLS / 2] ?? 0;
}
