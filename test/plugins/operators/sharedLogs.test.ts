import { expect } from 'chai';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { until } from '../../support/until.ts';

/** Writes on standard error what it is asked. */
const TELLTALE = `
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') { console.error('QUERY ' + JSON.stringify(params.arguments)); answer(id, { content: [] }); }
});`;
const CONFIG = `
operators: { groups: [platform] }
plugins:
  test-identify: { module: ./identify.mjs }
`;
const server = (more: object): string =>
  JSON.stringify({ type: 'stdio', command: [process.execPath, '-e', TELLTALE], ...more });

describe('operators: lines that servers write on standard error', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      files: {
        'config.yaml': CONFIG,
        'identify.mjs': moduleOf(identify),
        'mcpservers/all.yaml': server({ autoStart: true }),
        'mcpservers/own.yaml': server({ autoStart: true, instances: 'perCaller' }),
      },
      builtIns: 'all',
    });
  });
  after(() => gateway.stop());

  const as = async (subject: string, group: string) => {
    const headers = { 'x-caller': `https://idp.example ${subject} ${group}` };
    const client = await McpClient.connect(gateway.url(), { headers });
    return async (name: string, args: object): Promise<string> =>
      textOf(await client.callMeta('call_tool', { name, arguments: args }));
  };

  it('are for operators if all callers share the process, and else those of the caller’s own', async () => {
    const [alice, bob, op] = [await as('alice', 'a'), await as('bob', 'b'), await as('op', 'platform')];
    for (const name of ['all', 'own'])
      await until(async () => !(await alice(`x_${name}_ask`, { of: 'alice' })).includes('not found'));
    await until(async () => (await op('core_server_logs', { server: 'all' })).includes('alice'));
    await until(async () => (await alice('core_server_logs', { server: 'own' })).includes('alice'));
    await bob('x_own_ask', { of: 'bob' });
    await until(async () => (await bob('core_server_logs', { server: 'own' })).includes('bob'));
    expect(await bob('core_server_logs', { server: 'own' })).not.contain('alice');
    expect(await bob('core_server_logs', { server: 'all' }))
      .contain('the lines of server all, whose process all callers share, are for operators')
      .and.not.contain('alice');
  });
});
