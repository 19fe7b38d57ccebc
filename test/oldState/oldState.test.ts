import { expect } from 'chai';
import { chmodSync, cpSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';
import { bearer } from './steps.ts';
import type { Recorded } from './steps.ts';

const VERSIONS = join(ROOT, 'test/oldState');

/** What a version has left, as its operator copies it to the next one. */
function left(version: string): { readonly directory: Directory; readonly recorded: Recorded } {
  const directory = makeDirectory();
  cpSync(join(VERSIONS, version), directory.path, { recursive: true });
  renameSync(directory.at('kept'), directory.at('state'));
  // Git keeps no modes.
  for (const entry of readdirSync(directory.at('state'), { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  const recorded = JSON.parse(readFileSync(directory.at('recorded.json'), 'utf8')) as Recorded;
  return { directory, recorded };
}

for (const version of readdirSync(VERSIONS).filter((name) => /^\d/.test(name)))
  describe(`the state of version ${version}`, () => {
    it('serves on: token, session, run, stored result, audit trail and what was accepted of a server', async () => {
      const { directory, recorded } = left(version);
      directory.write('description.txt', 'Reads lines of a note, and sends them.');
      const pegboard = await servePegboard(directory.path, [], {
        within: ['sh', '-c', 'cd "$0" && exec "$@"', directory.path],
      });
      expect(pegboard.lines.filter(({ level }) => level === 'error' || level === 'fatal')).deep.equal([]);
      const client = McpClient.resumed(pegboard.url, recorded.session, bearer(recorded.token));
      const run = await client.callTool('core_workflow_execution_get', { execution_id: recorded.execution });
      expect(JSON.parse(textOf(run))).include({ workflow_name: 'write', status: 'completed' });
      const result = await client.callMeta('get_result', { handle: recorded.result, lines: '499-500' });
      expect(JSON.stringify(result.content)).include('a line of a note');
      const trail = JSON.parse(textOf(await client.callTool('core_audit_verify'))) as Record<string, unknown>;
      expect(trail).include({ ok: true, fault_count: 0 });
      const pins = await until(
        async () => {
          const text = textOf(await client.callTool('core_pins_list'));
          return text.includes('x_notes_read') ? text : undefined;
        },
        { what: 'the changed tool is found', withinMs: 10_000 },
      );
      expect(JSON.parse(pins)).nested.include({ 'pins[0].name': 'x_notes_read' });
      await pegboard.stop();
    });
  });
