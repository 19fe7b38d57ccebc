import { expect } from 'chai';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { send } from '../support/rawHttp.ts';
import { servePegboard } from '../support/serve.ts';

describe('e2e: sessions', () => {
  it('go on after kill -9 and after an orderly restart; ended ones stay ended', async () => {
    const { path } = await edgeDirectory();
    const first = await servePegboard(path);
    const [going, ended] = [await initialize(first.url), await initialize(first.url)];
    await send(`${first.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': ended } });
    await first.kill();
    for (const end of ['stop', 'kill'] as const) {
      const next = await servePegboard(path);
      expect((await callTool(next.url, going, callBody('echo'))).status).equal(200);
      expect((await callTool(next.url, ended, callBody('echo'))).status).equal(404);
      await next[end]();
    }
  });

  it('go on in each of several processes that start at once on one fresh state directory', async () => {
    const { path } = await edgeDirectory();
    const processes = await Promise.all([servePegboard(path), servePegboard(path), servePegboard(path)]);
    for (const { url } of processes) {
      const handle = await initialize(url);
      for (const other of processes)
        expect((await callTool(other.url, handle, callBody('echo'))).status).equal(200);
    }
  });
});
