import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

describe('examples/isolate', function () {
  this.timeout(60_000);
  before(function () {
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    if (process.platform !== 'linux' || !folders.some((at) => existsSync(join(at, 'bwrap')))) this.skip();
  });

  it('serves a real server in a sandbox, which reads what is granted and writes nothing', async () => {
    // Of root the kernel counts no processes.
    const limits = process.getuid?.() === 0 ? ['--set', 'plugins.isolate.config.processes=0'] : [];
    const state = makeDirectory();
    const pegboard = await servePegboard('examples/isolate', ['--state-path', state.path, ...limits]);
    const client = await McpClient.connect(pegboard.url);
    let status = '';
    await until(
      async () => {
        status = textOf(await client.callTool('core_service_status', { name: 'notes' }));
        return status.includes('"running"');
      },
      { what: 'the server runs', withinMs: 20_000 },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${status}`);
    });
    expect(status).contain('sandbox; network no host; files ');
    const read = await client.callTool('x_notes_read_text_file', { path: 'today.md' });
    expect(textOf(read)).equal(readFileSync('examples/isolate/notes/today.md', 'utf8'));
    const written = await client.callTool('x_notes_write_file', { path: 'new.md', content: 'x' });
    expect(textOf(written)).match(/EROFS|read-only/i);
    expect(existsSync('examples/isolate/notes/new.md')).equal(false);
  });
});
