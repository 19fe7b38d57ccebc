import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../kernel/index.ts';
import { listenerUrl } from '../../support/edge.ts';
import { EVERYTHING } from '../../support/everything.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { until } from '../../support/until.ts';
import { programAt } from '../../support/programs.ts';

const REPLAY = programAt('plugins/cassettes/replay.ts');
const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'metatools', 'toolsets', 'core-services'],
  ...['store-file', 'core-mcpservers', 'upstream', 'cassettes'],
];
const SECRET = 'planted-secret-4711';
const CALLS: readonly (readonly [string, JsonObject])[] = [
  ['echo', { message: 'héllo\n"there"' }],
  ['get-sum', { a: 1, b: 2 }],
  ['get-tiny-image', {}],
  ['get-structured-content', { location: 'New York' }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-sum', { a: 'no number' }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
];

describe('record and pegboard-replay', function () {
  this.timeout(30_000);

  const serve = async (definition: JsonObject, plugins: JsonObject): Promise<[Gateway, McpClient]> => {
    const gateway = await bootGateway({
      builtIns: BUILT_INS,
      files: {
        'config.yaml': JSON.stringify({ aggregator: { port: 0 }, plugins }),
        'state/.keep': '',
        'mcpservers/all.yaml': JSON.stringify({ type: 'stdio', autoStart: true, ...definition }),
      },
    });
    const isThere = (): boolean => gateway.kernel.catalogue.shared('x_all_echo') !== undefined;
    await until(isThere, { what: 'the server is there', withinMs: 15_000 });
    return [gateway, await McpClient.connect(listenerUrl(gateway))];
  };
  /** The answer as text, without the id. */
  const bodyOf = async (client: McpClient, name: string, args: JsonObject): Promise<string> => {
    const params = { name: 'call_tool', arguments: { name: `x_all_${name}`, arguments: args } };
    const { text } = await client.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    return text;
  };
  const describeAll = (client: McpClient): Promise<readonly unknown[]> =>
    Promise.all(
      [...new Set(CALLS.map(([name]) => name))].map((name) =>
        client.callMeta('describe_tool', { name: `x_all_${name}` }),
      ),
    );

  it('replay a recorded server byte for byte in another gateway, from a cassette without its secrets', async () => {
    const [first, live] = await serve(
      { command: [process.execPath, EVERYTHING, 'stdio'], env: { TOKEN: SECRET } },
      { cassettes: { config: { servers: ['a*'] } } },
    );
    const answers: string[] = [];
    for (const [name, args] of CALLS) answers.push(await bodyOf(live, name, args));
    // Its environment, secrets included.
    expect(await bodyOf(live, 'get-env', {})).contain(SECRET);
    const tools = await describeAll(live);
    await first.stop();

    const cassette = first.directory.at('state/cassettes/all.jsonl');
    const recorded = readFileSync(cassette, 'utf8');
    expect(recorded).not.contain(SECRET);
    expect(recorded).contain('TOKEN').and.contain('[redacted]');

    const [, replayed] = await serve({ command: [process.execPath, ...REPLAY, cassette] }, {});
    expect(await describeAll(replayed)).deep.equal(tools);
    for (const [at, [name, args]] of CALLS.entries())
      expect(await bodyOf(replayed, name, args), name).equal(answers[at]);
    expect(await bodyOf(replayed, 'echo', { message: 'never said' })).contain(
      'is recorded; the nearest recorded call has',
    );
  });
});
