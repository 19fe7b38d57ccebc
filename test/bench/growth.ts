/** Memory that a running gateway retains after many requests of one kind, after garbage collection. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { waitUntilCallable } from './call.ts';
import { createClient, initialize, initializeMessage } from './client.ts';
import type { Client } from './client.ts';
import type { HeapReading } from './heapProbe.ts';
import { cleanEnv, launch, stopChild, urlOf } from './processes.ts';
import { modulePath, pegboardCommand } from './targets.ts';
import type { Upstream } from './targets.ts';

/** The first requests fill caches and compile code, so that only memory retained per request is measured. */
const WARM_UP_SHARE = 0.5;
const PARALLEL = 16;
const PROBE_TIMEOUT_MS = 10_000;

export interface GrowthOptions {
  readonly requests: number;
  readonly upstream: Upstream;
  readonly directory: string;
}

export async function measureGrowth(
  sort: 'sessions' | 'refused',
  options: GrowthOptions,
): Promise<HeapReading> {
  const probe = pathToFileURL(modulePath('heapProbe.js')).href;
  const command = pegboardCommand(options.directory, options.upstream, ['--expose-gc', '--import', probe]);
  const child = launch(command, { env: cleanEnv(), hasChannel: true });
  try {
    const url = await urlOf(child, 'pegboard');
    const client = createClient(url, PARALLEL);
    await initialize(client);
    await waitUntilCallable(client, 'echo');
    client.session = sort === 'sessions' ? undefined : 'not-a-session-of-this-server';
    await postMany(client, sort, options.requests * WARM_UP_SHARE);
    const before = await readHeap(child);
    await postMany(client, sort, options.requests);
    const after = await readHeap(child);
    client.close();
    return { heapBytes: after.heapBytes - before.heapBytes, rssBytes: after.rssBytes - before.rssBytes };
  } finally {
    await stopChild(child);
  }
}

async function postMany(client: Client, sort: 'sessions' | 'refused', count: number): Promise<void> {
  let sent = 0;
  const expected = sort === 'sessions' ? 200 : 404;
  const worker = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      const list = { jsonrpc: '2.0', id: sent, method: 'tools/list' };
      const { status, text } = await client.post(sort === 'sessions' ? initializeMessage(sent) : list);
      if (status !== expected)
        throw new Error(`${sort}: HTTP ${status} instead of ${expected}: ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

export async function readHeap(child: ChildProcess): Promise<HeapReading> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  child.send('read');
  const [reading] = (await answer) as [HeapReading];
  return reading;
}
