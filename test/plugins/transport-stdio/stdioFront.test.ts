import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { definePlugin, jsonResult, readSchema, RequestGate } from '../../../kernel/index.ts';
import { ownerOf } from '../../../plugins/kit/authority/ownerOf.ts';
import { Front } from '../../../plugins/contracts/mcp.ts';
import type { Plugin } from '../../../kernel/index.ts';
import { StdioFront } from '../../../plugins/transport-stdio/stdioFront.ts';
import type { StdioConfig } from '../../../plugins/transport-stdio/config.ts';
import { callBody, initializeBody, metaTool, startEdge, testTools } from '../../support/edge.ts';
import type { EdgeOptions, TestTools } from '../../support/edge.ts';
import type { RpcMessage } from '../../support/mcpClient.ts';
import { until, within } from '../../support/until.ts';

interface Stdio {
  readonly tools: TestTools;
  readonly say: (...messages: unknown[]) => void;
  readonly input: PassThrough;
  readonly lines: () => string[];
  readonly heard: (count: number) => Promise<RpcMessage[]>;
  readonly ends: string[];
  readonly stop: () => Promise<void>;
}

/** The real front on streams of the test instead of the process's own. */
async function openStdio(config: Partial<StdioConfig> = {}, more: EdgeOptions = {}): Promise<Stdio> {
  const tools = testTools();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ends: string[] = [];
  let stop: () => Promise<void> = () => Promise.resolve();
  const stdio: Plugin = definePlugin<StdioConfig>({
    name: 'test-stdio',
    api: 1,
    edge: true,
    configSchema: readSchema('config/transport-stdio'),
    requires: [Front, RequestGate],
    apply: (scope) => {
      const front = new StdioFront(scope, { input, output }, () => ends.push('end'));
      scope.onStart(() => front.start());
      scope.onStop(() => front.stop());
      stop = () => front.stop();
    },
  });
  const entry = { module: './test-stdio.mjs', config: { maxLineBytes: 1_024, ...config } };
  const plugins = { http: false, 'test-stdio': entry };
  await startEdge({ tools: tools.tools, plugin: stdio, plugins, ...more });
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const lines = (): string[] => text.split('\n').slice(0, -1);
  const say = (...messages: unknown[]): void => {
    for (const one of messages) input.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
  };
  const heard = async (count: number): Promise<RpcMessage[]> => {
    await until(() => lines().length >= count, { what: `${count} lines on stdout` });
    return lines().map((line) => JSON.parse(line) as RpcMessage);
  };
  return { tools, say, input, lines, heard, ends, stop: () => stop() };
}

describe('transport-stdio', () => {
  it('answers each message with one line, also a result that contains line breaks', async () => {
    const { say, heard } = await openStdio();
    say(initializeBody('2025-06-18'), callBody('multiline'));
    const [init, result] = await heard(2);
    expect(init?.result).include({ protocolVersion: '2025-06-18' });
    expect(result?.result?.['content']).deep.equal([{ type: 'text', text: 'a\nb' }]);
  });

  it('accepts the messages that follow initialize without waiting for its answer', async () => {
    const { say, heard } = await openStdio();
    say(
      initializeBody(),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      callBody('echo', { a: 1 }),
    );
    expect(JSON.stringify((await heard(2))[1])).include('{\\"a\\":1}');
  });

  it('answers garbage with a parse error and keeps serving', async () => {
    const { say, heard } = await openStdio();
    say(initializeBody(), 'hello', '{', '', '   ', callBody('echo'));
    const answers = await heard(4);
    expect(answers.map(({ id, error }) => error?.code ?? id)).have.members([0, -32700, -32700, 1]);
  });

  it('refuses a line over the limit once, skips it to its end and continues', async () => {
    const { say, heard } = await openStdio();
    say(initializeBody(), callBody('echo', { text: 'x'.repeat(5_000) }), callBody('echo', {}, { id: 2 }));
    const answers = await heard(3);
    expect(answers.map(({ id, error }) => error?.code ?? id)).have.members([0, -32600, 2]);
  });

  it('answers a message that is refused before there is a session under its id, so that no client waits', async () => {
    const { say, heard } = await openStdio();
    say({ jsonrpc: '2.0', id: 'd', method: 'server/discover' }, initializeBody());
    const [refused, init] = await heard(2);
    expect(refused).include({ id: 'd' });
    expect(refused?.error?.message).include('initialize');
    expect(init?.result).have.property('protocolVersion');
  });

  for (const how of ['a reply', 'an error']) {
    it(`answers a request that a guard refuses with ${how}, and sends nothing to a notification`, async () => {
      const guard = definePlugin({
        name: 'test-guard',
        api: 1,
        configSchema: { type: 'object' },
        apply: (scope) =>
          scope.tap('onRequest', () => {
            if (how === 'an error') throw new Error('the secret is 4711');
            return { status: 401 };
          }),
      });
      const { say, heard, lines } = await openStdio({}, { morePlugins: [guard] });
      say({ jsonrpc: '2.0', method: 'notifications/x' }, 'garbage', initializeBody());
      const [refused] = await heard(1);
      expect(refused).include({ jsonrpc: '2.0', id: 0 });
      expect(refused?.error?.message).include('refused');
      expect(lines().join()).not.include('4711');
    });
  }

  it('sends progress before the answer', async () => {
    const { say, heard } = await openStdio();
    say(initializeBody(), callBody('progress', {}, { _meta: { progressToken: 'p' } }));
    const heardAll = await heard(5);
    expect(heardAll.slice(1, 4).map(({ params }) => params?.['progress'])).deep.equal([1, 2, 3]);
    expect(heardAll[4]).include({ id: 1 });
  });

  it('cancels on notification and sends no answer then', async () => {
    const { say, heard, tools } = await openStdio();
    say(initializeBody(), callBody('slow', {}, { id: 7 }));
    const [waiting] = await tools.started(1);
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await until(() => waiting?.call.cancel.reason, { what: 'the call is cancelled' });
    say(callBody('echo', {}, { id: 8 }));
    expect((await heard(2)).map(({ id }) => id)).deep.equal([0, 8]);
  });

  it('requests its exit at the end of input, and answers requests under way before it stops', async () => {
    const { say, heard, tools, input, ends, stop } = await openStdio();
    say(initializeBody(), callBody('slow'));
    const [waiting] = await tools.started(1);
    input.end(JSON.stringify(callBody('echo', {}, { id: 2 })));
    await until(() => ends.length > 0, { what: 'the end is asked for' });
    const stopped = stop();
    waiting?.finish();
    await within(stopped);
    expect((await heard(3)).map(({ id }) => id)).have.members([0, 1, 2]);
  });

  it('waits for requests under way up to the limit, and cancels them then', async () => {
    const { say, tools, lines, stop } = await openStdio({ stopGraceMs: 50 });
    say(initializeBody(), callBody('slow'));
    const [waiting] = await tools.started(1);
    await within(stop());
    expect(waiting?.call.cancel.reason).equal('the session ended');
    expect(lines()).length(1);
  });

  it('has one owner in all processes, and a session of its own in each', async () => {
    const whose = metaTool('whose', (_, { request }) =>
      jsonResult({ owner: ownerOf(request), session: request.sessionId }),
    );
    const asked = async (): Promise<{ owner: string; session: string }> => {
      const { say, heard } = await openStdio({}, { tools: [whose] });
      say(initializeBody(), callBody('whose'));
      const [, answer] = await heard(2);
      const [item] = answer?.result?.['content'] as { text: string }[];
      return JSON.parse(item?.text ?? '') as { owner: string; session: string };
    };
    const [one, other] = [await asked(), await asked()];
    expect(one.owner).equal('stdio').and.equal(other.owner);
    expect(one.session).not.equal(other.session);
  });

  it('accepts batches on a 2025-03-26 session', async () => {
    const { say, heard } = await openStdio();
    say(initializeBody('2025-03-26'), [callBody('echo'), callBody('echo', {}, { id: 2 })]);
    const [, batch] = await heard(2);
    expect((batch as unknown as RpcMessage[]).map(({ id }) => id)).deep.equal([1, 2]);
  });
});
