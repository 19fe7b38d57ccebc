import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { relayTo } from '../support/relayTo.ts';
import { needTinyproxy, startTinyproxy } from '../support/tinyproxy.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import { withVariables } from '../support/withVariables.ts';
import { HttpFixture } from '../plugins/upstream/httpFixture.ts';
import { Rig, until } from '../plugins/upstream/support.ts';

/** An address of this machine outside the loopback interface. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

describe('heavy: a real proxy (tinyproxy)', () => {
  let rig: Rig;
  let server: HttpFixture;
  before(function () {
    needTinyproxy(this);
    if (ADDRESS !== undefined) return;
    console.log('SKIPPED: this machine has no address but those of the loopback interface');
    this.skip();
  });
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    defer(() => rig.stop());
  });

  const remote = (url: string) => ({ type: 'streamable-http', url, timeout: 10, autoStart: true });
  const answers = async (): Promise<void> => {
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo', { message: 'ü' })).equal('echo ü');
    await until('a standing stream', () => server.streams === 1);
  };

  it('forwards plain http as it is installed, with a user and password', async () => {
    const place = await startTinyproxy('BasicAuth kim s3cretword', 'ConnectPort 443');
    const port = await relayTo(() => Number(new URL(server.url).port));
    withVariables({ HTTP_PROXY: `http://kim:s3cretword@${place}` });
    await rig.configure();
    await rig.define({ s: remote(`http://${ADDRESS}:${port}/mcp`) });
    await answers();
    expect(server.headers[0]).property('via').contain('tinyproxy');
    expect(server.headers.some((headers) => 'proxy-authorization' in headers)).equal(false);
  });

  it('tunnels to https, and is named when it refuses the port or the password', async () => {
    const { origin, certificate: extraCaFile } = await tlsProxy(() => server.url, { names: [ADDRESS ?? ''] });
    const { port } = new URL(origin);
    const open = await startTinyproxy(`ConnectPort ${port}`, 'BasicAuth kim s3cretword');
    const closed = await startTinyproxy('ConnectPort 443');
    const failsWith = (reason: RegExp): Promise<void> =>
      until(String(reason), () => reason.test(rig.status('s').error ?? ''));
    await rig.configure({ extraCaFile, backoffFirstMs: 50, backoffMaxMs: 50 });
    withVariables({ HTTPS_PROXY: `http://${closed}` });
    await rig.define({ s: remote(`https://${ADDRESS}:${port}/mcp`) });
    await failsWith(
      /^the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\) did not connect to .*: it answered HTTP 403; /,
    );
    withVariables({ HTTPS_PROXY: `http://kim:wrong@${open}` });
    await failsWith(/it answered HTTP 40[17]/);
    withVariables({ HTTPS_PROXY: `http://kim:s3cretword@${open}` });
    await answers();
  });
});
