/** The hop written by hand, with every sound trick: koa without a router, no promise, no stream and no parse of the answer, one
 *  write per answer. Bytes are handled as latin1 text, which copies them without decoding. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { INITIALIZE, INITIALIZED, MAX_BODY_BYTES, PREFIX } from './hop.ts';
import { openHttpSession, serve, upstreamArguments } from './hop.ts';
import type { FrontRequest } from './hop.ts';

/** Receives the tail of the answer: `"result":…}` or `"error":…}`. */
type Take = (tail: string) => void;
type Forward = (tool: string, args: unknown, take: Take) => void;

const ANSWER_HEAD = '{"jsonrpc":"2.0","id":';
const FAILED = '"error":{"code":-32603,"message":"upstream failed"}}';

async function forwardByHttp(url: URL): Promise<Forward> {
  const headers = await openHttpSession(url);
  const pool = new Pool(url.origin, { connections: 64 });
  let lastId = 0;
  return (tool, args, take) => {
    lastId += 1;
    const body = Buffer.from(callText(lastId, tool, args), 'latin1');
    pool.dispatch({ path: url.pathname, method: 'POST', headers, body }, new AnswerReader(take));
  };
}

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #take: Take;
  #text = '';
  constructor(take: Take) {
    this.#take = take;
  }
  onRequestStart(): void {}
  onResponseData(_: unknown, chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
  }
  onResponseEnd(): void {
    this.#take(tailOf(this.#text));
  }
  onResponseError(): void {
    this.#take(FAILED);
  }
}

function forwardByStdio([program = '', ...args]: readonly string[]): Forward {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, Take>();
  let lastId = 0;
  let rest = '';
  let outbox = '';
  child.on('exit', () => process.exit(1));
  child.stdout.setEncoding('latin1');
  child.stdout.on('data', (chunk: string) => {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      settle(text.slice(start, end));
      start = end + 1;
    }
    rest = text.slice(start);
  });
  const settle = (line: string): void => {
    const id = Number.parseInt(line.slice(ANSWER_HEAD.length, ANSWER_HEAD.length + 16), 10);
    const take = waiting.get(id);
    waiting.delete(id);
    take?.(tailOf(line));
  };
  const flush = (): void => {
    child.stdin.write(outbox, 'latin1');
    outbox = '';
  };
  outbox = `${JSON.stringify(INITIALIZE)}\n${JSON.stringify(INITIALIZED)}\n`;
  flush();
  return (tool, toolArgs, take) => {
    lastId += 1;
    waiting.set(lastId, take);
    if (outbox === '') setImmediate(flush);
    outbox += `${callText(lastId, tool, toolArgs)}\n`;
  };
}

function callText(id: number, tool: string, args: unknown): string {
  const params = `{"name":${JSON.stringify(tool)},"arguments":${JSON.stringify(args)}}`;
  return `${ANSWER_HEAD}${id},"method":"tools/call","params":${params}}`;
}

/** Cuts the answer after its id; an answer with its members in another order is parsed. */
function tailOf(text: string): string {
  const comma = text.indexOf(',', ANSWER_HEAD.length);
  const isPlain =
    text.startsWith(ANSWER_HEAD) && /^"(result|error)":/.test(text.slice(comma + 1, comma + 10));
  if (isPlain) return text.slice(comma + 1);
  const { result, error } = JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown };
  return JSON.stringify(error === undefined ? { result } : { error }).slice(1);
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1');
    if (body.length > MAX_BODY_BYTES) request.destroy();
  });
  request.on('end', () => {
    const { id, params } = JSON.parse(body) as FrontRequest;
    const { name, arguments: args } = params.arguments;
    forward(name.slice(PREFIX.length), args, (tail) => {
      const text = `${ANSWER_HEAD}${JSON.stringify(id)},${tail}`;
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
      response.end(text, 'latin1');
    });
  });
}

const { url, command } = upstreamArguments();
const forward = url === undefined ? forwardByStdio(command) : await forwardByHttp(url);
const app = new Koa();
app.use((ctx) => {
  if (ctx.method !== 'POST' || ctx.path !== '/mcp') return;
  ctx.respond = false;
  answer(ctx.req, ctx.res);
});
serve(app);
