import { mkdirSync } from 'node:fs';
import { definePlugin, GatewayError, rawResult, textResult } from '../../kernel/index.ts';
import type { Call, Plugin, Tool } from '../../kernel/index.ts';
import { HttpListener } from '../../plugins/contracts/http.ts';
import { bootGateway, moduleOf } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
import { send } from './rawHttp.ts';
import type { RawAnswer, RawRequest } from './rawHttp.ts';
import { until } from './until.ts';

const EDGE = ['http', 'front', 'transport-http', 'transport-sse'] as const;

export interface EdgeOptions {
  /** Plugin name → its configuration, as in `plugins` of config.yaml. */
  readonly plugins?: Readonly<Record<string, unknown>>;
  readonly aggregator?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly Tool[];
  readonly directory?: Directory;
  /** A plugin of the test's own, besides the one with the tools. */
  readonly plugin?: Plugin;
  readonly morePlugins?: readonly Plugin[];
}
export interface Edge {
  readonly gateway: Gateway;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Rewrites config.yaml and applies it. */
  configure(change: Pick<EdgeOptions, 'plugins' | 'aggregator'>): Promise<void>;
}

/** A gateway that consists of the public edge on a free port and the test's tools as meta-tools. */
export async function startEdge(options: EdgeOptions = {}): Promise<Edge> {
  const { tools = testTools().tools, directory = makeDirectory(), plugin, morePlugins = [] } = options;
  const own = [toolsPlugin('test-tools', tools), ...(plugin === undefined ? [] : [plugin]), ...morePlugins];
  for (const one of own) directory.write(`${one.name}.mjs`, moduleOf(one));
  const modules = Object.fromEntries(own.map(({ name }) => [name, { module: `./${name}.mjs` }]));
  const configText = (change: Pick<EdgeOptions, 'plugins' | 'aggregator'>): string =>
    JSON.stringify({
      aggregator: { port: 0, ...options.aggregator, ...change.aggregator },
      plugins: { ...modules, ...options.plugins, ...change.plugins },
    });
  directory.write('config.yaml', configText({}));
  mkdirSync(directory.at('state'), { recursive: true, mode: 0o700 });
  const gateway = await bootGateway({ directory, builtIns: EDGE });
  return {
    gateway,
    get url() {
      return listenerUrl(gateway).replace('localhost', '127.0.0.1');
    },
    configure: async (change) => {
      directory.write('config.yaml', configText(change));
      await gateway.pipeline.reload();
    },
  };
}

export function listenerOf({ kernel }: Gateway): HttpListener {
  const [listener] = kernel.registry.all(HttpListener.id) as readonly HttpListener[];
  if (listener === undefined) throw new Error('there is no listener');
  return listener;
}

export function listenerUrl(gateway: Gateway): string {
  const url = listenerOf(gateway).url();
  if (url === undefined) throw new Error('no address listens');
  return url;
}

export function toolsPlugin(name: string, tools: readonly Tool[]): Plugin {
  return definePlugin({
    name,
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) => {
      for (const tool of tools) scope.addTool(tool);
    },
  });
}

export interface TestTools {
  readonly tools: readonly Tool[];
  /** Calls of `slow` that are under way, oldest first. */
  readonly waiting: readonly WaitingCall[];
  /** Waits until `count` calls of `slow` are under way. */
  started(count: number): Promise<readonly WaitingCall[]>;
}
export interface WaitingCall {
  readonly call: Call;
  /** Ends the call with this text. */
  finish(text?: string): void;
}

export function metaTool(name: string, invoke: Tool['invoke']): Tool {
  return { name, kind: 'meta', description: name, inputSchema: { type: 'object' }, invoke };
}

/** echo, slow, progress, throws, deep and multiline. */
export function testTools(): TestTools {
  const waiting: WaitingCall[] = [];
  const slow = metaTool('slow', (_, call) => {
    return new Promise((resolve, reject) => {
      const entry: WaitingCall = {
        call,
        finish: (text = 'done') => {
          waiting.splice(waiting.indexOf(entry), 1);
          resolve(textResult(text));
        },
      };
      waiting.push(entry);
      call.cancel.onCancel((reason) => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(new Error(reason));
      });
    });
  });
  const progress = metaTool('progress', ({ values = [1, 2, 3] }, call) => {
    for (const value of values as number[]) call.progress?.({ progress: value, total: 3 });
    // Late on purpose: nothing may follow the answer on the stream.
    setImmediate(() => setImmediate(() => call.progress?.({ progress: 1_000 })));
    return textResult('progressed');
  });
  const tools = [
    metaTool('echo', (args) => textResult(JSON.stringify(args))),
    slow,
    progress,
    metaTool('throws', () => {
      throw new Error('the secret is 4711');
    }),
    metaTool('refuses', ({ text }) => {
      throw new GatewayError('TOOL_ARGUMENTS', `no ${String(text)} here; try another`);
    }),
    metaTool('deep', ({ levels }) =>
      rawResult(`{"content":[],"deep":${'['.repeat(Number(levels))}${']'.repeat(Number(levels))}}`),
    ),
    metaTool('multiline', () => rawResult('{\r\n  "content": [\n    {"type":"text","text":"a\\nb"}\n  ]\r}')),
    metaTool('large', ({ bytes }) => textResult('x'.repeat(Number(bytes)))),
  ];
  const started = (count: number) =>
    until(() => (waiting.length >= count ? waiting : undefined), { what: `${count} calls of slow` });
  return { tools, waiting, started };
}

export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

export function initializeBody(revision = '2025-11-25', capabilities: object = {}): string {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } };
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
}

/** One POST to /mcp with the headers of a well-behaved client. */
export function postMcp(
  url: string,
  body: unknown,
  headers: NonNullable<RawRequest['headers']> = {},
): Promise<RawAnswer> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return send(`${url}/mcp`, { method: 'POST', headers: { ...MCP_HEADERS, ...headers }, body: text });
}

/** @returns the session's handle */
export async function initialize(url: string, revision?: string): Promise<string> {
  const answer = await postMcp(url, initializeBody(revision));
  const handle = answer.headers['mcp-session-id'];
  if (typeof handle !== 'string') throw new Error(`no session: ${answer.status} ${answer.text}`);
  return handle;
}

export function callBody(name: string, args: object = {}, more: { id?: unknown; _meta?: object } = {}) {
  const { id = 1, _meta } = more;
  const params = { name, arguments: args, ...(_meta === undefined ? {} : { _meta }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

/** Calls a meta-tool in a session. */
export function callTool(url: string, handle: string, body: unknown): Promise<RawAnswer> {
  return postMcp(url, body, { 'mcp-session-id': handle });
}
