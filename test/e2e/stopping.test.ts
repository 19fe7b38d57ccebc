import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { openStream, send } from '../support/rawHttp.ts';
import { servePegboard } from '../support/serve.ts';
import { until, within } from '../support/until.ts';

const isClosed = (url: string): Promise<boolean> =>
  send(`${url}/health`).then(
    () => false,
    () => true,
  );

describe('e2e: stopping', () => {
  it('SIGTERM during a call lets it finish, ends standing streams at once, and exits 0', async () => {
    const directory = await edgeDirectory();
    const pegboard = await servePegboard(directory.path);
    const { url } = pegboard;
    const handle = await initialize(url);
    const streams = [
      await openStream(`${url}/mcp`, { headers: { 'mcp-session-id': handle } }),
      await openStream(`${url}/sse`),
    ];
    const running = callTool(url, handle, callBody('slow'));
    await pegboard.logged('slow began');
    const exit = pegboard.stop();
    for (const { ended } of streams) await within(ended, { what: 'a standing stream ends' });
    await until(() => isClosed(url), { what: 'no connection is taken' });
    process.kill(pegboard.pid, 'SIGUSR2');
    expect((await running).text).include('finished');
    expect(await within(exit)).deep.equal({ code: 0, signal: null });
    expect(pegboard.lines.map(({ text }) => text)).include('stopped');
  });

  it('SIGTERM cancels calls that exceed the limit, and exits 0', async () => {
    const directory = await edgeDirectory({ http: { config: { stopGraceMs: 200 } } });
    const pegboard = await servePegboard(directory.path);
    const handle = await initialize(pegboard.url);
    const running = callTool(pegboard.url, handle, callBody('stuck')).catch(() => 'cut');
    await pegboard.logged('stuck began');
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
    expect(await running).equal('cut');
  });

  it('a second signal ends Pegboard at once with a non-zero exit code', async () => {
    const directory = await edgeDirectory();
    const pegboard = await servePegboard(directory.path);
    const handle = await initialize(pegboard.url);
    const running = callTool(pegboard.url, handle, callBody('slow')).catch(() => 'cut');
    await pegboard.logged('slow began');
    void pegboard.stop();
    await until(() => pegboard.lines.find(({ text }) => text.startsWith('stopping')), {
      what: 'the stop begins',
    });
    process.kill(pegboard.pid, 'SIGINT');
    const { code } = await within(pegboard.exited, { withinMs: 2_000 });
    expect(code).equal(1);
    expect(await running).equal('cut');
  });

  it('a closed standard error does not end Pegboard: it serves without a log', async () => {
    const directory = await edgeDirectory();
    const pegboard = await servePegboard(directory.path);
    const sse = async (): Promise<number> => (await send(`${pegboard.url}/sse`, { method: 'PUT' })).status;
    pegboard.closeStderr();
    const text = readFileSync(directory.at('config.yaml'), 'utf8');
    for (const isOn of [false, true]) {
      const { plugins, ...rest } = JSON.parse(text) as { plugins: object };
      directory.write(
        'config.yaml',
        JSON.stringify({ ...rest, plugins: { ...plugins, 'transport-sse': isOn } }),
      );
      // Each change is logged once it is applied.
      await until(async () => (await sse()) === (isOn ? 405 : 404), {
        what: `transport-sse is ${String(isOn)}`,
      });
    }
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
  });

  it('SIGHUP without a terminal reloads the configuration', async () => {
    const directory = await edgeDirectory();
    const pegboard = await servePegboard(directory.path);
    process.kill(pegboard.pid, 'SIGHUP');
    await pegboard.logged('reading the configuration again');
    expect((await send(`${pegboard.url}/health`)).status).equal(200);
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
  });

  it('SIGINT without requests under way exits 0', async () => {
    const directory = await edgeDirectory();
    const pegboard = await servePegboard(directory.path);
    process.kill(pegboard.pid, 'SIGINT');
    expect(await within(pegboard.exited)).deep.equal({ code: 0, signal: null });
  });
});
