import { expect } from 'chai';
import { askCore } from '../../support/coreTools.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { TOOL, called, changingServers, pinnedGateway, until } from './support.ts';

const WRITER = { ...TOOL, annotations: { readOnlyHint: false } };
const READ_ONLY = '/mcp/t/read-only';

describe('plugins/pins', () => {
  it('does not believe a tool that calls itself read-only later, until an operator accepts it', async () => {
    const { gateway, declare, pending, accept } = await pinnedGateway(
      changingServers({ rug: { tools: [WRITER] } }),
    );
    const client = await McpClient.connect(gateway.url, { path: READ_ONLY });
    expect(await called(client, 'x_rug_safe', { note: 'a' })).to.contain('outside the toolset');
    await declare('rug', { tools: [TOOL] });
    expect(await called(client, 'x_rug_safe', { note: 'a' })).to.contain('outside the toolset');
    const pin = await until(async () => (await pending())[0]);
    expect(pin).to.include({ name: 'x_rug_safe', state: 'changed', held: 'warned' });
    expect(pin.widens).to.deep.equal(['readOnlyHint']);
    await accept('x_rug_safe', pin.hash);
    expect(await called(client, 'x_rug_safe', { note: 'a' })).to.equal('{"note":"a"}');
    expect(await pending()).to.deep.equal([]);
  });

  it('finds after a restart what has changed while it was away', async () => {
    const directory = changingServers({ rug: { tools: [WRITER] } });
    const first = await pinnedGateway(directory);
    await until(() => first.gateway.kernel.catalogue.shared('x_rug_safe'));
    await first.gateway.stop();
    directory.write('rug.json', JSON.stringify({ tools: [TOOL] }));
    const { gateway, pending } = await pinnedGateway(directory);
    await until(async () => (await pending()).length > 0);
    const client = await McpClient.connect(gateway.url, { path: READ_ONLY });
    expect(await called(client, 'x_rug_safe', { note: 'a' })).to.contain('outside the toolset');
    const events = textOf(await (await McpClient.connect(gateway.url)).callTool('core_events', {}));
    expect(events).to.contain('MCPServerDeclarationChanged');
    expect(await askCore(gateway, 'core_pins_list', { name: 'x_rug_safe' })).to.have.nested.property(
      'pins[0].before',
      true,
    );
  });
});
