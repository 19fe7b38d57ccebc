import { appendFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { verifyTrail } from '../../../plugins/audit/verifyTrail.ts';
import { makeDirectory } from '../../support/directory.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { servePegboard } from '../../support/serve.ts';

describe('audit of a killed process', () => {
  const directory = makeDirectory({ 'config.yaml': 'plugins: { audit: { config: { headMs: 10 } } }\n' });
  const trail = directory.at('state/audit');
  mkdirSync(directory.at('state'), { mode: 0o700 });
  const newest = (): string => `${trail}/${readdirSync(trail).sort().at(-1) ?? ''}`;
  const listTools = async (url: string): Promise<void> => {
    const client = await McpClient.connect(url);
    await Promise.all(
      Array.from({ length: 20 }, () => client.request('tools/call', { name: 'list_tools', arguments: {} })),
    );
  };

  it('holds every call that was answered, and continues behind half a line', async () => {
    const first = await servePegboard(directory.path);
    await listTools(first.url);
    await first.kill();
    expect(readFileSync(newest(), 'utf8').match(/"type":"begun"/g)).length(20);
    // Half a line, as left by a kill in the middle of a write.
    appendFileSync(newest(), '{"seq":99,"ti');
    const second = await servePegboard(directory.path);
    await listTools(second.url);
    await second.stop();
    expect(readFileSync(newest(), 'utf8')).include('{"type":"recovered","cutBytes":13}');
    expect((await verifyTrail(trail)).verification).include({ ok: true, files: 1 });
  });
});
