import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { makeDirectory } from '../../support/directory.ts';
import { AskedClient } from './askedClient.ts';
import { EraFixture, NEWER, OLDER, answer, asksOnStream, respond, toldOf } from './eraFixture.ts';
import type { Received } from './eraFixture.ts';
import { Rig } from './support.ts';

type Refuse = (received: Received, res: ServerResponse) => unknown;
const result =
  (text: string): Refuse =>
  (received, res) =>
    answer(received, res, { ...toldOf(text), isError: true });
const error =
  (code: number, message: string): Refuse =>
  ({ id }, res) =>
    respond(res, 400, { jsonrpc: '2.0', id, error: { code, message } });

/** What servers answer in 2026-07-28 to a call whose tool asks in the way of older revisions. */
const ONLY_OLDER: Readonly<Record<string, Refuse>> = {
  FastMCP: result('elicitation via server-initiated requests is unavailable on 2026-07-28 connections.'),
  Python: error(
    -32600,
    "Cannot send 'sampling/createMessage': this transport context has no back-channel for server-initiated requests.",
  ),
  Rust: error(
    -32600,
    'server-to-client requests are not allowed on protocol 2026-07-28 or later; return InputRequiredResult instead',
  ),
  TypeScript: result(
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent",
  ),
  'mcp-go': result(
    '"elicitation/create": server-initiated requests are not supported in protocol version 2026-07-28 or later',
  ),
  Go: result(
    '"elicitation/create" cannot be sent while serving a request on protocol version 2026-07-28: return an InputRequests map',
  ),
};
/** What they answer in older revisions to one whose tool returns `input_required`. */
const ONLY_NEWER: Refuse = error(
  -32602,
  "Tool 'guard' returned an InputRequiredResult to request client input, but the multi-round-trip result type (SEP-2322) only exists at MCP 2026-07-28",
);

class NewerClient extends AskedClient {
  override readonly hasSession = false;
}
const isNewer = ({ params }: Received): boolean => params._meta !== undefined;
const schema = { inputSchema: { type: 'object' } };

describe('upstream: remote servers of both eras', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  /** Its tools: `push` asks in older revisions only, `read` as well, `guard` in 2026-07-28 only, and `echo` never. */
  async function dual(refuse: Refuse = ONLY_OLDER['FastMCP']!): Promise<EraFixture> {
    const tools = [
      ...['push', 'guard', 'echo'].map((name) => ({ name, ...schema })),
      { name: 'read', ...schema, annotations: { readOnlyHint: true } },
    ];
    const server = await EraFixture.start({ speaks: [OLDER, NEWER], session: 'one', tools });
    const ask = asksOnStream();
    const inputRequests = { name: { method: 'elicitation/create', params: { message: 'your name?' } } };
    server.instead = (received, res) => {
      const { method, params } = received;
      const isCall = method === 'tools/call';
      if (isCall && params['name'] === 'echo') return false;
      if (!isCall || params['name'] !== 'guard') {
        if (!isCall || !isNewer(received)) return ask(received, res);
        refuse(received, res);
        return true;
      }
      if (!isNewer(received)) ONLY_NEWER(received, res);
      else if (params['inputResponses'] === undefined)
        answer(received, res, { resultType: 'input_required', inputRequests });
      else answer(received, res, toldOf(JSON.stringify(params['inputResponses'])));
      return true;
    };
    return server;
  }
  async function connect({ url }: EraFixture, more: JsonObject = {}): Promise<void> {
    await rig.configure({ backoffFirstMs: 60_000, deadlineTickMs: 10 });
    await rig.define({ s: { type: 'streamable-http', url, timeout: 5, ...more } });
    await rig.reaches('s', 'connected');
  }
  const calls = (server: EraFixture): readonly (string | undefined)[] =>
    server.all('tools/call').map(({ headers }) => headers['mcp-protocol-version'] as string | undefined);

  it('are connected in a session of the older one, which is remembered', async () => {
    const server = await dual();
    const directory = makeDirectory();
    for (const attempt of [1, 2]) {
      await rig.stop();
      rig = new Rig(directory.path);
      await connect(server);
      const { metadata } = rig.status('s');
      expect([metadata['protocolVersion'], metadata['alsoSpeaks']]).deep.equal([OLDER, NEWER]);
      expect([server.count('server/discover'), server.count('initialize')]).deep.equal([1, attempt]);
    }
  });

  it('are recognised by their answer to a GET: initialize is sent to no other server of 2026-07-28', async () => {
    for (const [status, greetings] of [
      [405, 0],
      [404, 0],
      [403, 0],
      [400, 1],
      [406, 1],
    ] as const) {
      const server = await dual();
      server.instead = ({ verb }, res) => {
        if (verb === 'GET') res.writeHead(status).end();
        return verb === 'GET';
      };
      await connect(server);
      expect(rig.status('s').metadata['protocolVersion'], String(status)).equal(
        greetings === 1 ? OLDER : NEWER,
      );
      expect(server.count('initialize')).equal(greetings);
      await rig.service('s').restart?.();
      expect(
        server.received.filter(({ verb, headers }) => verb === 'GET' && !headers['mcp-session-id']),
      ).length(1);
    }
  });

  it('are recognised by a stream without a session, too, and not waited for if they say nothing', async () => {
    const server = await dual();
    server.instead = ({ verb }, res) => {
      if (verb === 'GET') res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return verb === 'GET';
    };
    await connect(server);
    expect(rig.status('s').metadata['protocolVersion']).equal(OLDER);
    expect(server.all('initialize')[0]?.headers['mcp-method']).equal('initialize');
    const silent = await dual();
    silent.instead = ({ verb }) => verb === 'GET';
    await connect(silent, { timeout: 0.3 });
    expect(rig.status('s').metadata['protocolVersion']).equal(NEWER);
    silent.instead = () => false;
    await rig.service('s').restart?.();
    expect(rig.status('s').metadata['protocolVersion']).equal(OLDER);
  });

  it('are asked in the revision of the client that calls, over one connection', async () => {
    const server = await dual();
    await connect(server);
    const [older, newer] = [new AskedClient(), new NewerClient()];
    expect(await rig.text('x_s_push', {}, { client: older })).include('accept');
    expect(await rig.text('x_s_guard', {}, { client: newer })).include('accept');
    expect([older.asked.length, newer.asked.length]).deep.equal([1, 1]);
    expect(calls(server)).deep.equal([OLDER, NEWER, NEWER]);
    const sessions = server.all('tools/call').map(({ headers }) => headers['mcp-session-id']);
    expect(sessions).deep.equal(['one', undefined, undefined]);
    expect(server.count('initialize')).equal(1);
    const [, first] = server.all('tools/call');
    expect(first?.rawHeaders.filter((name) => name === 'mcp-protocol-version')).length(1);
  });

  it('are called in the session for a client that cannot be asked, or for none', async () => {
    const server = await dual();
    await connect(server);
    await rig.text('x_s_echo', {}, { client: new NewerClient({}) });
    await rig.text('x_s_echo');
    expect(calls(server)).deep.equal([OLDER, OLDER]);
  });

  for (const [what, refuse] of Object.entries(ONLY_OLDER))
    it(`are called in the older one for a tool of which they say that only that can ask (${what})`, async () => {
      const server = await dual(refuse);
      await connect(server);
      const client = new NewerClient();
      const { code, message } = await rig.refusal('x_s_push', {}, { client });
      expect(code).equal('UPSTREAM_ERROR');
      expect(message)
        .include('from now on it is called in an older revision')
        .and.include('check the effect');
      expect(await rig.text('x_s_push', {}, { client })).include('accept');
      // It may be repeated.
      expect(await rig.text('x_s_read', {}, { client })).include('accept');
      expect(calls(server)).deep.equal([NEWER, OLDER, NEWER, OLDER]);
      expect(await rig.text('x_s_guard', {}, { client })).include('accept');
    });

  it('are called in the newer one for a tool of which they say that only that can ask, and at once', async () => {
    const server = await dual();
    const directory = makeDirectory();
    await rig.stop();
    rig = new Rig(directory.path);
    await connect(server);
    const client = new AskedClient();
    expect(await rig.text('x_s_guard', {}, { client })).include('accept');
    expect(calls(server)).deep.equal([OLDER, NEWER, NEWER]);
    await rig.stop();
    rig = new Rig(directory.path);
    await connect(server);
    expect(await rig.text('x_s_guard', {}, { client })).include('accept');
    expect(calls(server).slice(3)).deep.equal([NEWER, NEWER]);
  });

  it('are not called again for an answer that is long, or no error', async () => {
    const server = await dual();
    await connect(server);
    const client = new NewerClient();
    const text = 'server-to-client requests are not allowed';
    for (const told of [toldOf(text), { ...toldOf(text + ' '.repeat(2_000)), isError: true }]) {
      server.instead = (received, res) => {
        if (received.method === 'tools/call') answer(received, res, told);
        return received.method === 'tools/call';
      };
      expect(await rig.text('x_s_read', {}, { client })).include(text);
    }
    expect(calls(server)).deep.equal([NEWER, NEWER]);
  });

  it('are called in the session when they speak the newer one no longer, and keep that session', async () => {
    for (const status of [400, 404, 405]) {
      const server = await dual();
      await connect(server);
      server.instead = (received, res) => {
        if (!isNewer(received)) return false;
        res.writeHead(status).end('not here');
        return true;
      };
      const client = new NewerClient();
      expect(await rig.text('x_s_echo', { a: 1 }, { client })).equal('{"a":1}');
      server.instead = () => false;
      server.speaks = [OLDER];
      expect(await rig.text('x_s_echo', { a: 2 }, { client })).equal('{"a":2}');
      expect(server.count('initialize')).equal(1);
    }
  });

  it('are asked for their eras again when they keep sessions no longer', async () => {
    const server = await dual();
    await connect(server);
    server.session = undefined;
    await rig.service('s').restart?.();
    expect(rig.status('s').metadata['protocolVersion']).equal(NEWER);
    expect(rig.status('s').metadata).not.to.have.property('alsoSpeaks');
  });

  it('name the cure if their tool asks in the way of the older one where only the newer one is used', async () => {
    const server = await dual();
    const client = new AskedClient();
    await connect(server, { revision: 'modern' });
    expect((await rig.refusal('x_s_push', {}, { client })).message).include('set revision: legacy');
    server.session = undefined;
    await connect(server);
    expect((await rig.refusal('x_s_push', {}, { client })).message).include('set revision: legacy');
    expect(rig.status('s').metadata['protocolVersion']).equal(NEWER);
  });

  it('of which the newer one gets no answer in time, or is cancelled, are told nothing in the session', async () => {
    const server = await dual();
    await connect(server, { callTimeout: 0.1 });
    server.instead = (received) => isNewer(received);
    const client = new NewerClient();
    expect((await rig.refusal('x_s_echo', {}, { client })).code).equal('UPSTREAM_TIMEOUT');
    expect(await rig.text('x_s_echo', { a: 1 })).equal('{"a":1}');
    expect(server.count('notifications/cancelled')).equal(0);
  });
});
