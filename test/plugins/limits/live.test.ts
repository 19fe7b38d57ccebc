import { expect } from 'chai';
import { textResult } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { listenerUrl, toolsPlugin } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { McpClient, RpcError } from '../../support/mcpClient.ts';
import { toolOf } from '../../support/kernel.ts';

const BUILT_INS = ['http', 'front', 'transport-http', 'metatools', 'toolsets', 'limits'];

/** The quotas of workers, which grant every call. */
const QUOTAS = `
const Quotas = { id: 'quotas', cardinality: 'one' };
export const plugin = {
  name: 'quotas',
  api: 1,
  configSchema: { type: 'object' },
  provides: [Quotas],
  apply: (scope) =>
    scope.provide(Quotas, { areLocal: true, draw: async (_, __, { calls, hold }) => ({ calls, held: hold, waitMs: 0 }) }),
};
`;

describe('limits on a running gateway', () => {
  let gateway: Gateway;
  let client: McpClient;
  const configure = (limits: unknown, plugins: object = {}): string =>
    JSON.stringify({
      aggregator: { port: 0 },
      plugins: { tools: { module: './tools.mjs' }, ...plugins, ...(limits === undefined ? {} : { limits }) },
    });
  const reconfigure = async (limits: unknown, plugins?: object) => {
    gateway.directory.write('config.yaml', configure(limits, plugins));
    return gateway.pipeline.reload();
  };
  const call = (name: string) => client.request('tools/call', { name: 'call_tool', arguments: { name } });

  before(async () => {
    const tools = [toolOf('x_a_hello', { server: 'a', invoke: () => textResult('hello') })];
    const files = {
      'config.yaml': configure(undefined),
      'state/.keep': '',
      'quotas.mjs': QUOTAS,
      'tools.mjs': moduleOf(toolsPlugin('tools', tools)),
    };
    gateway = await bootGateway({ builtIns: BUILT_INS, files });
    client = await McpClient.connect(listenerUrl(gateway));
  });

  it('do not run until one is set', () => {
    expect(gateway.kernel.running.map(({ plugin }) => plugin.name)).not.include('limits');
  });

  it('refuse with a result and retryAfter, never with a protocol error', async () => {
    await reconfigure({ config: { perServer: { callsPerMinute: 1, burst: 2 } } });
    for (let at = 0; at < 2; at += 1) expect(await call('x_a_hello')).not.property('isError');
    const refused = await call('x_a_hello');
    expect(refused).include({ isError: true });
    const error = (refused['_meta'] as Record<string, Record<string, unknown>>)['pegboard.dev/error'];
    expect(error).include({ code: 'LIMIT_EXCEEDED' });
    expect(error?.['retryAfter']).within(50, 60);
  });

  it('keep their counts when the limits change', async () => {
    const { actions } = await reconfigure({ config: { perServer: { callsPerMinute: 2, burst: 2 } } });
    expect(actions).include({ limits: 'reload' });
    expect(await call('x_a_hello')).include({ isError: true });
  });

  it('are counted here again once there are no workers', async () => {
    const limits = { config: { perTool: { callsPerMinute: 600, burst: 600 } } };
    await reconfigure(limits, { quotas: { module: './quotas.mjs' } });
    expect(await call('x_a_hello')).not.property('isError');
    await reconfigure(limits);
    expect(await call('x_a_hello')).not.property('isError');
  });

  it('are refused, naming the key, when they are invalid', async () => {
    const { issues, applied } = await reconfigure({ config: { perServer: { callsPerMinut: 2 } } });
    expect(applied).equal(false);
    expect(issues[0]?.message).equal(
      'plugin limits: unknown key "callsPerMinut"; did you mean "callsPerMinute"?',
    );
  });

  it('are not shared without a store that processes share', async () => {
    const { issues, applied } = await reconfigure({ config: { perServer: { concurrent: 2 }, shared: true } });
    expect(applied).equal(false);
    expect(issues[0]?.message).include('configure plugins.vault-redis, or set shared: false');
  });

  it('end when they are removed from the configuration', async () => {
    const { actions } = await reconfigure(undefined);
    expect(actions).include({ limits: 'stop' });
    expect(await call('x_a_hello')).not.property('isError');
  });

  it('count reads of resources and prompts for their session', async () => {
    await reconfigure({ config: { perSession: { callsPerMinute: 1, burst: 2 } } });
    const reader = await McpClient.connect(listenerUrl(gateway));
    const refused = async (method: string, params: JsonObject): Promise<RpcError> => {
      const error = await reader.request(method, params).catch((thrown: unknown) => thrown);
      expect(error).instanceOf(RpcError);
      return error as RpcError;
    };
    expect((await refused('resources/read', { uri: 'unknown://resource' })).code).equal(-32002);
    expect((await refused('prompts/get', { name: 'none' })).code).equal(-32602);
    const { code, data } = await refused('resources/read', { uri: 'unknown://resource' });
    expect(code).equal(-32000);
    expect(data).include({ code: 'LIMIT_EXCEEDED' });
    expect((data as JsonObject)['retryAfter']).within(50, 60);
  });
});
