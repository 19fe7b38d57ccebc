import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { Prober } from '../../../../plugins/contracts/servers.ts';
import { tlsTrusts } from '../../../../plugins/kit/tls/tlsTrust.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { captureLog } from '../../../support/log.ts';
import { tlsProxy } from '../../../support/tlsProxy.ts';
import type { TlsProxy } from '../../../support/tlsProxy.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';
import { OlderFixture } from '../../upstream/olderFixture.ts';
import { Rig, until } from '../../upstream/support.ts';

const UNKNOWN = /self-signed certificate; name its authority's PEM file in aggregator.extraCaFile$/;

describe('upstream: https servers', () => {
  let rig: Rig;
  let server: HttpFixture;
  let proxy: TlsProxy;
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    proxy = await tlsProxy(() => server.url);
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  const remote = (more: JsonObject = {}): JsonObject => ({
    type: 'streamable-http',
    url: `${proxy.origin}/mcp`,
    timeout: 5,
    autoStart: true,
    ...more,
  });
  const errorOf = async (): Promise<string> => {
    await until('an error', () => rig.status('s').error !== undefined);
    return rig.status('s').error ?? '';
  };

  it('are refused with an unknown authority, without a request', async () => {
    await rig.configure();
    await rig.define({ s: remote() });
    expect(await errorOf()).match(UNKNOWN);
    expect(server.methods).deep.equal([]);
  });

  it('are accepted with one of extraCaFile, as soon as the configuration names it', async () => {
    await rig.configure({ backoffFirstMs: 20, backoffMaxMs: 20 });
    await rig.define({ s: remote() });
    expect(await errorOf()).match(UNKNOWN);
    await rig.configure({ backoffFirstMs: 20, backoffMaxMs: 20, extraCaFile: proxy.certificate });
    await rig.hasTool('x_s_echo');
    expect(await rig.text('x_s_echo', { message: 'ü' })).equal('echo ü');
  });

  it('are refused with another authority in it', async () => {
    await rig.configure({ extraCaFile: selfSigned().certificate });
    await rig.define({ s: remote() });
    expect(await errorOf()).match(UNKNOWN);
  });

  it('are accepted over the older transport too', async () => {
    const older = new OlderFixture();
    await older.listen();
    proxy = await tlsProxy(() => older.url);
    await rig.configure({ extraCaFile: proxy.certificate });
    await rig.define({ s: remote({ type: 'sse', url: `${proxy.origin}/sse` }) });
    await rig.hasTool('x_s_echo');
    await rig.stop();
    await older.close();
  });

  it('are probed with the same trust', async () => {
    const probe = async (): Promise<unknown> => {
      const [prober] = rig.kernel.registry.all(Prober.id) as readonly Prober[];
      const target = { url: `${proxy.origin}/mcp`, headers: {}, maxMessageBytes: 100_000 };
      return prober?.probe({ ...target, signal: AbortSignal.timeout(5_000) });
    };
    await rig.configure();
    expect(await probe()).include({ reachable: false });
    await rig.configure({ extraCaFile: proxy.certificate });
    expect(await probe()).include({ reachable: true, transport: 'streamable-http' });
  });
});

describe('tlsTrusts', () => {
  const trusting = (extraCaFile: () => string | undefined, directory = '/') => {
    const log = captureLog();
    return { log, trusts: tlsTrusts({ extraCaFile, directory: () => directory, log }) };
  };

  it('reads files once, relative to the directory, and none without any', () => {
    const { certificate } = selfSigned();
    let file: string | undefined;
    const { trusts } = trusting(() => file, dirname(certificate));
    const trust = trusts();
    expect(trust()).equal(undefined);
    file = 'certificate.pem';
    expect(trust()).not.equal(undefined);
    expect(trust()).equal(trusts()());
    file = 'none.pem';
    expect(trust).throw(/^extraCaFile: ENOENT/);
  });

  it('reads them again when they change, and keeps the former while the change cannot be used', () => {
    const [first, second] = [selfSigned(), selfSigned()];
    const { log, trusts } = trusting(() => undefined);
    const trust = trusts({ cert: first.certificate, key: first.key });
    const former = trust();
    writeFileSync(first.certificate, readFileSync(second.certificate));
    expect(trust()).equal(former);
    expect(trust()).equal(former);
    expect(log.records.map(({ text }) => text)).deep.equal([
      'changed certificates cannot be used; the former stay',
    ]);
    writeFileSync(first.key, readFileSync(second.key));
    expect(trust()).not.equal(former);
    expect(log.records.at(-1)?.text).equal('certificates were read again');
  });

  it('names the key and the file of what cannot be read at first', () => {
    const { certificate } = selfSigned();
    const { trusts } = trusting(() => undefined);
    expect(trusts({ cert: '/none.pem' })).throw(/^tls\.cert: ENOENT.*none\.pem.*; name a PEM file/);
    expect(trusts({ cert: certificate, key: selfSigned().key })).throw(/^tls\.cert and tls\.key: .*mismatch/);
    expect(trusts({ ca: selfSigned().key })).throw(/^tls\.ca: .*holds no certificate in PEM form/);
  });
});
