import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { GatewayError, coreTool, textResult } from '../../kernel/index.ts';
import type { Call, JsonObject, Tool } from '../../kernel/index.ts';
import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { PUBLIC_CLIENT, startAuthServer, tokensOf } from '../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../support/authServer.ts';
import { MCP_HEADERS, callBody, initializeBody, postMcp, toolsPlugin } from '../support/edge.ts';
import { moduleOf } from '../support/gateway.ts';
import type { RpcMessage } from '../support/mcpClient.ts';
import { openStream, send } from '../support/rawHttp.ts';
import type { OpenStream, RawAnswer } from '../support/rawHttp.ts';
import { release, relayServer, seen } from '../support/relayServer.ts';
import { post, stateless, statelessCall, stream } from '../support/stateless.ts';
import type { StatelessRequest } from '../support/stateless.ts';
import { until } from '../support/until.ts';

const PHONE = 'phone';
const GROUP_OF: Readonly<Record<string, string>> = { alice: 'staff', bob: 'guests' };
const UPDATED = 'notifications/resources/updated';
const LOGGED = 'notifications/message';
const URI = 'relay://one';
const FORM = { message: 'who are you?', requestedSchema: { type: 'object', properties: {} } };

interface Ways {
  readonly meta?: JsonObject;
}
interface Client {
  readonly name: string;
  readonly person: string;
  /** The header. */
  readonly authorization: string;
  /** Calls a meta-tool. */
  readonly ask: (tool: string, args?: JsonObject, ways?: Ways) => Promise<RawAnswer>;
}
interface SessionClient extends Client {
  readonly headers: Readonly<Record<string, string>>;
  readonly post: (body: unknown) => Promise<RawAnswer>;
  /** The standing stream. */
  readonly listen: (more?: Readonly<Record<string, string>>) => Promise<OpenStream>;
}

interface AuditEvent {
  readonly type: string;
  readonly tool?: string;
  readonly caller?: string | null;
}

/** Calls that the tools of this test keep waiting. */
const waiting: { readonly call: Call; readonly finish: () => void }[] = [];
let count = 0;
const TOOLS: readonly Tool[] = [
  coreTool({
    name: 'core_large',
    authority: 'use',
    description: 'large',
    run: () => textResult('x'.repeat(200_000)),
  }),
  coreTool({
    name: 'core_count',
    authority: 'use',
    description: 'count',
    run: () => textResult(`count ${(count += 1)}`),
  }),
  coreTool({
    name: 'core_refuse',
    authority: 'use',
    description: 'refuse',
    schema: { type: 'object' },
    run: ({ text }) => {
      throw new GatewayError('TOOL_ARGUMENTS', `no ${String(text)}`);
    },
  }),
  coreTool({
    name: 'core_wait',
    authority: 'use',
    description: 'wait',
    run: (_, call) =>
      new Promise((resolve, reject) => {
        const finish = (): void => resolve(textResult('waited'));
        waiting.push({ call, finish });
        call.cancel.onCancel((reason) => reject(new GatewayError('TOOL_CANCELLED', reason)));
      }),
  }),
];

/** Its tool answers what the server is sent besides the call itself. */
function headerServer(): McpServer {
  const backend = new McpServer({ name: 'backend', version: '1' }, { capabilities: { tools: {} } });
  const { server } = backend;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: 'headers', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo }) => ({
    content: [{ type: 'text', text: JSON.stringify([requestInfo?.headers, params]) }],
  }));
  return backend;
}

function textsOf({ text, answer }: RawAnswer): string {
  const { content } = (answer()?.result ?? {}) as { content?: { text: string }[] };
  return content?.map((one) => one.text).join('\n') ?? text;
}
function isFailed(answer: RawAnswer): boolean {
  return answer.json().result?.['isError'] === true;
}
function of(method: string, stream: OpenStream): readonly RpcMessage[] {
  return stream.messages().filter((one) => one.method === method);
}

describe('e2e: owners with sign-in', () => {
  let auth: AuthServer;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  let alice: SessionClient;
  let aliceOnPhone: SessionClient;
  let aliceStateless: Client;
  let alicePhoneStateless: Client;
  let bob: SessionClient;
  let bobStateless: Client;
  /** Two sign-ins of alice and one of bob, in both revisions. */
  let clients: readonly Client[];

  const answerFor = async (person: string, clientId: string = PUBLIC_CLIENT.id): Promise<TokenAnswer> => {
    auth.provider.loginAs(person, { groups: [GROUP_OF[person]] });
    return auth.redeem(await auth.code({ client_id: clientId }), { client_id: clientId });
  };
  const inSession = async (
    name: string,
    person: string,
    token: string,
    capabilities: object = {},
  ): Promise<SessionClient> => {
    const authorization = `Bearer ${token}`;
    const opened = await postMcp(auth.base, initializeBody(undefined, capabilities), { authorization });
    const headers = {
      authorization,
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    };
    const postIt: SessionClient['post'] = (body) => postMcp(auth.base, body, headers);
    return {
      name,
      person,
      authorization,
      headers,
      post: postIt,
      ask: (tool, args = {}, { meta } = {}) => postIt(callBody(tool, args, meta && { _meta: meta })),
      listen: (more = {}) => openStream(`${auth.base}/mcp`, { headers: { ...headers, ...more } }),
    };
  };
  const withoutSession = (name: string, person: string, token: string): Client => {
    const authorization = `Bearer ${token}`;
    return {
      name,
      person,
      authorization,
      ask: (tool, args = {}, { meta } = {}) =>
        post(auth.base, statelessCall(tool, args, meta && { meta }), { authorization }),
    };
  };
  const signed = ({ body, headers }: StatelessRequest, { authorization }: Client): StatelessRequest => ({
    body,
    headers: { ...headers, authorization },
  });
  /** What each client may see of what each has left. */
  const onlyOwn = async (
    left: readonly { readonly client: Client; readonly id: string }[],
    sees: (client: Client, id: string) => Promise<boolean>,
  ): Promise<void> => {
    for (const client of clients)
      for (const { client: other, id } of left)
        expect(await sees(client, id), `${client.name} sees what ${other.name} left`).equal(
          client.person === other.person,
        );
  };

  before(async () => {
    server = await hostOverHttp(relayServer);
    auth = await startAuthServer({
      builtIns: 'all',
      config: { trustedAudiences: ['pegboard'] },
      settings: {
        plugins: {
          'test-tools': { module: './tools.mjs' },
          audit: { config: { directory: 'audit' } },
        },
      },
      files: {
        'tools.mjs': moduleOf(toolsPlugin('test-tools', TOOLS)),
        'mcpservers/web.yaml': JSON.stringify({
          type: 'streamable-http',
          url: server.url,
          questions: ['elicitation'],
        }),
        'workflows/count.yaml': JSON.stringify({ steps: [{ id: 'a', tool: 'core_count' }] }),
        'workflows/wait.yaml': JSON.stringify({ steps: [{ id: 'a', tool: 'core_wait' }] }),
        'workflows/refuse.yaml': JSON.stringify({
          args: { text: { type: 'string', required: true } },
          steps: [{ id: 'a', tool: 'core_refuse', args: { text: '{{ .input.text }}' } }],
        }),
      },
    });
    await auth.gateway.log.heard('server connected');
    await auth.known({ ...PUBLIC_CLIENT, id: PHONE });
    const laptop = tokensOf(await answerFor('alice')).access;
    const phone = await answerFor('alice', PHONE);
    const bobs = tokensOf(await answerFor('bob')).access;
    alice = await inSession('alice', 'alice', laptop);
    aliceOnPhone = await inSession('alice on her phone', 'alice', tokensOf(phone).access);
    aliceStateless = withoutSession('alice without session', 'alice', laptop);
    alicePhoneStateless = withoutSession(
      'alice on her phone, without session',
      'alice',
      tokensOf(phone).access,
    );
    bob = await inSession('bob', 'bob', bobs);
    bobStateless = withoutSession('bob without session', 'bob', bobs);
    clients = [
      ...[alice, aliceOnPhone, aliceStateless, alicePhoneStateless, bob, bobStateless],
      withoutSession('alice by id token', 'alice', String(phone.body['id_token'])),
    ];
  });
  afterEach(() => {
    release();
    for (const { finish } of waiting.splice(0)) finish();
  });
  after(async () => {
    await server.close();
  });

  it('answers of two people never cross, even if their requests have the same ids', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => at);
    const answers = ids.flatMap((id) =>
      [alice, bob, aliceStateless, bobStateless].map(async (client) => {
        const text = `${client.name} ${id}`;
        const arguments_ = { name: 'core_refuse', arguments: { text } };
        return { text, answer: textsOf(await client.ask('call_tool', arguments_)) };
      }),
    );
    for (const { text, answer } of await Promise.all(answers)) expect(answer).equal(`no ${text}`);
  });

  it('kept results are read by the same person in any sign-in and revision, and by no one else', async () => {
    const left: { client: Client; id: string }[] = [];
    for (const client of clients) {
      const answer = await client.ask('call_tool', { name: 'core_large' });
      const id = /"handle": "([^"]+)"/.exec(textsOf(answer))?.[1] ?? '';
      expect(id, `${client.name}: ${answer.text.slice(0, 300)}`).not.equal('');
      left.push({ client, id });
    }
    await onlyOwn(left, async (client, handle) => !isFailed(await client.ask('get_result', { handle })));
  });

  it('runs of workflows are listed, read and cancelled by the same person only', async () => {
    const left: { client: Client; id: string }[] = [];
    const run = async (client: Client): Promise<string> => {
      const answer = await client.ask('call_tool', { name: 'workflow_count' });
      return /"execution_id": ?"([^"]+)"/.exec(textsOf(answer))?.[1] ?? '';
    };
    for (const client of clients) left.push({ client, id: await run(client) });
    const sees = async (client: Client, tool: string, args: JsonObject, id: string): Promise<boolean> =>
      textsOf(await client.ask('call_tool', { name: tool, arguments: args })).includes(`"${id}"`);
    await onlyOwn(left, (client, id) => sees(client, 'core_workflow_execution_list', { limit: 100 }, id));
    await onlyOwn(left, async (client, id) => {
      const args = { execution_id: id };
      const answer = await client.ask('call_tool', { name: 'core_workflow_execution_get', arguments: args });
      return !isFailed(answer);
    });
  });

  it('a run under way is not cancelled by another person, but by the same one in another sign-in', async () => {
    const running = alice.ask('call_tool', { name: 'workflow_wait' });
    await until(() => waiting.length === 1, { what: 'the run' });
    const listed = await aliceOnPhone.ask('call_tool', {
      name: 'core_workflow_execution_list',
      arguments: { status: 'running' },
    });
    const id = /"execution_id": ?"([^"]+)"/.exec(textsOf(listed))?.[1] ?? '';
    const cancel = (client: Client): Promise<RawAnswer> =>
      client.ask('call_tool', { name: 'core_workflow_execution_cancel', arguments: { execution_id: id } });
    for (const client of [bob, bobStateless]) {
      const refused = await cancel(client);
      expect(isFailed(refused)).equal(true);
      expect(textsOf(refused)).include(`execution ${id} not found`);
    }
    expect(waiting[0]?.call.cancel.reason).equal(undefined);
    expect(isFailed(await cancel(alicePhoneStateless))).equal(false);
    expect(isFailed(await running)).equal(true);
  });

  it('an idempotency key is one person’s, in all sign-ins', async () => {
    const ways = { meta: { 'pegboard.dev/idempotency-key': 'once' } };
    const answers = new Map<string, Set<string>>();
    for (const client of clients) {
      const answer = await client.ask('call_tool', { name: 'core_count' }, ways);
      const own = answers.get(client.person) ?? new Set();
      answers.set(client.person, own.add(textsOf(answer)));
    }
    const [alices, bobs] = [...answers.values()].map((one) => [...one]);
    expect(alices).lengthOf(1);
    expect(bobs).lengthOf(1);
    expect(alices).not.deep.equal(bobs);
  });

  it('a call that waits for an answer is continued by the same person only', async () => {
    const args = { name: 'x_web_ask', arguments: { method: 'elicitation/create', params: FORM } };
    const ways = { capabilities: { elicitation: { form: {} } } };
    const asked = await post(auth.base, signed(statelessCall('call_tool', args, ways), aliceStateless));
    const { requestState, inputRequests } = asked.json().result as {
      requestState?: string;
      inputRequests?: JsonObject;
    };
    expect(requestState, asked.text).not.equal(undefined);
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests ?? {}).map((key) => [key, { action: 'accept', content: {} }]),
    );
    const back = { requestState, inputResponses };
    const returns = (client: Client): Promise<RawAnswer> =>
      post(auth.base, signed(statelessCall('call_tool', args, { ...ways, back }), client));
    expect((await returns(bobStateless)).json().error?.message).include('requestState does not match');
    expect(textsOf(await returns(alicePhoneStateless))).include('accept');
    expect((await returns(aliceStateless)).json().error?.code).equal(-32_602);
  });

  it('a question in a session is not answered by another person, nor is its call cancelled', async () => {
    const token = alice.authorization.slice(7);
    const asking = await inSession('alice', 'alice', token, { elicitation: {} });
    const args = { name: 'x_web_ask', arguments: { method: 'elicitation/create', params: FORM } };
    const call = await openStream(`${auth.base}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, ...asking.headers },
      body: JSON.stringify(callBody('call_tool', args, { id: 77 })),
    });
    const [question] = await call.heard(1);
    const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content: {} } };
    expect((await bob.post(answer)).status).equal(202);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } };
    expect((await bob.post(cancelled)).status).equal(202);
    // Not even with the handle of alice's session.
    const stolen = { ...bob.headers, 'mcp-session-id': asking.headers['mcp-session-id'] ?? '' };
    for (const body of [answer, cancelled])
      expect((await postMcp(auth.base, body, stolen)).status).equal(404);
    expect(call.messages()).lengthOf(1);
    const decline = { ...answer, result: { action: 'decline' } };
    expect((await asking.post(decline)).status).equal(202);
    const [, result] = await call.heard(2);
    expect(JSON.stringify(result)).include('decline');
  });

  it('T62: a session is used, listened to, resumed and ended by the same person only', async () => {
    const session = await inSession('alice', 'alice', alice.authorization.slice(7));
    const standing = await session.listen();
    const primed = await until(() => /^id: (\S+)/m.exec(standing.text())?.[1], { what: 'an event id' });
    const as = (client: Client): Readonly<Record<string, string>> => ({
      ...session.headers,
      authorization: client.authorization,
    });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const accept = { accept: 'text/event-stream' };
    const all = async (client: Client): Promise<readonly number[]> => [
      (await postMcp(auth.base, body, as(client))).status,
      ...(client.person === 'alice'
        ? []
        : [
            (await send(`${auth.base}/mcp`, { headers: { ...as(client), ...accept } })).status,
            (
              await send(`${auth.base}/mcp`, {
                headers: { ...as(client), ...accept, 'last-event-id': primed },
              })
            ).status,
            (await send(`${auth.base}/mcp`, { method: 'DELETE', headers: as(client) })).status,
          ]),
    ];
    expect(await all(bob)).deep.equal([404, 404, 404, 404]);
    expect(await all(aliceOnPhone)).deep.equal([200]);
    // In bob's own session, the event id of alice's stream names nothing: he gets a new stream.
    const his = await bob.listen({ 'last-event-id': primed });
    const first = await until(() => /^id: (\S+)/m.exec(his.text())?.[1], { what: 'an event id' });
    expect(first.split('_')[0]).not.equal(primed.split('_')[0]);
    standing.close();
    const again = await openStream(`${auth.base}/mcp`, {
      headers: { ...as(aliceOnPhone), 'last-event-id': primed },
    });
    expect(again.status).equal(200);
    expect((await send(`${auth.base}/mcp`, { method: 'DELETE', headers: as(aliceOnPhone) })).status).equal(
      204,
    );
    expect((await postMcp(auth.base, body, session.headers)).status).equal(404);
  });

  it('answers of a broken connection are resumed by the same person only', async () => {
    const call = await openStream(`${auth.base}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, ...alice.headers },
      body: JSON.stringify(
        callBody('call_tool', { name: 'core_wait' }, { id: 78, _meta: { progressToken: 'p' } }),
      ),
    });
    const [waited] = await until(() => (waiting.length === 1 ? waiting : undefined), { what: 'the call' });
    waited?.call.progress?.({ progress: 1 });
    const id = await until(() => /^id: (\S+)/m.exec(call.text())?.[1], { what: 'an event id' });
    call.close();
    await call.ended;
    waited?.finish();
    const resume = (client: SessionClient): Promise<OpenStream> => client.listen({ 'last-event-id': id });
    expect((await resume(bob)).status).equal(400);
    const resumed = await resume(alice);
    const answer = await until(() => resumed.messages().find((one) => one.id === 78), { what: 'the answer' });
    expect(JSON.stringify(answer)).include('waited');
  });

  it('subscriptions and log levels are those of one session', async () => {
    const [hers, his] = [await alice.listen(), await bob.listen()];
    const listening = await stream(
      auth.base,
      signed(stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }), bobStateless),
    );
    await listening.heard(1);
    const rpc = (method: string, params: JsonObject): unknown => ({ jsonrpc: '2.0', id: 5, method, params });
    await alice.post(rpc('resources/subscribe', { uri: URI }));
    await alice.post(rpc('logging/setLevel', { level: 'debug' }));
    const before = seen.length;
    // Of bob's own session: ends nothing of alice's.
    await bob.post(rpc('resources/unsubscribe', { uri: URI }));
    expect(seen.slice(before)).not.include(`unsubscribe ${URI}`);
    const notify = async (message: JsonObject): Promise<void> => {
      await bob.ask('call_tool', { name: 'x_web_notify_later', arguments: message });
      release();
    };
    await notify({ method: LOGGED, params: { level: 'info', data: 'by itself' } });
    await until(() => of(LOGGED, hers).length > 0, { what: 'the log message' });
    await alice.ask('call_tool', {
      name: 'x_web_notify_aside',
      arguments: { method: UPDATED, params: { uri: URI } },
    });
    expect(of(LOGGED, his)).deep.equal([]);
    expect(of(UPDATED, his)).deep.equal([]);
    expect(of(UPDATED, listening)).deep.equal([]);
  });

  it('events of a run, with its errors, are listed for its person and sent to followers of its person only', async () => {
    const [hers, his] = [await aliceOnPhone.listen(), await bob.listen()];
    const arguments_ = { follow: true, resourceName: 'refuse' };
    for (const client of [aliceOnPhone, bob])
      await client.ask('call_tool', { name: 'core_events', arguments: arguments_ });
    for (const client of [alice, bob]) {
      const args = { name: 'workflow_refuse', arguments: { text: `${client.person} wants this` } };
      await client.ask('call_tool', args);
    }
    const told = (one: OpenStream): string => JSON.stringify(of('notifications/service/event', one));
    await until(() => told(hers).includes('WorkflowExecutionFailed'), { what: 'the event of alice' });
    await until(() => told(his).includes('WorkflowExecutionFailed'), { what: 'the event of bob' });
    expect(told(hers)).include('alice wants this').and.not.include('bob wants this');
    expect(told(his)).include('bob wants this').and.not.include('alice wants this');
    for (const client of clients) {
      const args = { name: 'core_events', arguments: { resourceName: 'refuse', limit: 1000 } };
      const listed = textsOf(await client.ask('call_tool', args));
      for (const person of ['alice', 'bob'])
        expect(listed.includes(`${person} wants this`), client.name).equal(client.person === person);
      expect(listed).include('WorkflowToolRegistered').and.not.include(auth.provider.url);
    }
  });

  it('the older transport takes messages of the person that opened the stream only', async () => {
    const { authorization } = alice;
    const opened = await openStream(`${auth.base}/sse`, { headers: { authorization } });
    const path = await until(() => /^data: (message\S+)/m.exec(opened.text())?.[1], {
      what: 'the endpoint',
    });
    const say = async (client: Client | undefined, body: unknown): Promise<number> => {
      const headers =
        client === undefined ? MCP_HEADERS : { ...MCP_HEADERS, authorization: client.authorization };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return (await send(new URL(path, `${auth.base}/sse`).href, { method: 'POST', headers, body: text }))
        .status;
    };
    expect(await say(undefined, initializeBody())).equal(401);
    expect(await say(bob, initializeBody())).equal(404);
    expect(await say(alice, initializeBody())).equal(202);
    await opened.heard(1);
    expect(await say(bob, callBody('call_tool', { name: 'core_count' }))).equal(404);
    expect(await say(aliceOnPhone, callBody('call_tool', { name: 'core_count' }, { id: 9 }))).equal(202);
    const [, answer] = await opened.heard(2);
    expect(answer?.id).equal(9);
  });

  it('calls are limited by person, over all sign-ins and revisions', async () => {
    await auth.configure(({ plugins }) => ({
      plugins: { ...plugins, limits: { config: { perCaller: { callsPerMinute: 1, burst: 3 } } } },
    }));
    const isRefused = async (client: Client): Promise<boolean> =>
      (await client.ask('call_tool', { name: 'core_count' })).text.includes('LIMIT_EXCEEDED');
    for (const client of [alice, aliceOnPhone, aliceStateless]) expect(await isRefused(client)).equal(false);
    for (const client of clients)
      expect(await isRefused(client), client.name).equal(client.person === 'alice');
    await auth.configure(({ plugins }) => ({ plugins: { ...plugins, limits: false } }));
  });

  it('T99: a server behind the gateway is sent no token of a client', async () => {
    const backend = await hostOverHttp(headerServer);
    try {
      const definition = JSON.stringify({ type: 'streamable-http', url: backend.url });
      auth.gateway.directory.write('mcpservers/backend.yaml', definition);
      await auth.gateway.pipeline.reload();
      await until(() => auth.gateway.log.having('server connected').length >= 2, { what: 'the backend' });
      for (const client of clients) {
        const name = 'x_backend_headers';
        const answer = await client.ask('call_tool', { name, arguments: { authorization: 'mine' } });
        const sent = textsOf(answer);
        expect(sent, client.name).include('mcp-protocol-version').and.include('mine');
        expect(sent, client.name).not.include(client.authorization.slice(7));
        expect(sent.toLowerCase(), client.name).not.include('bearer');
      }
    } finally {
      auth.gateway.directory.remove('mcpservers/backend.yaml');
      await auth.gateway.pipeline.reload();
      await backend.close();
    }
  });

  it('T100: tools of one person are neither seen nor called by another, after a reconnection or by a workflow either', async () => {
    const access = [
      { groups: ['staff'], toolset: ['server:web', 'tool:core_count', 'workflow:count'] },
      { groups: ['guests'], toolset: ['tool:core_large'] },
    ];
    await auth.configure(() => ({ access }));
    const again = await inSession('bob again', 'bob', bob.authorization.slice(7));
    const wider = (body: unknown): Promise<RawAnswer> =>
      postMcp(auth.base, body, { ...again.headers, 'x-service-toolset': 'server:web, workflow:count' });
    const declaring: Client = {
      ...again,
      name: 'bob with a header',
      ask: (tool, args) => wider(callBody(tool, args)),
    };
    for (const client of [...clients, again, declaring]) {
      const mayCall = client.person === 'alice';
      const found = textsOf(await client.ask('filter_tools', { pattern: 'x_web_seen' }));
      expect(found.includes('"name":"x_web_seen"'), client.name).equal(mayCall);
      for (const name of ['x_web_seen', 'core_count', 'workflow_count'])
        expect(isFailed(await client.ask('call_tool', { name })), `${client.name} calls ${name}`).equal(
          !mayCall,
        );
    }
    await auth.configure(() => ({ access: undefined }));
  });

  it('audit lines name the person of each call', async () => {
    for (const client of clients) await client.ask('call_tool', { name: 'core_count' });
    const folder = auth.gateway.directory.at('audit');
    const who = (): readonly unknown[] =>
      readdirSync(folder)
        .flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { event: AuditEvent }).event)
        .filter(({ type, tool }) => type === 'begun' && tool === 'core_count')
        .slice(-clients.length)
        .map(({ caller }) => caller);
    const issuer = auth.provider.url;
    expect(who()).deep.equal(clients.map(({ person }) => JSON.stringify([issuer, person])));
  });
});
