import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../../../../kernel/index.ts';
import { selfSigned } from '../../../../support/certificate.ts';
import { tlsProxy } from '../../../../support/tlsProxy.ts';
import { HttpFixture } from '../../httpFixture.ts';
import { OlderFixture } from '../../olderFixture.ts';
import { Rig, until } from '../../support.ts';

const QUICK = { backoffFirstMs: 20, backoffMaxMs: 20 };

describe('upstream: servers that want a client certificate', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  const failsWith = (reason: RegExp): Promise<void> =>
    until(String(reason), () => reason.test(rig.status('s').error ?? ''));
  const wanting = async (
    accepted: string,
    maxVersion: 'TLSv1.2' | 'TLSv1.3',
    url = (): string => server.url,
  ) => {
    const own = { ca: readFileSync(accepted), requestCert: true, maxVersion } as const;
    const { origin, certificate } = await tlsProxy(url, { options: own });
    return (tls: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
      type: 'streamable-http',
      url: `${origin}/mcp`,
      timeout: 5,
      autoStart: true,
      tls: { ca: certificate, ...tls },
      ...more,
    });
  };

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`get that of tls.cert and tls.key, and say what is missing or wrong (${version})`, async () => {
      const [good, other] = [selfSigned(), selfSigned()];
      const remote = await wanting(good.certificate, version);
      await rig.configure(QUICK);
      await rig.define({ s: remote() });
      await failsWith(
        /^the server asked for a client certificate and (closed the connection|said "(certificate required|handshake failure)"); name its file in tls\.cert of its definition, and that of its key in tls\.key$/,
      );
      await rig.define({ s: remote({ cert: other.certificate, key: other.key }) });
      await failsWith(
        /^the server asked for a client certificate and .*; it does not accept the one in tls\.cert of its definition$/,
      );
      expect(server.methods).deep.equal([]);
      await rig.define({ s: remote({ cert: good.certificate, key: good.key }) });
      await rig.hasTool('x_s_echo');
      expect(await rig.text('x_s_echo', { message: 'ü' })).equal('echo ü');
    });
  }

  it('are refused over the older transport with the same words', async () => {
    const older = new OlderFixture();
    await older.listen();
    const remote = await wanting(selfSigned().certificate, 'TLSv1.3', () => older.url);
    await rig.configure(QUICK);
    await rig.define({ s: remote({}, { type: 'sse' }) });
    await failsWith(/^the server asked for a client certificate and /);
    await rig.stop();
    await older.close();
  });

  it('get a renewed one on the next connection', async () => {
    const [first, second] = [selfSigned(), selfSigned()];
    const both = selfSigned();
    writeFileSync(both.certificate, readFileSync(second.certificate));
    const remote = await wanting(both.certificate, 'TLSv1.3');
    await rig.configure(QUICK);
    await rig.define({ s: remote({ cert: first.certificate, key: first.key }) });
    await failsWith(/it does not accept the one in tls\.cert/);
    writeFileSync(first.key, readFileSync(second.key));
    writeFileSync(first.certificate, readFileSync(second.certificate));
    await rig.hasTool('x_s_echo');
    expect(rig.lines.map(({ text }) => text)).include('certificates were read again');
  });

  it('are known by the name of tls.servername, and trusted by tls.ca alone', async () => {
    const { origin, certificate } = await tlsProxy(() => server.url, { names: ['mcp.corp.test'] });
    const at = {
      type: 'streamable-http',
      url: `${origin.replace('localhost', '127.0.0.1')}/mcp`,
      timeout: 5,
    };
    await rig.configure({ ...QUICK, extraCaFile: certificate });
    await rig.define({ s: { ...at, autoStart: true } });
    await failsWith(/does not match certificate's altnames/);
    await rig.define({ s: { ...at, autoStart: true, tls: { servername: 'mcp.corp.test' } } });
    await rig.hasTool('x_s_echo');
    const pinned = { servername: 'mcp.corp.test', ca: selfSigned().certificate };
    await rig.define({ s: { ...at, autoStart: true, tls: pinned } });
    await failsWith(/self-signed certificate/);
  });
});
