import { expect } from 'chai';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { send } from '../support/rawHttp.ts';
import { servePegboard } from '../support/serve.ts';

describe('e2e: sessions', () => {
  it('survive kill -9 and an orderly restart; ended ones stay ended', async () => {
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

  it('stay ended once their end was acknowledged, even if a kill -9 follows at any moment', async () => {
    const { path } = await edgeDirectory();
    const first = await servePegboard(path);
    const handles = await Promise.all(Array.from({ length: 200 }, () => initialize(first.url)));
    const answered: string[] = [];
    const ends = handles.map(async (handle) => {
      const headers = { 'mcp-session-id': handle };
      const { status } = await send(`${first.url}/mcp`, { method: 'DELETE', headers });
      if (status === 204) answered.push(handle);
      if (answered.length === 50) await first.kill();
    });
    await Promise.allSettled(ends);
    expect(answered.length).at.least(50);
    const next = await servePegboard(path);
    for (const handle of answered)
      expect((await callTool(next.url, handle, callBody('echo'))).status).equal(404);
  });

  it('survive in each of several processes that start at once on one new state directory', async () => {
    const { path } = await edgeDirectory();
    const processes = await Promise.all([servePegboard(path), servePegboard(path), servePegboard(path)]);
    for (const { url } of processes) {
      const handle = await initialize(url);
      for (const other of processes)
        expect((await callTool(other.url, handle, callBody('echo'))).status).equal(200);
    }
  });
});
