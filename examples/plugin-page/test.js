/* global fetch, URLSearchParams */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { eventually, mcpClient, startGateway } from 'pegboard/testing';

const module = fileURLToPath(import.meta.resolve('./index.js'));
const aggregator = { port: 0, admin: { enabled: true, port: 0 } };
const config = (entry) => JSON.stringify({ aggregator, plugins: { 'tool-counts': entry } });

describe('plugin page', () => {
  let gateway;
  let url;
  before(async () => {
    gateway = await startGateway({ files: { 'config.yaml': config({ module }) } });
    url = gateway.log.find(({ text }) => text === 'admin pages are served').data.url.replace(/\/$/, '');
    const client = await mcpClient(gateway.url());
    await client.callTool('core_service_list');
  });
  after(() => gateway.stop());

  const read = async (path, accept = 'text/html') => {
    const answer = await fetch(url + path, { headers: { accept } });
    return { status: answer.status, text: await answer.text() };
  };

  it('is in the navigation, and shows what its JSON says', async () => {
    assert.match((await read('/')).text, /<a href="\/tool-counts">Tool counts<\/a>/);
    assert.match((await read('/tool-counts')).text, /core_service_list/);
    const { items } = JSON.parse((await read('/tool-counts', 'application/json')).text);
    assert.deepEqual(
      items.filter(({ tool }) => tool === 'core_service_list'),
      [{ tool: 'core_service_list', count: 1 }],
    );
  });

  it('takes its form from its own page only', async () => {
    const [, token] = /name="token" value="([^"]+)"/.exec((await read('/tool-counts')).text);
    const post = (origin, fields = {}) =>
      fetch(`${url}/tool-counts/reset`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin },
        body: new URLSearchParams(fields),
      });
    assert.equal((await post('http://evil.example', { token })).status, 403);
    assert.equal((await post(url)).status, 403);
    assert.equal((await post(url, { token })).status, 303);
    assert.match((await read('/tool-counts')).text, /No tool was called/);
  });

  it('is gone with its plugin, without a restart', async () => {
    writeFileSync(join(gateway.directory, 'config.yaml'), config(false));
    await gateway.control.reload();
    assert.equal((await read('/tool-counts')).status, 404);
    await eventually(async () => !(await read('/')).text.includes('Tool counts'), 'it left the navigation');
  });
});
