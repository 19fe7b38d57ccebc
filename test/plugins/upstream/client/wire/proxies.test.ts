import { expect } from 'chai';
import type { JsonObject } from '../../../../../kernel/index.ts';
import { defer } from '../../../../support/cleanup.ts';
import { forwardProxy } from '../../../../support/forwardProxy.ts';
import type { ForwardProxy } from '../../../../support/forwardProxy.ts';
import { keepAlivesTo } from '../../../../support/proc.ts';
import { socksProxy } from '../../../../support/socksProxy.ts';
import { tlsProxy } from '../../../../support/tlsProxy.ts';
import { withVariables } from '../../../../support/withVariables.ts';
import { HttpFixture } from '../../httpFixture.ts';
import { OlderFixture } from '../../olderFixture.ts';
import { Rig, until } from '../../support.ts';

const HOST = 'mcp.corp.test';
const isAsked = (all: readonly boolean[]): boolean => all.length > 0 && !all.includes(false);
const QUICK = { backoffFirstMs: 20, backoffMaxMs: 20 };

describe('upstream: proxies', () => {
  let rig: Rig;
  let server: HttpFixture;
  let proxy: ForwardProxy;
  /** Ports on this machine, by host and port. */
  const ports = new Map<string, number>();
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    ports.clear();
    ports.set(HOST, Number(new URL(server.url).port));
    proxy = await forwardProxy((host) => ports.get(host));
    withVariables({});
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  const remote = (more: JsonObject = {}): JsonObject => ({
    type: 'streamable-http',
    url: `http://${HOST}/mcp`,
    timeout: 5,
    autoStart: true,
    ...more,
  });
  const answers = async (message: string): Promise<void> => {
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo', { message })).equal(`echo ${message}`);
  };
  const failsWith = (reason: RegExp): Promise<void> =>
    until(String(reason), () => reason.test(rig.status('s').error ?? ''));
  const behindTls = async (): Promise<string> => {
    const { origin, certificate } = await tlsProxy(() => server.url, { names: [HOST] });
    ports.set(`${HOST}:443`, Number(new URL(origin).port));
    return certificate;
  };

  it('forward plain http, for requests, streams and the end of the session', async () => {
    withVariables({ http_proxy: `http://${proxy.place}` });
    await rig.configure();
    await rig.define({ s: remote() });
    await answers('ü');
    await until('a standing stream', () => server.streams === 1);
    await rig.stop();
    expect(server.deleted).equal(1);
    expect(server.headers[0]).include({ host: HOST });
    expect(new Set(proxy.asked)).deep.equal(
      new Set(['POST', 'GET', 'DELETE'].map((method) => `${method} http://${HOST}/mcp`)),
    );
  });

  it('open a tunnel to https, with the certificate of the server', async () => {
    const extraCaFile = await behindTls();
    withVariables({ HTTPS_PROXY: `http://${proxy.place}`, HTTP_PROXY: 'http://127.0.0.1:1' });
    await rig.configure({ extraCaFile });
    await rig.define({ s: remote({ url: `https://${HOST}/mcp` }) });
    await answers('ü');
    expect(new Set(proxy.asked)).deep.equal(new Set([`CONNECT ${HOST}:443`]));
  });

  it('are sent user and password, which no text shows', async () => {
    const extraCaFile = await behindTls();
    withVariables({ ALL_PROXY: `http://kim:s3cret%40word@${proxy.place}` });
    await rig.configure({ ...QUICK, extraCaFile });
    await rig.define({ s: remote() });
    await answers('plain');
    await rig.define({ s: remote({ url: `https://${HOST}/mcp` }) });
    await until('a tunnel', () => proxy.asked.includes(`CONNECT ${HOST}:443`));
    await answers('tunnelled');
    expect(new Set(proxy.credentials)).deep.equal(new Set(['kim:s3cret@word']));
    expect(server.headers.some((headers) => 'proxy-authorization' in headers)).equal(false);
    proxy.refuseWith = 407;
    await rig.define({ s: remote({ url: `https://${HOST}/other` }) });
    await failsWith(
      /^the proxy http:\/\/127\.0\.0\.1:\d+ \(ALL_PROXY\) did not connect to mcp\.corp\.test:443: it answered HTTP 407; it wants other credentials: write user:password@ before its host$/,
    );
    expect(JSON.stringify([rig.lines, rig.events])).not.contain('s3cret');
  });

  it('serve the older transport too', async () => {
    const older = new OlderFixture();
    await older.listen();
    defer(() => older.close());
    ports.set(HOST, Number(new URL(older.url).port));
    withVariables({ HTTP_PROXY: `http://${proxy.place}` });
    await rig.configure();
    await rig.define({ s: remote({ type: 'sse', url: `http://${HOST}/sse` }) });
    await rig.hasTool('x_s_echo');
    await rig.stop();
    expect(new Set(proxy.asked.map((line) => line.split(' ')[0]))).deep.equal(new Set(['GET', 'POST']));
  });

  it('are asked in silence whether their connections are still there, which no end would tell', async function () {
    if (process.platform !== 'linux') this.skip();
    const extraCaFile = await behindTls();
    const socks = await socksProxy('kim:word', (target) => ports.get(target));
    ports.set(`${HOST}:80`, ports.get(HOST) ?? 0);
    await rig.configure({ ...QUICK, extraCaFile });
    for (const scheme of ['http', 'https'])
      for (const place of [`http://${proxy.place}`, `socks5://kim:word@${socks.place}`]) {
        await rig.define({ s: remote({ url: `${scheme}://${HOST}/mcp`, proxy: place }) });
        await answers(place);
        const port = Number(place.slice(place.lastIndexOf(':') + 1));
        // What was just sent has another timer.
        await until(`questions of ${scheme} through ${place}`, () => isAsked(keepAlivesTo(port)));
      }
  });

  it('are those of the configuration rather than of the environment, and of the definition before both', async () => {
    withVariables({ HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*', PROXY_PASSWORD: 'p4ss:word' });
    await rig.configure({ ...QUICK, proxy: `http://${proxy.place}`, noProxy: [] });
    await rig.define({ s: remote() });
    await answers('configured');
    await rig.configure({ ...QUICK, proxy: 'none' });
    await rig.define({ s: remote({ proxy: 'http://kim:${env:PROXY_PASSWORD}@' + proxy.place }) });
    await until('the proxy of the definition', () => proxy.credentials.includes('kim:p4ss:word'));
    await answers('defined');
    await rig.define({ s: remote({ proxy: 'none' }) });
    await failsWith(/(ENOTFOUND|EAI_AGAIN) mcp\.corp\.test, without a proxy, as its definition says$/);
  });

  it('are named when they cannot be reached, and when there is none', async () => {
    await rig.configure(QUICK);
    await rig.define({ s: remote() });
    await failsWith(
      / mcp\.corp\.test, without a proxy: neither HTTP_PROXY nor aggregator\.proxy is set(; correct the host in url, .*)?$/,
    );
    withVariables({ HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'other.test corp.test' });
    await failsWith(/ mcp\.corp\.test, without a proxy, as NO_PROXY names its host$/);
    withVariables({ HTTP_PROXY: 'http://127.0.0.1:1' });
    await failsWith(
      /^the proxy http:\/\/127\.0\.0\.1:1 \(HTTP_PROXY\) cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1$/,
    );
    withVariables({ HTTP_PROXY: 'ftp://p.test' });
    await failsWith(/^HTTP_PROXY is not the url of a proxy/);
  });

  it('are not asked for this machine', async () => {
    withVariables({ HTTP_PROXY: 'http://127.0.0.1:1', ALL_PROXY: 'http://127.0.0.1:1' });
    await rig.configure({ proxy: 'http://127.0.0.1:1' });
    await rig.define({ s: remote({ url: server.url, proxy: 'http://127.0.0.1:1' }) });
    await answers('ü');
  });
});
