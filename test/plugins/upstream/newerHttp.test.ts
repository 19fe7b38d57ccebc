import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { ANYONE, Cancellation } from '../../../kernel/index.ts';
import type { JsonObject, Progress } from '../../../kernel/index.ts';
import { McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { defer } from '../../support/cleanup.ts';
import { hostHandler } from '../../support/hostHandler.ts';
import { EraFixture, NEWER, OLDER, answer, respond, toldOf } from './eraFixture.ts';
import type { Received } from './eraFixture.ts';
import { Rig, until } from './support.ts';

const KEY = 'x-mcp-header';
const MIRRORED = {
  type: 'object',
  properties: {
    region: { type: 'string', [KEY]: 'Region' },
    place: { type: 'object', properties: { floor: { type: 'integer', [KEY]: 'Floor' } } },
    isDry: { type: 'boolean', [KEY]: 'Dry' },
  },
} as const;
const tool = (name: string, inputSchema: JsonObject = { type: 'object' }): JsonObject => ({
  name,
  inputSchema,
});

describe('upstream: remote servers of 2026-07-28', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const connect = async (url: string, config: JsonObject = {}, more: JsonObject = {}): Promise<void> => {
    await rig.configure({ deadlineTickMs: 10, ...config });
    await rig.define({ s: { type: 'streamable-http', url, timeout: 5, revision: 'modern', ...more } });
    await rig.reaches('s', 'connected');
    expect(rig.status('s').metadata['protocolVersion']).equal(NEWER);
  };
  const read = (uri: string): Promise<string> => {
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    return source!.read(uri, ANYONE, {})!;
  };

  it('that refuse large headers fail that call only, and its error says what to shorten', async () => {
    const server = await EraFixture.start({ tools: [tool('echo', MIRRORED)] });
    await connect(server.url);
    for (const chars of [20_000, 1_000_000]) {
      const { code, message } = await rig.refusal('x_s_echo', { region: 'x'.repeat(chars) });
      expect(code, message).equal('UPSTREAM_ERROR');
      expect(message).include('HTTP 431').and.include('shorten the arguments whose schema has x-mcp-header');
    }
    expect(await rig.text('x_s_echo', { region: 'eu' })).equal('{"region":"eu"}');
    expect(server.methods).deep.equal(['server/discover', 'tools/list', 'tools/call']);
  });

  it('receive headers that repeat the revision, the method, the name and the marked arguments of the body', async () => {
    const server = await EraFixture.start({
      capabilities: { tools: {}, resources: {} },
      tools: [tool('größe', MIRRORED), tool('plain')],
    });
    await connect(server.url);
    const name = rig.tools().find((one) => one.startsWith('x_s_gr'))!;
    await rig.call(name, { region: ' eu\n', place: { floor: 7 }, isDry: true, region2: 'x' });
    await rig.call('x_s_plain', { region: 'eu' });
    await read('test://a').catch(() => undefined);
    for (const { headers, method, params } of server.received) {
      expect(headers).include({ 'mcp-protocol-version': NEWER, 'mcp-method': method });
      const named = params['name'] ?? params['uri'];
      // What a header cannot hold is sent in base64.
      expect(headers['mcp-name']).equal(named === 'größe' ? '=?base64?Z3LDtsOfZQ==?=' : named);
    }
    const mirrored = server
      .all('tools/call')
      .map(({ headers }) => Object.entries(headers).filter(([header]) => header.startsWith('mcp-param-')));
    expect(mirrored).deep.equal([
      [
        ['mcp-param-region', '=?base64?IGV1Cg==?='],
        ['mcp-param-floor', '7'],
        ['mcp-param-dry', 'true'],
      ],
      [],
    ]);
    expect(server.all('resources/read')[0]?.headers['mcp-name']).equal('test://a');
  });

  it('of the official SDK accept the headers of marked arguments', async () => {
    const make = (): McpServer => {
      const server = new McpServer({ name: 'sdk', version: '1' });
      server.registerTool('echo', { inputSchema: fromJsonSchema<JsonObject>(MIRRORED) }, (args) => ({
        content: [{ type: 'text', text: JSON.stringify(args) }],
      }));
      return server;
    };
    const host = await hostHandler(createMcpHandler(make, { legacy: 'reject' }));
    defer(() => host.close());
    await connect(host.url);
    for (const args of [{ region: 'é\n', place: { floor: -7 }, isDry: false }, { region: '' }, {}])
      expect(await rig.text('x_s_echo', args)).equal(JSON.stringify(args));
  });

  it('have tools left out whose marks are invalid, with the reason in the status', async () => {
    const bad = (name: string, schema: JsonObject): JsonObject =>
      tool(name, { type: 'object', properties: schema });
    const tools = [
      tool('good', MIRRORED),
      bad('float', { a: { type: 'number', [KEY]: 'A' } }),
      bad('twice', { a: { type: 'string', [KEY]: 'A' }, b: { type: 'string', [KEY]: 'a' } }),
    ];
    const server = await EraFixture.start({ tools });
    await connect(server.url);
    expect(rig.tools().filter((name) => name.startsWith('x_s_'))).deep.equal(['x_s_good']);
    expect(rig.status('s').metadata['malformedTools']).deep.equal([
      'float: x-mcp-header of a is allowed only for a string, an integer or a boolean',
      'twice: x-mcp-header of b repeats the name of another one',
    ]);
    const older = await EraFixture.start({ tools, speaks: [OLDER] });
    await rig.define({ s: { type: 'streamable-http', url: older.url, timeout: 5 } });
    await rig.hasTool('x_s_float');
    expect(rig.status('s').metadata).not.to.have.property('malformedTools');
  });

  it('receive POST requests only: no session, no GET, no DELETE, no notification', async () => {
    const server = await EraFixture.start();
    server.instead = (_, res) => {
      res.setHeader('mcp-session-id', 'unwanted');
      return false;
    };
    await connect(server.url);
    await rig.text('x_s_echo');
    await rig.stop();
    expect(server.received.map(({ verb, headers }) => [verb, headers['mcp-session-id']])).deep.equal(
      server.received.map(() => ['POST', undefined]),
    );
    expect(server.methods).deep.equal(['server/discover', 'tools/list', 'tools/call']);
  });

  it('have a cancelled call ended by closing its connection, and nothing else', async () => {
    const server = await EraFixture.start();
    const open: (() => void)[] = [];
    await connect(server.url);
    server.instead = (received, res) => {
      if (received.method !== 'tools/call') return false;
      open.push(() => answer(received, res, toldOf('late')));
      return true;
    };
    const cancel = new Cancellation();
    const cancelled = rig.refusal('x_s_echo', { a: 1 }, { cancel });
    await until('the first call', () => open.length === 1);
    const other = rig.text('x_s_echo', { a: 2 });
    await until('both calls', () => open.length === 2);
    cancel.cancel('enough');
    expect((await cancelled).code).equal('TOOL_CANCELLED');
    const [first, second] = server.all('tools/call') as [Received, Received];
    await until('the end', () => first.isClosed);
    expect(second.isClosed).equal(false);
    open[1]!();
    expect(await other).equal('late');
    expect(server.methods).deep.equal(['server/discover', 'tools/list', 'tools/call', 'tools/call']);
  });

  it('may answer in a stream, with progress before it; a stream that breaks is not resumed', async () => {
    const server = await EraFixture.start();
    await connect(server.url);
    server.instead = ({ id, method, params }, res) => {
      if (method !== 'tools/call') return false;
      const write = (message: JsonObject): void =>
        void res.write(`id: 1\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const progressToken = params._meta?.['progressToken'];
      write({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      if ((params['arguments'] as JsonObject)['breaks'] !== true) write({ id, result: toldOf('done') });
      res.end();
      return true;
    };
    const told: Progress[] = [];
    const progress = (update: Progress): void => void told.push(update);
    expect(await rig.text('x_s_echo', {}, { progress })).equal('done');
    expect(told).deep.equal([{ progress: 1 }]);
    const { code, details } = await rig.refusal('x_s_echo', { breaks: true }, { progress });
    expect([code, details['mayHaveRun']]).deep.equal(['UPSTREAM_CLOSED', true]);
    expect(server.received.every(({ verb }) => verb === 'POST')).equal(true);
  });

  it('have requests of their own in a stream ignored, which this revision does not have', async () => {
    const server = await EraFixture.start();
    await connect(server.url);
    server.instead = ({ id, method }, res) => {
      if (method !== 'tools/call') return false;
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const message of [
        { id: 'x', method: 'ping' },
        { id: 'y', method: 'elicitation/create' },
        { id, result: toldOf('done') },
      ])
        res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      res.end();
      return true;
    };
    expect(await rig.text('x_s_echo')).equal('done');
    expect(server.methods).deep.equal(['server/discover', 'tools/list', 'tools/call']);
  });

  for (const [status, code] of [
    [400, -32020],
    [400, -32602],
    [404, -32601],
    [403, -32000],
    [500, -32603],
  ] as const)
    it(`have an error of the protocol with HTTP ${status} reported as the answer: ${code}`, async () => {
      const server = await EraFixture.start();
      await connect(server.url);
      server.instead = ({ id, method }, res) =>
        method === 'resources/read' || method === 'tools/call'
          ? respond(res, status, { jsonrpc: '2.0', id, error: { code, message: 'as it says' } })
          : false;
      const failed = await rig.refusal('x_s_echo');
      expect(failed.code).equal('UPSTREAM_ERROR');
      expect((failed.details as JsonObject)['code']).equal(code);
      expect(failed.message).equal('tool echo of server s failed: as it says');
    });

  it('are asked with server/discover whether they are still there', async () => {
    const server = await EraFixture.start();
    await connect(server.url, { pingIntervalMs: 5 });
    await until('the second', () => server.count('server/discover') >= 3);
    expect(server.methods).not.include('ping');
    server.instead = ({ method }, res) => method === 'server/discover' && respond(res, 500, {});
    const count = server.count('server/discover');
    await until('pings that fail', () => server.count('server/discover') > count + 1);
    // An error is also an answer.
    expect(rig.status('s').state).equal('connected');
    server.instead = (_, res) => {
      res.destroy();
      return true;
    };
    await until('the loss', () => rig.told('server.disconnected').length === 1);
  });
});
