import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { makeDirectory } from '../../support/directory.ts';
import { AskedClient } from './askedClient.ts';
import { EraFixture, OLDER, asksOnStream, respond } from './eraFixture.ts';
import type { Received } from './eraFixture.ts';
import { Rig } from './support.ts';

const FIELD =
  'Unrecognized field "form" (class io.modelcontextprotocol.spec.McpSchema$ClientCapabilities$Elicitation)';
type Refuse = (received: Received, res: ServerResponse) => unknown;
const rpc =
  (code: number, message: string, status = 200): Refuse =>
  ({ id }, res) =>
    respond(res, status, { jsonrpc: '2.0', id, error: { code, message } });

/** The ways in which servers refuse a member that they do not know. */
const REFUSALS: Readonly<Record<string, Refuse>> = {
  'HTTP 400 with text': (_, res) => res.writeHead(400).end(FIELD),
  'HTTP 400 without text': (_, res) => res.writeHead(400).end(),
  'HTTP 422': (_, res) => res.writeHead(422).end('{"detail":"extra fields not permitted"}'),
  'HTTP 500 that names the member': (_, res) => res.writeHead(500).end(FIELD),
  '-32602': rpc(-32602, 'Invalid params'),
  '-32603': rpc(-32603, 'Internal error'),
  '-32700 with HTTP 400': rpc(-32700, 'Parse error', 400),
  '-32000 that names the member': rpc(-32000, 'additional properties: form'),
};

const declaredIn = ({ params }: Received): JsonObject => params['capabilities'] as JsonObject;
const hasModes = (declared: JsonObject): boolean =>
  Object.values(declared).some((topic) => Object.keys(topic as JsonObject).length > 0);
const hasAny = (declared: JsonObject): boolean => Object.keys(declared).length > 0;

describe('upstream: servers that refuse what initialize declares', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  async function strict(isBad: (declared: JsonObject) => boolean, refuse: Refuse): Promise<EraFixture> {
    const server = await EraFixture.start({ speaks: [OLDER] });
    server.instead = (received, res) => {
      if (received.method !== 'initialize' || !isBad(declaredIn(received))) return false;
      // A session of an initialize that was refused is not the one of the next.
      res.setHeader('mcp-session-id', 'refused');
      refuse(received, res);
      return true;
    };
    return server;
  }
  async function define(url: string, more: JsonObject = {}): Promise<void> {
    await rig.configure({ backoffFirstMs: 60_000, deadlineTickMs: 10 });
    await rig.define({ s: { type: 'streamable-http', url, timeout: 5, ...more } });
  }
  const declared = (server: EraFixture): readonly JsonObject[] => server.all('initialize').map(declaredIn);
  const PLAIN = { elicitation: {}, sampling: {} };

  it('are not asked again in other forms if they serve one session per start, and the error says so', async () => {
    const taken = rpc(-32600, 'Invalid Request: Server already initialized', 400);
    const server = await strict(() => true, taken);
    await define(server.url);
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).contain('it serves one session per start');
    expect(server.all('initialize')).length(1);
  });

  for (const [what, refuse] of Object.entries(REFUSALS))
    it(`are connected with plain capabilities after ${what}, with none if these are refused too`, async () => {
      const server = await strict(hasModes, refuse);
      await define(server.url);
      await rig.reaches('s', 'connected');
      expect(declared(server).slice(1)).deep.equal([PLAIN]);
      expect(await rig.text('x_s_echo', { a: 1 })).equal('{"a":1}');
      expect(server.received.filter(({ headers }) => headers['mcp-session-id'] === 'refused')).empty;
      expect(rig.status('s').metadata['cannotAsk']).include('elicitation (url), sampling (tools): ');
      const stricter = await strict(hasAny, refuse);
      await rig.define({ s: { type: 'streamable-http', url: stricter.url, timeout: 5 } });
      await rig.reaches('s', 'connected');
      expect(declared(stricter).slice(1)).deep.equal([PLAIN, {}]);
      expect(rig.status('s').metadata['cannotAsk']).include('elicitation, sampling: ');
    });

  it('get what they accepted at once the next time, also after a restart of Pegboard', async () => {
    const server = await strict(hasAny, REFUSALS['-32602']!);
    const directory = makeDirectory();
    await rig.stop();
    rig = new Rig(directory.path);
    await define(server.url);
    await rig.reaches('s', 'connected');
    await rig.service('s').restart?.();
    expect(declared(server).slice(3)).deep.equal([{}]);
    await rig.stop();
    rig = new Rig(directory.path);
    await define(server.url);
    await rig.reaches('s', 'connected');
    expect(declared(server).slice(4)).deep.equal([{}]);
  });

  it('may ask what was declared to them, and nothing else', async () => {
    const server = await strict(hasModes, REFUSALS['-32602']!);
    const refuse = server.instead;
    const ask = asksOnStream();
    server.instead = (received, res) => refuse(received, res) || ask(received, res);
    await define(server.url);
    await rig.reaches('s', 'connected');
    const client = new AskedClient();
    expect(await rig.text('x_s_echo', {}, { client })).include('accept');
    const stricter = await strict(hasAny, REFUSALS['-32602']!);
    const refuseAll = stricter.instead;
    stricter.instead = (received, res) => refuseAll(received, res) || ask(received, res);
    await rig.define({ s: { type: 'streamable-http', url: stricter.url, timeout: 5 } });
    await rig.reaches('s', 'connected');
    expect(await rig.text('x_s_echo', {}, { client })).include('elicitation/create is not offered');
    expect(client.asked).length(1);
  });

  it('are asked three times in an attempt, and the error names questions', async () => {
    const server = await strict(() => true, REFUSALS['HTTP 400 with text']!);
    await define(server.url);
    await rig.reaches('s', 'failed');
    const asked = server.methods.filter((method) => method !== '');
    expect(asked).deep.equal(['server/discover', 'initialize', 'initialize', 'initialize']);
    expect(rig.status('s').error).include(FIELD.slice(0, 25)).and.include('questions');
    expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
  });

  it('are asked once if nothing is declared, or if they refuse something else', async () => {
    const server = await strict(() => true, REFUSALS['HTTP 400 without text']!);
    await define(server.url, { questions: [] });
    await rig.reaches('s', 'failed');
    expect(server.count('initialize')).equal(1);
    expect(rig.status('s').error).not.include('questions');
    for (const refuse of [
      rpc(-32602, 'Unsupported protocol version'),
      rpc(-32600, 'Session not found', 400),
      rpc(-32601, 'Method not found'),
      (_: Received, res: ServerResponse) => res.writeHead(403).end(),
      (_: Received, res: ServerResponse) => res.writeHead(500).end('oops'),
    ]) {
      const other = await strict(() => true, refuse);
      await rig.define({ s: { type: 'streamable-http', url: other.url, timeout: 5 } });
      await rig.reaches('s', 'failed');
      expect(other.count('initialize')).equal(1);
    }
  });

  it('are told everything at first, and the status of one that accepts it says nothing of this', async () => {
    const server = await EraFixture.start({ speaks: [OLDER] });
    await define(server.url);
    await rig.reaches('s', 'connected');
    expect(declared(server)).deep.equal([{ elicitation: { form: {}, url: {} }, sampling: { tools: {} } }]);
    expect(rig.status('s').metadata).not.to.have.property('cannotAsk');
  });
});
