import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { mcpClient, startGateway } from 'pegboard/testing';

const module = fileURLToPath(import.meta.resolve('./index.js'));

describe('plugin rename', () => {
  let gateway;
  afterEach(() => gateway?.stop());
  const started = async (names) => {
    gateway = await startGateway({ plugins: { rename: { module, config: { names } } } });
    return mcpClient(gateway.url());
  };

  it('gives a tool another name, by which alone it is found and called', async () => {
    const client = await started({ core_service_list: 'which_servers' });
    assert.equal((await client.callTool('which_servers')).isError ?? false, false);
    const [{ text }] = (await client.callTool('core_service_list')).content;
    assert.match(text, /tool not found: core_service_list/);
  });

  it('renames again at a live change', async () => {
    const client = await started({ core_service_list: 'which_servers' });
    await gateway.configure({ rename: { module, config: { names: { core_service_list: 'servers' } } } });
    assert.equal((await client.callTool('servers')).isError ?? false, false);
  });

  it('refuses one name for two tools', async () => {
    const failure = await started({ a: 'same', b: 'same' }).catch((error) => error);
    assert.match(JSON.stringify(failure.issues), /two tools are named same/);
  });
});
