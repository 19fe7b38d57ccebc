import { request } from 'node:http';
import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import type { McpClient, TestGateway } from '../../contract/index.ts';
import { MemoryBudget } from '../../../plugins/contracts/memory.ts';
import type { Budget } from '../../../plugins/memory/budget.ts';
import { defer } from '../../support/cleanup.ts';
import { largeDefinition } from '../../support/largeDefinition.ts';
import type { LargeKind } from '../../support/largeServer.ts';

const MAX_BYTES = 1_000_000;
const FITS = 300_000;
const TOO_LARGE = 2_000_000;
const KINDS: readonly LargeKind[] = ['stdio', 'json', 'chunks', 'stream', 'sse'];

interface Rig {
  readonly gateway: TestGateway;
  readonly client: McpClient;
  readonly budget: Budget;
}

/** A gateway with one server of that kind, named `s`. */
async function start(
  kind: LargeKind,
  { memory = {}, files = {}, resultBudget = 0 }: Partial<Options> = {},
): Promise<Rig> {
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({
        aggregator: { port: 0, resultBudget },
        plugins: { memory: memory && { config: { maxBytes: MAX_BYTES, waitMs: 150, ...memory } } },
      }),
      'mcpservers/s.yaml': JSON.stringify(await largeDefinition(kind)),
      ...files,
    },
  });
  defer(() => gateway.stop());
  await eventually(() => gateway.log.some(({ text }) => text === 'server connected'), 'the server', 10_000);
  const [budget] = gateway.all(MemoryBudget);
  return { gateway, client: await mcpClient(gateway.url()), budget: budget as unknown as Budget };
}
interface Options {
  readonly memory: object | false;
  readonly files: Readonly<Record<string, string>>;
  readonly resultBudget: number;
}

/** The text of a result, and the code of its error. */
async function called(
  client: McpClient,
  tool: string,
  args: object,
): Promise<{ text: string; code: unknown }> {
  const { content, _meta } = await client.callTool(tool, args as never);
  const error = (_meta as { 'pegboard.dev/error'?: { code?: unknown } } | undefined)?.['pegboard.dev/error'];
  return { text: String(content[0]?.['text']), code: error?.code };
}

function connections({ gateway }: Rig): number {
  return gateway.log.filter(({ text }) => text === 'server connected').length;
}

describe('memory: answers of servers', () => {
  for (const kind of KINDS)
    for (const isIdLast of [false, true])
      it(`that fit are passed on, a larger one fails its call alone: ${kind}, id ${isIdLast ? 'last' : 'first'}`, async () => {
        const rig = await start(kind);
        const { client, budget } = rig;
        const whole = await called(client, 'x_s_large', { bytes: FITS, isIdLast });
        expect(whole.text).to.have.length(FITS + 1);
        const [large, small] = await Promise.all([
          called(client, 'x_s_large', { bytes: TOO_LARGE, isIdLast }),
          called(client, 'x_s_size', { a: 1 }),
        ]);
        expect(large.code, large.text).to.equal('MEMORY_FULL');
        expect(large.text).to.match(
          /^tool large of server s failed: its answer was not read: it has \d+ bytes or more, and /,
        );
        expect(large.text).to.contain('it may have run');
        expect(small.text).to.equal('7');
        expect((await called(client, 'x_s_large', { bytes: FITS, isIdLast })).text).to.have.length(FITS + 1);
        expect(connections(rig), 'the server stays connected').to.equal(1);
        await eventually(() => budget.used === 0, 'all is given back', 2_000);
      });

  it('wait while others take the memory, and are read when it is free', async () => {
    const { client, budget } = await start('json', { memory: { waitMs: 20_000 } });
    const other = budget.open('answer', 'other');
    const third = budget.open('answer', 'third');
    expect([other.size(700_000), third.size(200_000)]).to.deep.equal([true, true]);
    const call = called(client, 'x_s_large', { bytes: FITS });
    await eventually(() => [...budget.waits.samples()].length === 1, 'it waits', 5_000);
    expect((await called(client, 'x_s_size', {})).text, 'small calls go on').to.equal('2');
    other.size(0);
    expect((await call).text).to.have.length(FITS + 1);
    third.size(0);
  });

  it('fail with the numbers when they have waited long enough', async () => {
    const { client, budget } = await start('chunks');
    budget.open('answer', 'other').size(700_000);
    budget.open('answer', 'third').size(200_000);
    const { text, code } = await called(client, 'x_s_large', { bytes: FITS });
    expect(code).to.equal('MEMORY_FULL');
    expect(text).to.contain(
      'large messages take 900000 of 1000000 bytes of memory, 0 of them for this caller',
    );
    expect([...budget.refusals.samples()]).to.deep.equal([{ value: 1, labels: { use: 'answer' } }]);
  });

  it('are bounded one by one only without the plugin', async () => {
    const { client } = await start('stdio', { memory: false });
    expect((await called(client, 'x_s_large', { bytes: TOO_LARGE })).text).to.have.length(TOO_LARGE + 1);
  });
});

describe('memory: bodies of requests', () => {
  /** @param isChunked whether the length is not announced */
  function post(
    { gateway }: Rig,
    bytes: number,
    isChunked: boolean,
  ): Promise<{ status: number; retry: unknown; text: string }> {
    const args = {
      name: 'call_tool',
      arguments: { name: 'x_s_size', arguments: { text: 'y'.repeat(bytes) } },
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...args, _meta: ENVELOPE },
    });
    return new Promise((resolve, reject) => {
      const length = isChunked ? {} : { 'content-length': Buffer.byteLength(body) };
      const headers = { ...STATELESS, ...length };
      const req = request(`${gateway.url()}/mcp`, { method: 'POST', headers }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part: string) => (text += part));
        res.once('end', () =>
          resolve({ status: res.statusCode ?? 0, retry: res.headers['retry-after'], text }),
        );
      });
      req.once('error', reject);
      for (let at = 0; at < body.length; at += 50_000) req.write(body.slice(at, at + 50_000));
      req.end();
    });
  }
  const ENVELOPE = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const STATELESS = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'call_tool',
  };

  for (const isChunked of [false, true])
    it(`that fit are read, larger ones are refused with 503 and its reason: ${isChunked ? 'in chunks' : 'with their length'}`, async () => {
      const rig = await start('stdio');
      const read = await post(rig, FITS, isChunked);
      expect(read.status, read.text).to.equal(200);
      expect(read.text).to.contain(String(FITS + 11));
      const refused = await post(rig, 900_000, isChunked);
      expect(refused.status, refused.text).to.equal(503);
      expect(refused.retry).to.match(/^\d+$/);
      expect(refused.text).to.match(
        /it has \d+ bytes or more, and the messages of one caller may take 750000/,
      );
      expect((await called(rig.client, 'x_s_size', {})).text).to.equal('2');
      await eventually(() => rig.budget.used === 0, 'all is given back', 2_000);
    });

  it('give their memory back when their client leaves', async () => {
    const rig = await start('stdio', { memory: { waitMs: 20_000 } });
    const { gateway, budget } = rig;
    budget.open('request', 'other').size(700_000);
    budget.open('request', 'third').size(200_000);
    const headers = { ...STATELESS, 'content-length': 500_000 };
    const req = request(`${gateway.url()}/mcp`, { method: 'POST', headers });
    req.on('error', () => undefined);
    req.write('{"a":');
    await eventually(() => [...budget.waits.samples()].length === 1, 'it waits', 5_000);
    req.destroy();
    await eventually(() => budget.open('request', 'a').size(100_000), 'none waits before it', 5_000);
  });
});

describe('memory: runs of workflows, and stored results', () => {
  const step = (id: string): object => ({ id, tool: 'x_s_large', args: { bytes: FITS } });

  it('a run fails at the step whose result does not fit beside those that it keeps', async () => {
    const files = {
      'workflows/two.yaml': JSON.stringify({ steps: [step('a'), step('b')] }),
      'workflows/three.yaml': JSON.stringify({ steps: [step('a'), step('b'), step('c')] }),
    };
    const { client, budget } = await start('json', { files });
    expect((await called(client, 'workflow_two', {})).code).to.equal(undefined);
    const { text } = await called(client, 'workflow_three', {});
    expect(text).to.contain('step c failed: ').and.contain('take 600080 of 1000000 bytes');
    await eventually(() => budget.used === 0, 'all is given back', 2_000);
  });

  it('a run whose result was refused still cleans up', async () => {
    const tidy = { id: 'tidy', tool: 'x_s_size', args: { text: '{{ .workflow.name }}' } };
    const steps = [step('a'), step('b'), { ...step('c'), allowFailure: true }, { ...tidy, id: 'after' }];
    const files = { 'workflows/w.yaml': JSON.stringify({ steps, finally: [tidy] }) };
    const { client } = await start('json', { files });
    const { content } = await client.callTool('workflow_w', {});
    const { status, steps: told } = JSON.parse(String(content[0]?.['text'])) as {
      readonly status: string;
      readonly steps: readonly { readonly id: string; readonly status: string }[];
    };
    expect(told.map(({ id, status: how }) => `${id} ${how}`)).to.deep.equal([
      ...['a completed', 'b completed', 'c failed', 'after completed', 'tidy completed'],
    ]);
    expect(status).to.equal('completed');
  });

  it('a selection in a stored result waits for the memory that the result takes', async () => {
    const { client, budget } = await start('json', { resultBudget: 10_000 });
    const { text } = await called(client, 'x_s_large', { bytes: FITS, isStructured: true });
    const handle = /"handle": "([^"]+)"/.exec(text)?.[1];
    const select = { handle, select: '$.size' };
    budget.open('answer', 'other').size(600_000);
    const third = budget.open('answer', 'third');
    third.size(300_000);
    const refused = await client.callMeta('get_result', select);
    expect(JSON.stringify(refused.content)).to.contain('large messages take 900000 of 1000000');
    third.size(0);
    expect((await client.callMeta('get_result', select)).isError ?? false).to.equal(false);
  });
});
