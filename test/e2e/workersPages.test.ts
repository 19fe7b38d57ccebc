import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { McpClient } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';

describe('e2e: the admin pages of workers', function () {
  this.timeout(60_000);

  it('are served by the first process', async () => {
    const port = await freePort();
    const aggregator = { admin: { enabled: true, port } };
    const directory = makeDirectory({ 'config.yaml': JSON.stringify({ aggregator }) });
    const pegboard = await servePegboard(directory.path, ['--workers', '2']);
    const served = pegboard.lines.filter(({ text }) => text === 'admin pages are served');
    expect(served.map(({ worker }) => worker)).deep.equal([undefined]);
    await McpClient.connect(pegboard.url);
    expect((await fetch(`http://127.0.0.1:${port}/sessions`)).status).equal(200);
  });
});
