import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { soakDirectory } from './soakDirectory.ts';

const BABBLER = fileURLToPath(
  new URL('../../../test/plugins/upstream/fixtures/babbler.mjs', import.meta.url),
);
const FLOODS = ['garbage', 'notifications', 'list_changed', 'empty lines', 'logs', 'standard error'];
const CALLS = 300;
const LISTENERS = 20;

export interface Flooded {
  readonly flood: string;
  /** Latencies in ms of calls to a healthy server beside it. */
  readonly before: number;
  readonly during: number;
}

/** Measures calls to a healthy server beside one that floods. */
export async function floodAll(): Promise<readonly Flooded[]> {
  const measured: Flooded[] = [];
  for (const flood of FLOODS) measured.push(await floodedWith(flood, 0));
  measured.push(await floodedWith('logs', LISTENERS));
  return measured;
}

/** @param listeners number of clients with a standing stream */
async function floodedWith(flood: string, listeners: number): Promise<Flooded> {
  const directory = soakDirectory(['a']);
  const pegboard = await servePegboard(directory.path);
  await pegboard.logged('server connected');
  const client = await McpClient.connect(pegboard.url);
  for (let listener = 0; listener < listeners; listener += 1) void listen(pegboard.url);
  const before = await medianMs(client);
  const command = JSON.stringify([process.execPath, BABBLER, flood, directory.at('told')]);
  directory.write('mcpservers/loud.yaml', `type: stdio\nautoStart: true\ncommand: ${command}\n`);
  while (pegboard.lines.filter(({ text }) => text === 'server connected').length < 2) await pause(50);
  const during = await medianMs(client);
  if (listeners > 0) await pegboard.logged('log messages of a server were not delivered');
  await pegboard.stop();
  return { flood: listeners === 0 ? flood : `${flood} to ${listeners}`, before, during };
}

/** Reads the standing stream of a session of its own until its gateway ends. */
async function listen(url: string): Promise<void> {
  const client = await McpClient.connect(url);
  await client.request('logging/setLevel', { level: 'debug' });
  const ended = new WritableStream();
  await client
    .listen()
    .then(({ body }) => body?.pipeTo(ended))
    .catch(() => undefined);
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
