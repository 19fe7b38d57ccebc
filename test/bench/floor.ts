/** The hop by hand: koa, @koa/router and undici (or own framing on a pipe), parsed and serialised, no tricks. */
import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import { Pool } from 'undici';
import { HEADERS, INITIALIZE, INITIALIZED, MAX_BODY_BYTES, PREFIX } from './hop.ts';
import { openHttpSession, serve, upstreamArguments } from './hop.ts';
import type { FrontRequest } from './hop.ts';

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}
type Forward = (tool: string, args: unknown) => Promise<Answer>;

async function forwardByHttp(url: URL): Promise<Forward> {
  const headers = await openHttpSession(url);
  const pool = new Pool(url.origin, { connections: 64 });
  let lastId = 0;
  return async (tool, args) => {
    lastId += 1;
    const message = {
      jsonrpc: '2.0',
      id: lastId,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    };
    const options = { path: url.pathname, method: 'POST', headers, body: JSON.stringify(message) } as const;
    const { statusCode, body } = await pool.request(options);
    if (statusCode !== 200) throw new Error(`upstream answered ${statusCode}: ${await body.text()}`);
    return (await body.json()) as Answer;
  };
}

function forwardByStdio([program = '', ...args]: readonly string[]): Forward {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  let rest = '';
  child.on('exit', () => process.exit(1));
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      const resolve = waiting.get(answer.id ?? -1);
      waiting.delete(answer.id ?? -1);
      resolve?.(answer);
    }
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(INITIALIZED)}\n`);
  return (tool, toolArgs) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      const params = { name: tool, arguments: toolArgs };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params })}\n`);
    });
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) reject(new Error('body too large'));
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

const { url, command } = upstreamArguments();
const forward = url === undefined ? forwardByStdio(command) : await forwardByHttp(url);
const router = new Router();
router.post('/mcp', async (ctx) => {
  const { id, params } = JSON.parse(await readBody(ctx.req)) as FrontRequest;
  const { name, arguments: args } = params.arguments;
  const { result, error } = await forward(name.slice(PREFIX.length), args);
  ctx.set('content-type', HEADERS['content-type']);
  ctx.body = JSON.stringify(
    error === undefined ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error },
  );
});
const app = new Koa();
app.use(router.routes());
serve(app);
