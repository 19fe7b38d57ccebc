import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { makeDirectory } from '../support/directory.ts';
import { EVERYTHING } from '../support/everything.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { processesBelow, processesNaming } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const ECHO = 'x_thing_echo';

describe('e2e: the states of a service', function () {
  this.timeout(60_000);

  it('core_service_stop writes the file and lasts over a restart of Pegboard, until core_service_start', async () => {
    const directory = makeDirectory({
      'mcpservers/thing.yaml': `# mine\ntype: stdio\ncommand: ${JSON.stringify([process.execPath, EVERYTHING, 'stdio'])}\nautoStart: true\n`,
    });
    const fileText = (): string => readFileSync(directory.at('mcpservers/thing.yaml'), 'utf8');
    const first = await servePegboard(directory.path);
    const client = await McpClient.connect(first.url);
    await inState(client, 'running');
    expect(await listed(client)).include(ECHO);
    await client.callTool('core_service_stop', { name: 'thing' });
    expect(fileText())
      .match(/^# mine\n/)
      .and.match(/^suspended: true$/m);
    expect(await stateOf(client)).equal('stopped');
    expect(await listed(client)).not.include(ECHO);
    await first.stop();

    const second = await servePegboard(directory.path);
    const again = await McpClient.connect(second.url);
    expect(await stateOf(again)).equal('stopped');
    expect(await listed(again)).not.include(ECHO);
    await again.callTool('core_service_start', { name: 'thing' });
    expect(fileText()).not.match(/^suspended: true$/m);
    expect(await stateOf(again)).equal('running');
    expect(await listed(again)).include(ECHO);
    const before = serversOf(second);
    expect(before).not.deep.equal([]);
    await again.callTool('core_service_restart', { name: 'thing' });
    expect(await stateOf(again)).equal('running');
    const after = serversOf(second);
    expect(after).length(before.length);
    expect(after.filter((pid) => before.includes(pid))).deep.equal([]);
  });
});

async function statusOf(client: McpClient): Promise<Readonly<Record<string, unknown>>> {
  const text = textOf(await client.callTool('core_service_status', { name: 'thing' }));
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
async function stateOf(client: McpClient): Promise<unknown> {
  return (await statusOf(client))['state'];
}
async function inState(client: McpClient, state: string): Promise<void> {
  await until(async () => (await stateOf(client)) === state, { what: `thing is ${state}`, withinMs: 20_000 });
}
function serversOf({ pid }: Pegboard): readonly number[] {
  const named = processesNaming(EVERYTHING);
  return processesBelow(pid).filter((one) => named.includes(one));
}
async function listed(client: McpClient): Promise<readonly string[]> {
  const { tools } = JSON.parse(textOf(await client.callMeta('list_tools', { limit: 200 }))) as {
    tools: readonly { readonly name: string }[];
  };
  return tools.map(({ name }) => name);
}
