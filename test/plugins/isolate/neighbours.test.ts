import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { listenerUrl } from '../../support/edge.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { ROOT } from '../../support/sources.ts';
import { typeVerb } from '../../support/typeVerb.ts';
import { until } from '../../support/until.ts';
import { openAdmin } from '../admin/adminGateway.ts';
import type { AdminSite } from '../admin/adminGateway.ts';

const FIXTURES = join(ROOT, 'test/plugins/isolate/fixtures');

function hasBubblewrap(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return process.platform === 'linux' && folders.some((folder) => existsSync(join(folder, 'bwrap')));
}

/** Root cannot be limited in processes. */
function shell(more: object): string {
  return JSON.stringify({
    type: 'stdio',
    autoStart: true,
    command: [process.execPath, join(FIXTURES, 'shell.mjs')],
    isolate: 'sandbox',
    grants: { processes: process.getuid?.() === 0 ? 0 : 64, files: [{ path: FIXTURES }] },
    ...more,
  });
}

describe('isolate: sandboxes beside each other', function () {
  this.timeout(60_000);
  let site: AdminSite;
  before(function () {
    if (hasBubblewrap()) return;
    console.error('isolate: sandboxes beside each other are not tested: bubblewrap is not installed');
    this.skip();
  });
  beforeEach(async () => {
    const files = {
      'mcpservers/own.yaml': shell({ instances: 'perSession' }),
      'mcpservers/other.yaml': shell({}),
    };
    site = await openAdmin({ files });
    for (const name of ['own', 'other'])
      await until(async () => (await site.facts<{ state: string }>(`/mcps/${name}`)).state === 'running');
  });

  const open = (): Promise<McpClient> => McpClient.connect(listenerUrl(site.gateway));
  const run = async (client: McpClient, line: string, server = 'own'): Promise<string> => {
    const { content } = await client.callTool(`x_${server}_run`, { line });
    return JSON.stringify(content).replaceAll(/\\+/g, '\\');
  };

  it('are two of one server at once, with a process each and one cache', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const write = (name: string): string =>
      `for i in $(seq 200); do echo ${name} >> ~/.cache-test; done; echo ${name} > /tmp/own; sleep 0.2; cat /tmp/own`;
    const [first, second] = await Promise.all([run(one, write('first')), run(two, write('second'))]);
    // /tmp is of the process, the home of the definition.
    expect(first).contain('first').and.not.contain('second');
    expect(second).contain('second').and.not.contain('first');
    for (const client of [one, two]) {
      expect(await run(client, 'grep -c first ~/.cache-test')).contain('200');
      expect(await run(client, 'grep -c second ~/.cache-test')).contain('200');
    }
    // The end of one leaves the cache and the other.
    await one.end();
    expect(await run(two, 'wc -l < ~/.cache-test')).contain('400');
    expect(await run(two, 'cat /tmp/own')).contain('second');
  });

  it('do not keep their neighbours from answering with a busy loop', async () => {
    const [busy, quick] = await Promise.all([open(), open()]);
    const loops = run(
      busy,
      'for i in 1 2 3 4; do (timeout 6 sh -c "while :; do :; done") & done; wait; echo over',
    );
    for (let count = 0; count < 5; count += 1) expect(await run(quick, 'echo well', 'other')).contain('well');
    expect(await Promise.race([loops.then(() => 'over'), Promise.resolve('busy')])).equal('busy');
    expect(await loops).contain('over');
  });

  it('are shown with what confines them by the admin page and the doctor', async () => {
    const words = `sandbox; network none; files ${FIXTURES} (ro); limits memory 2048 MB each`;
    const { text } = await site.get('/mcps/other');
    expect(text)
      .match(/Confinement/)
      .and.contain(words);
    const { stdout } = await typeVerb(['doctor', '--endpoint', `${listenerUrl(site.gateway)}/mcp`], {});
    expect(stdout)
      .match(/server other/)
      .and.contain(`1 tools; in ${words}`);
  });
});
