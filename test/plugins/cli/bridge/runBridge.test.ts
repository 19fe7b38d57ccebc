import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { EVERYTHING, freePort } from '../../../support/everything.ts';
import { packedProgram } from '../../../support/packed.ts';
import { servePegboard } from '../../../support/serve.ts';
import type { Pegboard } from '../../../support/serve.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { programAt } from '../../../support/programs.ts';

const RELAY = programAt('test/support/relayServer.ts');
type Result = Awaited<ReturnType<Client['callTool']>>;

const SERVERS = { everything: [EVERYTHING, 'stdio'], relay: [...RELAY, 'stdio'] } as const;
type Server = keyof typeof SERVERS;

/** A configuration with server-everything, and a server that asks, logs and announces on demand, or one of them. */
function configuration(...names: readonly Server[]): Directory {
  const files = names.map((name) => {
    const command = [process.execPath, ...SERVERS[name]];
    const definition = { type: 'stdio', autoStart: true, command, questions: ['elicitation'] };
    return [`mcpservers/${name}.yaml`, JSON.stringify(definition)] as const;
  });
  return makeDirectory({ 'config.yaml': '{}', ...Object.fromEntries(files) });
}

/** @returns the URL of a gateway whose servers are connected */
async function serving(...names: readonly Server[]): Promise<string> {
  const { url, log } = await serveHere(configuration(...names));
  const what = { what: 'the servers', withinMs: 15_000 };
  await until(() => log.having('server connected').length === names.length, what);
  return url;
}

/** Serves the server `relay` by a process that can be killed. */
async function serveAt(directory: Directory, port: number): Promise<Pegboard> {
  const gateway = await servePegboard(directory.path, ['--port', String(port)]);
  await gateway.logged('server connected');
  return gateway;
}

interface Bridged {
  readonly client: Client;
  /** What the bridge wrote on standard error. */
  readonly said: () => string;
}

interface Started {
  /** Where it keeps the tools of the gateway. */
  readonly cache?: Directory;
  readonly options?: readonly string[];
}
function start(
  url: string,
  capabilities: object = {},
  { cache = makeDirectory(), options = [] }: Started = {},
): Bridged & { readonly connected: Promise<void> } {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [packedProgram(), 'agent', '--mcp-server', '--endpoint', `${url}/mcp`, ...options],
    env: { XDG_CACHE_HOME: cache.path },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const client = new Client({ name: 'stdio-client', version: '1' }, { capabilities });
  defer(() => client.close());
  return { client, said: () => said, connected: client.connect(transport) };
}

async function bridged(url: string, capabilities: object = {}): Promise<Bridged> {
  const started = start(url, capabilities);
  await started.connected;
  return started;
}

function call(client: Client, name: string, args: object = {}, options: object = {}): Promise<Result> {
  const params = { name: 'call_tool', arguments: { name, arguments: args } };
  return client.callTool(params, undefined, options);
}
function textOf(result: Result): string {
  return (result.content as { text: string }[]).map(({ text }) => text).join('\n');
}

/** The tools of the relay server, by their public names. */
const ask = (client: Client, name: string, args: object = {}): Promise<Result> =>
  call(client, `x_relay_${name}`, args);

describe('plugins/cli: the bridge for stdio clients', () => {
  it('passes tools, calls, progress and cancellation', async () => {
    const url = await serving('everything', 'relay');
    const { client } = await bridged(url);
    expect(client.getServerVersion()?.name).equal('pegboard');
    expect(client.getInstructions()).a('string').not.empty;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).include('call_tool');
    expect(textOf(await call(client, 'x_everything_echo', { message: 'grüße\n' }))).contain('grüße\n');
    const progress: number[] = [];
    const onprogress = (update: { progress: number }): void => void progress.push(update.progress);
    const name = 'x_everything_trigger-long-running-operation';
    await call(client, name, { duration: 1, steps: 4 }, { onprogress });
    // The SDK drops an update that it reads together with the answer.
    expect(progress.slice(0, 3)).deep.equal([1, 2, 3]);
    const abort = new AbortController();
    const cancelled = call(client, 'x_relay_wait', {}, { signal: abort.signal });
    await until(async () => textOf(await ask(client, 'seen')) !== '');
    abort.abort('enough');
    expect(await cancelled.catch((error: unknown) => String(error))).contain('enough');
  });

  it('passes questions of servers and answers of the client', async () => {
    const url = await serving('relay');
    const { client } = await bridged(url, { elicitation: {} });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: 'accept',
      content: { name: `answer to ${params.message}` },
    }));
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const params = { message: 'who?', requestedSchema };
    const result = await ask(client, 'ask', { method: 'elicitation/create', params });
    expect(textOf(result)).contain('who?');
  });

  for (const state of ['the same', 'a new'] as const)
    it(`hides kill -9 and a restart of the gateway with ${state} state directory`, async () => {
      const directory = configuration('relay');
      const port = await freePort();
      const first = await serveAt(directory, port);
      const { client, said } = await bridged(first.url);
      let changes = 0;
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
      const updated: string[] = [];
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void updated.push(params.uri),
      );
      const logged: unknown[] = [];
      client.setNotificationHandler(
        LoggingMessageNotificationSchema,
        ({ params }) => void logged.push(params.data),
      );
      await client.listTools();
      await client.subscribeResource({ uri: 'child://one' });
      await client.setLoggingLevel('info');
      const lost = ask(client, 'wait').catch((error: unknown) => error);
      await until(async () => textOf(await ask(client, 'seen')).includes('subscribe'));
      await first.kill();
      expect(String(await lost)).contain('may have been carried out or not');
      const before = changes;
      const waiting = ask(client, 'seen');
      const listed = client.listTools();
      await until(() => said().includes('trying again'));
      await serveAt(state === 'the same' ? directory : configuration('relay'), port);
      expect((await listed).tools).not.empty;
      // The server may still be starting when the call arrives.
      await waiting;
      await until(() => changes > before);
      expect(said()).contain('connected to').contain('again');
      // The gateway announces resources up to a second after their server has connected.
      await until(async () => textOf(await ask(client, 'seen')).includes('subscribe'), { withinMs: 10_000 });
      const notify = (method: string, params: object): Promise<Result> =>
        ask(client, 'notify_aside', { method, params });
      await notify('notifications/resources/updated', { uri: 'child://one' });
      await until(() => updated.length > 0);
      await notify('notifications/message', { level: 'error', data: 'after the restart' });
      await until(() => JSON.stringify(logged).includes('after the restart'));
    });

  it('connects without a gateway and says how to start it; once it is there, its tools are announced', async () => {
    const port = await freePort();
    const { client, said, connected } = start(`http://127.0.0.1:${port}`);
    let announced = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (announced += 1));
    await connected;
    expect(client.getInstructions()).match(/^no gateway answers at .*is it running\?/);
    expect((await client.listTools()).tools).deep.equal([]);
    const waiting = call(client, 'core_service_list');
    await serveHere(configuration(), port);
    expect(textOf(await waiting)).contain('mcp-aggregator');
    await until(() => announced > 0);
    expect((await client.listTools()).tools).not.empty;
    expect(said()).contain('trying again').and.contain('connected to');
    expect(said()).not.contain('Warning');
  });

  it('shows the tools of the last time without a gateway; a call fails with what to do', async () => {
    const port = await freePort();
    const cache = makeDirectory();
    const gateway = await serveHere(configuration(), port);
    const url = `http://127.0.0.1:${port}`;
    const first = start(url, {}, { cache });
    await first.connected;
    const { tools } = await first.client.listTools();
    await first.client.close();
    await gateway.stop();
    const { client, connected } = start(url, {}, { cache, options: ['--timeout', '2'] });
    await connected;
    expect((await client.listTools()).tools).deep.equal(tools).not.empty;
    const error: unknown = await call(client, 'core_service_list').catch((fault: unknown) => fault);
    expect(String(error)).match(/no gateway answers at .*is it running\?/);
  });

  it('answers with an error after --timeout, and with nothing but JSON-RPC on standard output', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { child, lines, stderr } = raw(['--endpoint', url, '--timeout', '0.2']);
    child.stdin.write('not json\n{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{}}\n');
    await until(() => lines().length === 2);
    child.stdin.end();
    expect(await once(child, 'exit')).deep.equal([0, null]);
    expect(lines().map((line) => JSON.parse(line) as unknown)).deep.equal([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'not JSON, or over 64 MiB' } },
      {
        jsonrpc: '2.0',
        id: 'a',
        error: {
          code: -32000,
          message: `no gateway answers at ${url} (--endpoint): connect ECONNREFUSED 127.0.0.1:${port}; is the address right, and is it running?`,
          data: { outcome: 'not sent' },
        },
      },
    ]);
    expect(stderr()).contain('no gateway answers');
  });

  it('ends with exit code 2 if the gateway wants a sign-in and auth.mode forbids it', async () => {
    const server = createServer((_, response) => response.writeHead(401).end());
    server.listen(0, '127.0.0.1');
    defer(() => new Promise((resolve) => server.close(resolve)));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const home = makeDirectory({ 'config.yaml': 'auth: { mode: none }' });
    const args = ['--config-path', home.path, '--endpoint', `http://127.0.0.1:${port}/mcp`];
    const { child, lines, stderr } = raw(args);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(await once(child, 'exit')).deep.equal([2, null]);
    expect(lines().join('')).contain('wants a sign-in');
    expect(stderr()).contain('wants a sign-in');
  });

  it('ends the session and exits with 0 at the end of input and on SIGTERM', async () => {
    const url = await serving();
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    for (const how of ['end', 'SIGTERM'] as const) {
      const { child, lines } = raw(['--endpoint', `${url}/mcp`]);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
      await until(() => lines().length === 1);
      if (how === 'end') child.stdin.end();
      else child.kill(how);
      expect(await once(child, 'exit')).deep.equal([0, null]);
    }
  });

  it('passes revision 2026-07-28', async () => {
    const url = await serving('everything');
    const { child, lines } = raw(['--endpoint', `${url}/mcp`]);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const send = (id: number, method: string, params: object = {}): void =>
      void child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`,
      );
    const answer = (id: number): Promise<unknown> =>
      until(() =>
        lines()
          .map((line) => JSON.parse(line) as { id: number })
          .find((one) => one.id === id),
      );
    send(1, 'server/discover');
    expect(await answer(1))
      .nested.property('result.supportedVersions')
      .include('2026-07-28');
    send(2, 'tools/call', {
      name: 'call_tool',
      arguments: { name: 'x_everything_echo', arguments: { message: 'hi' } },
    });
    expect(JSON.stringify(await answer(2))).contain('hi');
    send(3, 'no/such');
    expect(await answer(3)).nested.property('error.code', -32601);
    child.stdin.end();
    expect(await once(child, 'exit')).deep.equal([0, null]);
  });
});

function raw(args: readonly string[]): {
  child: ReturnType<typeof spawn> & { stdin: NodeJS.WritableStream };
  lines: () => readonly string[];
  stderr: () => string;
} {
  const child = spawn(process.execPath, [packedProgram(), 'agent', ...args]);
  defer(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return { child, lines: () => stdout.split('\n').filter((line) => line !== ''), stderr: () => stderr };
}
