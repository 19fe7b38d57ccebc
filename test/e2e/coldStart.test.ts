import { existsSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { join } from 'node:path';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { ToolTable } from '../../kernel/index.ts';
import { hostile, temporaryFolder } from '../plugins/upstream/support.ts';
import { defer } from '../support/cleanup.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import type { ClientResult } from '../support/mcpClient.ts';

describe('e2e: a first start', () => {
  let gateway: TestGateway;
  let gate: string;
  let client: McpClient;

  /** `late` connects after open() was called. */
  const start = async (
    config: JsonObject = {},
    servers: Readonly<Record<string, JsonObject>> = {},
    mode = 'gated',
  ) => {
    const folder = temporaryFolder();
    defer(folder.remove);
    gate = join(folder.path, 'open');
    const late = hostile(mode, { timeout: 60 }, gate);
    const specs = Object.entries({ late, ready: hostile(), ...servers });
    gateway = await startGateway({
      files: Object.fromEntries(
        specs.map(([name, spec]) => [`mcpservers/${name}.yaml`, JSON.stringify(spec)]),
      ),
      plugins: { metatools: { config } },
    });
    defer(() => gateway.stop());
    await has('x_ready_echo');
    client = await McpClient.connect(gateway.url());
  };
  const has = (tool: string): Promise<unknown> =>
    eventually(() => gateway.get(ToolTable).shared(tool) !== undefined, tool, 10_000);
  const open = (): void => writeFileSync(gate, '');
  const answerOf = (result: ClientResult): JsonObject => JSON.parse(textOf(result)) as JsonObject;
  const namesIn = ({ tools }: JsonObject): readonly string[] =>
    (tools as readonly { readonly name: string }[]).map(({ name }) => name);

  it('searches and lists name the servers that are still connecting', async () => {
    await start({ startingWaitMs: 0 });
    const search = answerOf(await client.callMeta('filter_tools', { query: 'paint a zebra' }));
    expect(search).deep.include({ servers_starting: ['late'] });
    expect(search['hint']).contain('servers_starting are still connecting; search again');
    expect(answerOf(await client.callMeta('list_tools'))).deep.include({ servers_starting: ['late'] });
    const unknown = await client.callMeta('describe_tool', { name: 'paint' });
    expect(textOf(unknown)).contain('tool not found: paint; servers are still connecting: late');
    open();
    await has('x_late_echo');
    expect(answerOf(await client.callMeta('list_tools'))).not.have.property('servers_starting');
  });

  it('a search without a sure match waits for the servers', async () => {
    await start({ startingWaitMs: 60_000 });
    const searching = client.callMeta('filter_tools', { pattern: 'x_late_ec*' });
    open();
    expect(namesIn(answerOf(await searching))).contain('x_late_echo');
  });

  it('a search with a sure match does not wait', async () => {
    await start({ startingWaitMs: 3_600_000 });
    const found = answerOf(await client.callMeta('filter_tools', { pattern: 'x_ready_echo' }));
    expect(namesIn(found)).deep.equal(['x_ready_echo']);
    expect(found)
      .deep.include({ servers_starting: ['late'] })
      .and.not.have.property('hint');
  });

  it('calls and descriptions of tools wait for their server, known tools included', async () => {
    await start();
    const called = client.callTool('x_late_echo', { message: 'waited' });
    const described = client.callMeta('describe_tool', { name: 'x_late_echo' });
    open();
    expect(textOf(await called)).equal('waited');
    expect(answerOf(await described)).include({ name: 'x_late_echo' });
  });

  it('calls wait for a server that has answered only some of its lists', async () => {
    await start({}, {}, 'gatedPrompts');
    await eventually(() => existsSync(`${gate}.asked`), 'the prompts are listed');
    const called = client.callTool('x_late_echo', { message: 'waited' });
    // Asked after the call, answered before it.
    await client.listTools();
    open();
    expect(textOf(await called)).equal('waited');
  });

  it('a call that its client has cancelled does not wait', async () => {
    await start();
    const gone = client.post({
      jsonrpc: '2.0',
      id: 'c',
      method: 'tools/call',
      params: { name: 'call_tool', arguments: { name: 'x_late_echo' } },
    });
    // Asked after the call, answered before it.
    await client.listTools();
    await client.notify('notifications/cancelled', { requestId: 'c', reason: 'enough' });
    expect((await gone).messages[0]?.error?.message).equal('the request was cancelled: enough');
  });

  it('a call to a server that is stopped, was never started or fails to start does not name another server instead', async () => {
    const stopped = hostile('plain', { suspended: true });
    const resting = hostile('plain', { autoStart: false });
    await start({}, { stopped, resting, broken: hostile('exits') });
    const failed = (): boolean => gateway.log.some(({ text }) => text === 'server could not be connected');
    await eventually(failed, 'the failure');
    const refusal = async (name: string): Promise<string> => textOf(await client.callTool(name));
    expect(await refusal('x_stopped_echo')).equal(
      'server not found: stopped (stopped); start it with core_service_start',
    );
    expect(await refusal('x_resting_echo')).equal(
      'server not found: resting (stopped); start it with core_service_start',
    );
    expect(await refusal('x_broken_echo')).match(/^server broken is away: its process .*; the next attempt/);
    const explained = answerOf(await client.callMeta('explain_tool', { name: 'x_stopped_echo' }));
    expect(explained).include({ remedy: 'start it with core_service_start' }).and.not.have.property('near');
    // A misspelt name of a known server is answered differently.
    expect(await refusal('x_ready_ecko')).contain('did you mean x_ready_echo');
  });
});
