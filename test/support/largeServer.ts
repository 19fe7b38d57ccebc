// An MCP server whose results have any size. Run with `stdio`, or with a kind of response over HTTP: it then prints its port.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const LARGE_SERVER = fileURLToPath(import.meta.url);

/** Responses of POST: JSON with its length, JSON in chunks, an event stream; `sse`: the older transport. */
export type LargeKind = 'stdio' | 'json' | 'chunks' | 'stream' | 'sse';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: Arguments;
  };
}
interface Arguments {
  readonly bytes?: number;
  /** The id of the answer is its last member, as the official SDK writes it. */
  readonly isIdLast?: boolean;
  /** The text is structured content. */
  readonly isStructured?: boolean;
}

const inputSchema = { type: 'object' };
const TOOLS = ['large', 'size'].map((name) => ({ name, inputSchema }));

function answerTo({ id, method, params = {} }: Message): string | undefined {
  if (id === undefined) return undefined;
  const { bytes = 0, isIdLast = false } = params.arguments ?? {};
  const result = resultOf(method, params, bytes);
  if (result === undefined)
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  return JSON.stringify(isIdLast ? { result, jsonrpc: '2.0', id } : { jsonrpc: '2.0', id, result });
}

function resultOf(
  method: string | undefined,
  params: NonNullable<Message['params']>,
  bytes: number,
): object | undefined {
  if (method === 'initialize') {
    const serverInfo = { name: 'large', version: '1' };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: TOOLS };
  if (method !== 'tools/call') return undefined;
  // A character beyond Latin-1 makes all of them take two bytes in memory.
  const content =
    params.name === 'large' ? `€${'y'.repeat(bytes)}` : String(JSON.stringify(params.arguments).length);
  const structure =
    params.arguments?.isStructured === true
      ? { structuredContent: { text: content, size: content.length } }
      : {};
  return { content: [{ type: 'text', text: content }], ...structure };
}

let stream: ServerResponse | undefined;

async function respond(kind: LargeKind, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === 'GET' && kind === 'sse') {
    stream = res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('event: endpoint\ndata: /messages\n\n');
    return;
  }
  const answer = req.method === 'POST' ? answerTo(JSON.parse(await text(req)) as Message) : undefined;
  if (answer === undefined) res.writeHead(req.method === 'POST' ? 202 : 405).end();
  else if (kind === 'sse') {
    res.writeHead(202).end();
    stream?.write(`event: message\ndata: ${answer}\n\n`);
  } else if (kind === 'stream') {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${answer}\n\n`);
  } else {
    const length = kind === 'json' ? { 'content-length': Buffer.byteLength(answer) } : {};
    res.writeHead(200, { 'content-type': 'application/json', ...length }).end(answer);
  }
}

function serve(kind: LargeKind): void {
  if (kind === 'stdio') {
    createInterface(process.stdin).on('line', (line) => {
      const answer = answerTo(JSON.parse(line) as Message);
      if (answer !== undefined) process.stdout.write(`${answer}\n`);
    });
    return;
  }
  const server = createServer((req, res) => void respond(kind, req, res));
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

if (process.argv[1] === LARGE_SERVER) serve(process.argv[2] as LargeKind);
