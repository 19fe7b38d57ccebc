import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient, initialize } from '../client.ts';
import type { Client } from '../client.ts';
import { readHeap } from '../growth.ts';
import { cleanEnv, cpuUs, GATEWAY_CORE, launch, stopChild, urlOf } from '../processes.ts';
import { modulePath, serveCommand, startUpstream } from '../targets.ts';

const PARALLEL = 16;
const POLL_MS = 50;
const CONNECTED_WITHIN_MS = 120_000;

/** A gateway in a process of its own, with a session. */
export interface RunningGateway {
  readonly client: Client;
  /** Time from the start of the process to its ready line. */
  readonly readyMs: number;
  /** CPU time of the process so far. */
  cpuMs(): number;
  rssMb(): Promise<number>;
}

/** Serves a directory. @param config what its config.yaml gets; undefined: it has one */
export async function withGateway<T>(
  directory: string,
  config: Readonly<Record<string, unknown>> | undefined,
  use: (gateway: RunningGateway) => Promise<T>,
): Promise<T> {
  if (config !== undefined) writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config));
  const probe = pathToFileURL(modulePath('heapProbe.js')).href;
  const begin = performance.now();
  const command = serveCommand(directory, ['--expose-gc', '--import', probe]);
  const child = launch(command, { core: GATEWAY_CORE, env: cleanEnv(), hasChannel: true });
  try {
    const client = createClient(await urlOf(child, 'pegboard'), PARALLEL);
    const readyMs = performance.now() - begin;
    await initialize(client);
    const gateway: RunningGateway = {
      client,
      readyMs,
      cpuMs: () => cpuUs(child.pid ?? 0) / 1e3,
      rssMb: async () => (await readHeap(child)).rssBytes / 1e6,
    };
    return await use(gateway).finally(() => client.close());
  } finally {
    await stopChild(child);
  }
}

/** Measures with the HTTP server of the bench, which ends after it. @param measure receives its url */
export async function* inFrontOfUpstream<T>(measure: (url: string) => AsyncIterable<T>): AsyncIterable<T> {
  const upstream = await startUpstream('http');
  try {
    yield* measure(upstream.url);
  } finally {
    await upstream.stop();
  }
}

/** Calls a tool that clients see. @throws Error unless it succeeds */
export async function call(
  { client }: Pick<RunningGateway, 'client'>,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const params = { name, arguments: args };
  const { status, text } = await client.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  if (status !== 200 || !text.includes('"result"') || text.includes('"isError":true'))
    throw new Error(`${name}: HTTP ${status}: ${text.slice(0, 300)}`);
  return text;
}

/** Waits until so many tools of servers are listed. */
export async function waitForTools(gateway: RunningGateway, count: number): Promise<void> {
  const deadline = Date.now() + CONNECTED_WITHIN_MS;
  for (;;) {
    const text = await call(gateway, 'filter_tools', { pattern: 'x_*', limit: 1 });
    const total = Number(/\\"total\\":\s*(\d+)/.exec(text)?.[1]);
    if (total >= count) return;
    if (Date.now() > deadline) throw new Error(`${total} tools instead of ${count}: ${text.slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Does something so many times, a few at once. */
export async function inParallel(times: number, run: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < times) await run(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
