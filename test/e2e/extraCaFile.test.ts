import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import type { TlsProxy } from '../support/tlsProxy.ts';
import { HttpFixture } from '../plugins/upstream/httpFixture.ts';

describe('e2e: --extra-ca-file', () => {
  let server: HttpFixture;
  let proxy: TlsProxy;
  before(async () => {
    server = new HttpFixture();
    await server.listen();
    proxy = await tlsProxy(() => server.url);
  });
  after(() => server.kill());

  const configured = (config: object = {}): Directory =>
    makeDirectory({
      'config.yaml': JSON.stringify(config),
      'mcpservers/s.yaml': JSON.stringify({
        type: 'streamable-http',
        url: `${proxy.origin}/mcp`,
        autoStart: true,
      }),
    });

  it('lets a server in whose authority only the file names, and without it nothing does', async () => {
    const [with_, without] = await Promise.all([
      servePegboard(configured().path, ['--extra-ca-file', proxy.certificate]),
      servePegboard(configured().path),
    ]);
    await with_.logged('server connected');
    const client = await McpClient.connect(with_.url);
    const call = { name: 'x_s_echo', arguments: { message: 'ü' } };
    expect(textOf(await client.callMeta('call_tool', call))).equal('echo ü');
    const failed = await without.logged('server could not be connected');
    expect(JSON.stringify(failed)).contain('self-signed certificate');
  });

  it('refuses the start with a file that cannot be used, and names it with the fix', async () => {
    const { path, at } = configured();
    const serve = ['serve', '--config-path', path, '--port', '0', '--extra-ca-file'];
    const [missing, notPem] = await Promise.all([
      runPegboard([...serve, at('none.pem')]),
      runPegboard([...serve, at('config.yaml')]),
    ]);
    expect(missing.code).equal(2);
    expect(missing.stderr).match(
      /aggregator\.extraCaFile \(--extra-ca-file\): ENOENT.*none\.pem.*; name a PEM/,
    );
    expect(notPem.code).equal(2);
    expect(notPem.stderr)
      .contain(`${at('config.yaml')} holds no certificate in PEM form`)
      .contain('openssl');
  });

  it('is checked with its line in config.yaml, where it is relative to that file', async () => {
    const wrong = makeDirectory({ 'config.yaml': 'aggregator:\n  extraCaFile: ca.pem\n' });
    const [bad, good] = await Promise.all([
      runPegboard(['check', '--config-path', wrong.path]),
      runPegboard(['check', '--config-path', wrong.path, '--extra-ca-file', proxy.certificate]),
    ]);
    expect(bad.code).equal(2);
    expect(bad.stdout)
      .contain(`${wrong.at('config.yaml')}:2:`)
      .contain(`open '${wrong.at('ca.pem')}'`);
    expect(good.code).equal(0);
  });
});
