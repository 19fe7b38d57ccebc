import { request } from 'node:http';
import { makeDirectory } from '../support/directory.ts';
import { MCP_HEADERS, callBody, initialize } from '../support/edge.ts';
import { rssMegabytes } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';

const BYTES = 1_000_000;
const SAMPLE_MS = 20;

/** Answers one call after the other, each with its number and 1 MB, as fast as it is read. */
const SERVER = `
import { once } from 'node:events';
import { createInterface } from 'node:readline';
const text = 'x'.repeat(${BYTES});
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'large', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'large', inputSchema: { type: 'object' } }] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: params.arguments.number + ':' + text }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} });
  if (!process.stdout.write(answer + '\\n')) await once(process.stdout, 'drain');
}
`;

export interface Large {
  readonly whole: number;
  readonly seconds: number;
  /** RSS of Pegboard in MB, before the calls and its maximum. */
  readonly before: number;
  readonly peak: number;
}

/** Concurrent calls, each answered with 1 MB by one stdio server. */
export async function callLarge(calls: number): Promise<Large> {
  const directory = makeDirectory({
    'package.json': '{"type":"module"}',
    'config.yaml': 'aggregator: { resultBudget: 0 }\n',
    'large.js': SERVER,
  });
  const command = [process.execPath, directory.at('large.js')];
  directory.write('mcpservers/s.yaml', JSON.stringify({ type: 'stdio', autoStart: true, command }));
  const pegboard = await servePegboard(directory.path);
  await pegboard.logged('server connected');
  const url = pegboard.url.replace('localhost', '127.0.0.1');
  const handle = await initialize(url);
  const before = rssMegabytes(pegboard.pid);
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, rssMegabytes(pegboard.pid))), SAMPLE_MS);
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, number) => isWhole(`${url}/mcp`, handle, number)),
  );
  clearInterval(sampling);
  const seconds = (performance.now() - begun) / 1_000;
  await pegboard.stop();
  return { whole: answers.filter(Boolean).length, seconds, before, peak };
}

/** Counts the bytes only, to keep the client fast; one connection per call. */
function isWhole(url: string, handle: string, number: number): Promise<boolean> {
  const headers = { ...MCP_HEADERS, 'mcp-session-id': handle };
  const args = { name: 'x_s_large', arguments: { number } };
  return new Promise((resolve) => {
    const req = request(url, { method: 'POST', agent: false, headers }, (res) => {
      let bytes = 0;
      let isItsOwn = false;
      res.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        isItsOwn ||= chunk.includes(`"text":"${number}:x`);
      });
      res.once('end', () => resolve(isItsOwn && bytes > BYTES));
      res.once('error', () => resolve(false));
    });
    req.once('error', () => resolve(false));
    req.end(JSON.stringify(callBody('call_tool', args, { id: number })));
  });
}
