import { createServer, request } from 'node:http';
import { expect } from 'chai';
import { unixAddress } from '../../../../../plugins/upstream/client/wire/unixAddress.ts';
import { defer } from '../../../../support/cleanup.ts';
import { makeDirectory } from '../../../../support/directory.ts';
import { withVariables } from '../../../../support/withVariables.ts';
import { HttpFixture } from '../../httpFixture.ts';
import { Rig, until } from '../../support.ts';

describe('upstream: servers behind a socket file', () => {
  it('are called there, without a proxy, and named when it is missing', async () => {
    const rig = new Rig();
    defer(() => rig.stop());
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    const file = makeDirectory().at('mcp.sock');
    const front = createServer((req, res) => {
      const { method, headers, url = '' } = req;
      const passed = request(new URL(url, server.url), { method, headers });
      passed.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers)));
      passed.on('error', () => res.destroy());
      res.on('close', () => passed.destroy());
      req.pipe(passed);
    });
    withVariables({ HTTP_PROXY: 'http://127.0.0.1:1' });
    await rig.configure({ backoffFirstMs: 20, backoffMaxMs: 20 });
    await rig.define({ s: { type: 'streamable-http', url: `unix:${file}:/mcp`, autoStart: true } });
    await until('an error', () => (rig.status('s').error ?? '').includes(`connect ENOENT ${file}`));
    await new Promise<void>((resolve) => front.listen(file, resolve));
    defer(() => {
      front.closeAllConnections();
      front.close();
    });
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo', { message: 'ü' })).equal('echo ü');
    expect(server.headers[0]).include({ host: 'localhost' });
  });
});

describe('unixAddress', () => {
  it('reads the file and the path, with and without slashes in front', () => {
    const read = (text: string): unknown => {
      const { socketPath, url } = unixAddress(text) ?? {};
      return [socketPath, url?.href];
    };
    expect(read('unix:/run/a.sock:/mcp?x=1')).deep.equal(['/run/a.sock', 'http://localhost/mcp?x=1']);
    expect(read('unix:///run/a.sock')).deep.equal(['/run/a.sock', 'http://localhost/']);
    expect(read('http://localhost/mcp')).deep.equal([undefined, undefined]);
  });
});
