import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { FLOODER } from '../support/flooder.ts';
import type { Tally } from '../support/flooder.ts';
import { largeDefinition } from '../support/largeDefinition.ts';
import type { LargeKind } from '../support/largeServer.ts';
import { rssMegabytes } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';

/** What Node.js takes in a pod of 512 MiB without the chart. */
const HEAP_MB = 256;
const SMALL_CALL_MS = 1_000;
const PAUSE_MS = 50;

interface Flood {
  readonly kind: LargeKind;
  readonly results: number;
  readonly bodies: number;
}
const FLOODS: readonly Flood[] = [
  { kind: 'json', results: 300, bodies: 300 },
  { kind: 'chunks', results: 300, bodies: 0 },
  { kind: 'stream', results: 300, bodies: 0 },
  // A server that writes 300 of them to one stream exhausts its own heap.
  { kind: 'sse', results: 60, bodies: 0 },
  { kind: 'stdio', results: 60, bodies: 300 },
];

describe('e2e: a flood of large messages', () => {
  for (const { kind, results, bodies } of FLOODS)
    it(`of ${results} results (${kind}) and ${bodies} bodies at once leaves the process alive and others served`, async () => {
      const directory = makeDirectory({
        'config.yaml': '{}\n',
        'mcpservers/large.yaml': JSON.stringify(await largeDefinition(kind)),
        'mcpservers/small.yaml': JSON.stringify(await largeDefinition('stdio')),
      });
      const gateway = await servePegboard(directory.path, [], {
        env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
      });
      const url = gateway.url.replace('localhost', '127.0.0.1');
      const other = await mcpClient(url);
      await other.callTool('x_small_size', {});
      await other.callTool('x_large_size', {});

      const flooder = fork(FLOODER, [url, String(results), String(bodies)]);
      defer(() => void flooder.kill('SIGKILL'));
      const told = once(flooder, 'message') as Promise<[Tally]>;
      const over = new AbortController();
      void told.then(() => over.abort());
      const times: number[] = [];
      let peak = 0;
      while (!over.signal.aborted) {
        const since = performance.now();
        await other.callTool('x_small_size', {});
        times.push(performance.now() - since);
        peak = Math.max(peak, rssMegabytes(gateway.pid));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      const [tally] = await told;
      const sorted = times.sort((a, b) => a - b);
      const slowest = Math.round(sorted.at(-1) ?? 0);
      const median = Math.round(sorted[sorted.length >> 1] ?? 0);
      console.log(
        `      ${JSON.stringify(tally)}; small calls: ${times.length}, median ${median} ms, slowest ${slowest} ms; RSS at most ${Math.round(peak)} MB`,
      );
      expect(Object.keys(tally)).to.include('answered');
      expect(['answered', 'MEMORY_FULL', '503', '408']).to.include.members(Object.keys(tally));
      expect(slowest).below(SMALL_CALL_MS);
      await gateway.stop();
    }).timeout(180_000);
});
