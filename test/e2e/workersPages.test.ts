import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { McpClient } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';

interface Sessions {
  readonly total: number;
  readonly workers: readonly { readonly worker: number; readonly sessionCount: number }[];
}
interface Servers {
  readonly servers: readonly { readonly name: string; readonly workers?: unknown }[];
}

describe('e2e: the admin pages of workers', function () {
  this.timeout(60_000);

  it('are served by the first process, and show the sessions, calls and servers of all', async () => {
    const port = await freePort();
    const aggregator = { admin: { enabled: true, port } };
    const directory = makeDirectory({
      'config.yaml': JSON.stringify({ aggregator }),
      'mcpservers/where.yaml': JSON.stringify({ type: 'stdio', command: ['nothing'] }),
    });
    const pegboard = await servePegboard(directory.path, ['--workers', '2']);
    const served = pegboard.lines.filter(({ text }) => text === 'admin pages are served');
    expect(served.map(({ worker }) => worker)).deep.equal([undefined]);
    const clients = await Promise.all(Array.from({ length: 8 }, () => McpClient.connect(pegboard.url)));
    const read = async <T>(path: string): Promise<T> =>
      (await (
        await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'application/json' } })
      ).json()) as T;
    const sessions = await read<Sessions>('/sessions');
    const [other] = sessions.workers;
    expect(sessions.workers.map(({ worker }) => worker)).deep.equal([1]);
    expect(sessions.total + (other?.sessionCount ?? 0)).least(clients.length);
    const html = await (await fetch(`http://127.0.0.1:${port}/sessions`)).text();
    expect(html).contain('Worker 1').and.contain('No call is under way there.');
    const { servers } = await read<Servers>('/mcps');
    expect(servers.map(({ name, workers }) => ({ name, workers }))).deep.equal([
      { name: 'where', workers: [{ worker: 1, state: 'stopped' }] },
    ]);
  });
});
