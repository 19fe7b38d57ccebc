import assert from 'node:assert/strict';
import type { JsonObject } from '../../kernel/index.ts';
import { eventually } from './eventually.ts';
import { fixture } from './fixture.ts';
import { startGateway } from './gateway.ts';
import type { PluginEntries, TestGateway } from './gateway.ts';

/** The client end of one connection, written for the test. */
export interface TransportClient {
  /** Sends one message, as text. Resolves when it was handed over. */
  send(text: string): Promise<void>;
  /** Every message received so far, in order. */
  readonly received: readonly JsonObject[];
  close(): Promise<void>;
}

export interface TransportUnderTest {
  /** Name of the plugin under test. */
  readonly name: string;
  /** The section `plugins` with the transport. Only `front` and the built-in plugins named here run. */
  readonly plugins: PluginEntries;
  connect(gateway: TestGateway): Promise<TransportClient>;
}

/** Requirements on every transport. Declares a mocha suite. @param make called for every test */
export function transportContract(make: () => TransportUnderTest | Promise<TransportUnderTest>): void {
  describe('as a transport', () => {
    let subject: TransportUnderTest;
    let gateway: TestGateway;
    let client: TransportClient;
    let lastId = 0;

    const pluginsWith = (refuse: string): PluginEntries => ({
      'contract-messages': fixture('messages', { refuse }),
      ...subject.plugins,
    });
    const answerTo = (id: number): Promise<JsonObject> =>
      eventually(() => client.received.find((one) => one['id'] === id && !('method' in one)), `answer ${id}`);
    const post = async (method: string, params: JsonObject): Promise<number> => {
      const id = (lastId += 1);
      await client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return id;
    };
    const request = async (method: string, params: JsonObject = {}): Promise<JsonObject> =>
      answerTo(await post(method, params));
    const call = async (name: string, args: JsonObject = {}): Promise<string> => {
      const { result } = await request('tools/call', { name, arguments: args });
      return (result as { content: { text: string }[] }).content[0]?.text ?? '';
    };

    beforeEach(async () => {
      subject = await make();
      lastId = 0;
      const plugins = pluginsWith('nothing');
      gateway = await startGateway({ plugins, builtIns: ['front', ...Object.keys(subject.plugins)] });
      client = await subject.connect(gateway);
      const clientInfo = { name: 'contract', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const { result } = await request('initialize', params);
      assert.equal((result as JsonObject | undefined)?.['protocolVersion'], '2025-11-25');
      await client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    });
    afterEach(async () => {
      await client.close();
      await gateway.stop();
    });

    it('answers requests of the session that initialize opened', async () => {
      assert.deepEqual((await request('ping'))['result'], {});
      const { tools } = (await request('tools/list'))['result'] as { tools: { name: string }[] };
      assert.ok(tools.some(({ name }) => name === 'contract_echo'));
    });

    it('carries text of any size and shape unchanged', async () => {
      const text = `"\\\n\r\n\u2028\u0000 data: x\n\nevent: y ${'\u{1f4cc}ä'.repeat(200_000)}`;
      assert.equal(await call('contract_echo', { text }), text);
    });

    it('answers each of many requests once, under its own id', async () => {
      const sent = Array.from({ length: 20 }, (_, at) =>
        post('tools/call', { name: 'contract_echo', arguments: { text: String(at) } }),
      );
      const ids = await Promise.all(sent);
      for (const [at, id] of ids.entries()) {
        const { content } = (await answerTo(id))['result'] as { content: { text: string }[] };
        assert.equal(content[0]?.text, String(at));
        assert.equal(client.received.filter((one) => one['id'] === id).length, 1);
      }
    });

    it('delivers the messages that precede an answer before it', async () => {
      const id = (lastId += 1);
      const params = { name: 'contract_progress', arguments: {}, _meta: { progressToken: 'p' } };
      await client.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
      await answerTo(id);
      const order = client.received.slice(-3).map((one) => one['method'] ?? one['id']);
      assert.deepEqual(order, ['notifications/progress', 'notifications/progress', id]);
    });

    it('sends no answer to a notification', async () => {
      const before = client.received.length;
      await client.send('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}');
      await request('ping');
      assert.equal(client.received.length, before + 1);
    });

    it('reports a message that is not JSON, and keeps serving', async () => {
      await client.send('{"jsonrpc": nonsense');
      await eventually(
        () => client.received.some(({ error }) => (error as JsonObject | undefined)?.['code'] === -32700),
        'a parse error (-32700)',
      );
      assert.deepEqual((await request('ping'))['result'], {});
    });

    it('passes the facts of a request to guards', async () => {
      const facts = JSON.parse(await call('contract_facts')) as JsonObject;
      assert.match(String(facts['transport']), /^\S+$/);
      assert.deepEqual([facts['access'], facts['missing']], ['caller', null]);
    });

    for (const refuse of ['by throwing', 'by answering']) {
      it(`sends every message through the gate: one refused ${refuse} reaches no tool`, async () => {
        assert.equal(await call('contract_count'), '1');
        assert.equal((await gateway.configure(pluginsWith(refuse))).applied, true);
        const refused = await post('tools/call', { name: 'contract_count', arguments: {} });
        // A second message on the same connection has overtaken it by the time the gate opens again.
        await post('ping', {});
        await eventually(() => gateway.configure(pluginsWith('nothing')), 'the gate is open again');
        assert.equal(await call('contract_count'), '2');
        assert.ok(!client.received.some((one) => one['id'] === refused && 'result' in one));
      });
    }

    it('keeps serving after a restart', async () => {
      await gateway.restart(subject.name);
      await client.close();
      client = await subject.connect(gateway);
      const clientInfo = { name: 'contract', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      assert.ok('result' in (await request('initialize', params)));
      assert.deepEqual((await request('ping'))['result'], {});
    });

    it('stops while a client is connected', async () => {
      await gateway.stop();
    });
  });
}
