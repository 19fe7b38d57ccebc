import { expect } from 'chai';
import { hostOverHttp } from '../../conformance/fixtureHost.ts';
import { eventually } from '../../contract/index.ts';
import { relayServer } from '../../support/relayServer.ts';
import { startTraced } from './support.ts';
import type { Traced } from './support.ts';
import { programAt } from '../../support/programs.ts';

const RELAY = programAt('test/support/relayServer.ts');
const OF_SERVER = 'planted in the definition';
const OF_INPUT = 'planted-in-an-input';
const WORKFLOW = `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: open }
spec:
  description: Passes a secret on
  args: { pin: { type: string, required: true, sensitive: true } }
  steps: [{ id: one, tool: x_child_meta, args: { value: 'pin {{ .input.pin }}' } }]
`;

describe('tracing: content', () => {
  let traced: Traced;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  before(async () => {
    server = await hostOverHttp(relayServer);
    const web = { type: 'streamable-http', url: server.url, headers: { 'x-own': OF_SERVER } };
    traced = await startTraced({
      files: {
        'config.yaml': JSON.stringify({ plugins: { tracing: { config: { content: true } } } }),
        'mcpservers/web.yaml': JSON.stringify(web),
        'mcpservers/child.yaml': JSON.stringify({
          type: 'stdio',
          autoStart: true,
          command: [process.execPath, ...RELAY, 'stdio'],
        }),
        'workflows/open.yaml': WORKFLOW,
      },
    });
    const { log } = traced.gateway;
    const connected = (): boolean => log.filter(({ text }) => text === 'server connected').length === 2;
    await eventually(connected, 'both servers', 10_000);
    await traced.spans(1);
  });
  after(async () => {
    await traced.stop();
    await server.close();
  });
  /** Arguments and result of the one call to a server. */
  async function recorded(name: string, args: object, spans = 3): Promise<Readonly<Record<string, string>>> {
    traced.receiver.spans.length = 0;
    await traced.call(name, args);
    const received = await traced.spans(spans);
    const others = received.filter(({ kind }) => kind !== 3);
    expect(JSON.stringify(others)).not.include('gen_ai.tool.call.');
    const attributes = received.find(({ kind }) => kind === 3)?.attributes ?? {};
    const texts: Record<string, string> = {};
    for (const [name, value] of Object.entries(attributes))
      if (name.startsWith('gen_ai.tool.call.') && typeof value === 'string') texts[name.slice(17)] = value;
    return texts;
  }

  it('is arguments and result of calls to servers, without known secrets', async () => {
    const args = { note: 'hello', password: 'short', nested: [{ apiKey: 12 }], own: `a ${OF_SERVER}` };
    const { arguments: given = '', result = '' } = await recorded('x_web_headers', args);
    expect(JSON.parse(given)).deep.equal({
      note: 'hello',
      password: '[redacted]',
      nested: [{ apiKey: '[redacted]' }],
      own: 'a [redacted]',
    });
    // The server answers with the headers that it received.
    expect(result).include('x-own').include('[redacted]').not.include(OF_SERVER);
  });

  it('hides sensitive inputs of workflows', async () => {
    const { arguments: given = '' } = await recorded('workflow_open', { pin: OF_INPUT }, 5);
    expect(JSON.parse(given)).deep.equal({ value: 'pin [redacted]' });
    expect(JSON.stringify(traced.receiver.spans)).not.include(OF_INPUT);
  });

  it('is cut, and left out if it is too large to be searched', async () => {
    expect((await recorded('x_child_meta', { text: 'x'.repeat(10_000) }))['arguments']).length(8_193);
    expect((await recorded('x_child_meta', { text: 'x'.repeat(1_000_001) }))['arguments']).equal(
      '[too large]',
    );
  });

  it('is switched off and on by an edit of config.yaml, at once', async () => {
    const tracer = traced.gateway.log.length;
    await traced.gateway.configure({ tracing: { config: { content: false } } });
    expect(await recorded('x_child_meta', { note: 'hello' })).deep.equal({});
    await traced.gateway.configure({ tracing: { config: { content: true, maxContentChars: 100 } } });
    expect(await recorded('x_child_meta', { note: 'hello' })).include({ arguments: '{"note":"hello"}' });
    expect(traced.gateway.log.slice(tracer).map(({ text }) => text)).not.include('server connected');
  });
});
