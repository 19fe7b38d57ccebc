import { expect } from 'chai';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { eventually } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { useRelayGateway } from '../support/relayGateway.ts';
import { post, stateless, statelessCall, stream } from '../support/stateless.ts';
import { toldIn } from '../support/talkingClient.ts';

const ALL: ClientCapabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
const FORM = { mode: 'form', message: 'who?', requestedSchema: { type: 'object', properties: {} } };
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const ANSWER = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } } as const;
/** Ways in which the SDK's client of the newest revision may negotiate. */
const ERAS = { '2026-07-28': { pin: '2026-07-28' }, '2025-11-25': 'legacy' } as const;

describe('e2e: clients of both revisions with servers of the older one', () => {
  const gateway = useRelayGateway();

  async function connect(revision: keyof typeof ERAS, capabilities: ClientCapabilities): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities, versionNegotiation: { mode: ERAS[revision] } },
    );
    if (capabilities.elicitation !== undefined)
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'ann' } }));
    if (capabilities.sampling !== undefined) client.setRequestHandler('sampling/createMessage', () => ANSWER);
    if (capabilities.roots !== undefined)
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }));
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url()}/mcp`)));
    defer(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).equal(revision);
    return client;
  }
  async function told(client: Client, name: string, args: object): Promise<unknown> {
    const params = { name: 'call_tool', arguments: { name, arguments: args } };
    return toldIn({ result: await client.callTool(params) });
  }

  for (const revision of Object.keys(ERAS) as (keyof typeof ERAS)[])
    for (const server of ['web', 'child']) {
      it(`a client of ${revision} calls ${server} and answers its questions`, async () => {
        const client = await connect(revision, ALL);
        const ask = (method: string, params?: object): Promise<unknown> =>
          told(client, `x_${server}_ask`, { method, params });
        expect(await ask('elicitation/create', FORM)).deep.include({ content: { name: 'ann' } });
        expect(await ask('sampling/createMessage', SAMPLE)).deep.include(ANSWER);
        expect(await ask('roots/list')).deep.include({ roots: [{ uri: 'file:///home' }] });
      });

      it(`a client of ${revision} that declares nothing is not asked by ${server}`, async () => {
        const client = await connect(revision, {});
        const asked = { method: 'elicitation/create', params: FORM };
        const refused = (await told(client, `x_${server}_ask`, asked)) as { message: string };
        expect(refused.message).include('does not support elicitation/create');
      });
    }

  it('clients of both revisions read the same catalogue', async () => {
    const [newer, older] = [await connect('2026-07-28', ALL), await connect('2025-11-25', ALL)];
    expect((await newer.listTools()).tools).deep.equal((await older.listTools()).tools);
    const find = { name: 'filter_tools', arguments: { query: 'ask', include_schema: true, limit: 100 } };
    expect((await newer.callTool(find)).content).deep.equal((await older.callTool(find)).content);
    expect((await newer.listPrompts()).prompts).deep.equal((await older.listPrompts()).prompts);
    expect((await newer.listResources()).resources).deep.equal((await older.listResources()).resources);
  });

  it('a closed stream cancels the call at its server', async () => {
    const call = statelessCall('call_tool', { name: 'x_child_late', arguments: { method: 'roots/list' } });
    const seen = async (): Promise<string> => {
      const asked = statelessCall('call_tool', { name: 'x_child_seen', arguments: {} });
      return (await post(gateway.url(), asked)).text;
    };
    const open = await stream(gateway.url(), call);
    await eventually(async () => (await seen()).includes('waits to be late'), 'the call at the server');
    open.close();
    await eventually(async () => /\\"late |late \{/.test(await seen()), 'the cancellation at the server');
    expect(open.messages()).deep.equal([]);
  });

  it('log messages of a call reach a request that asks for their level, and no other', async () => {
    const params = { level: 'warning', data: 'careful' };
    const args = { method: 'notifications/message', params };
    const call = (meta: object): ReturnType<typeof statelessCall> =>
      statelessCall('call_tool', { name: 'x_web_notify', arguments: args }, { meta: { ...meta } });
    const level = 'io.modelcontextprotocol/logLevel';
    const loud = await post(gateway.url(), call({ [level]: 'info' }));
    expect(loud.events().map(({ method }) => method)).deep.equal(['notifications/message', undefined]);
    expect((await post(gateway.url(), call({}))).headers['content-type']).equal('application/json');
    expect((await post(gateway.url(), call({ [level]: 'error' }))).headers['content-type']).equal(
      'application/json',
    );
  });

  for (const server of ['web', 'child'])
    it(`log messages that ${server} sends just behind the answer of a call precede that answer`, async () => {
      const args = { method: 'notifications/message', params: { level: 'info', data: server }, releaseMs: 0 };
      const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      const call = statelessCall(
        'call_tool',
        { name: `x_${server}_notify_later`, arguments: args },
        { meta },
      );
      const [logged, answer] = (await post(gateway.url(), call)).events();
      expect(logged?.params).deep.include({ level: 'info', data: server });
      expect(answer?.result).include({ resultType: 'complete' });
    });

  it("a change of a server's resource reaches each client that listens for it", async () => {
    const notifications = { resourceSubscriptions: ['child://one'] };
    const open = await stream(gateway.url(), stateless('subscriptions/listen', { notifications }));
    await open.heard(1);
    const updated = { method: 'notifications/resources/updated', params: { uri: 'child://one' } };
    await post(
      gateway.url(),
      statelessCall('call_tool', { name: 'x_child_notify_aside', arguments: updated }),
    );
    const [, told] = await open.heard(2);
    expect(told?.params).deep.include({ uri: 'child://one' });
  });
});
