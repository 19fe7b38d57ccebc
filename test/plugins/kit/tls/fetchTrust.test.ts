import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { TLSSocket, connect, createServer } from 'node:tls';
import { expect } from 'chai';
import { guardedFetch } from '../../../../plugins/kit/net/index.ts';
import type { GuardedFetchParts } from '../../../../plugins/kit/net/index.ts';
import { fetchTrust, tlsFindings } from '../../../../plugins/kit/tls/fetchTrust.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { forwardProxy } from '../../../support/forwardProxy.ts';
import { PUBLIC_ADDRESS, httpsSite } from '../../../support/httpsSite.ts';
import { captureLog } from '../../../support/log.ts';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

describe('fetchTrust', () => {
  const folder = makeDirectory({
    'authority.ext': 'basicConstraints=critical,CA:TRUE\n',
    'server.ext': 'subjectAltName=DNS:localhost\n',
  });
  const { at } = folder;
  const openssl = (...words: readonly string[]): void =>
    void execFileSync('openssl', words, { stdio: 'ignore', cwd: folder.path });
  /** @param by another name, or its own */
  const sign = (name: string, subject: string, by: string, kind: 'authority' | 'server'): void => {
    openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    const signer =
      by === name
        ? ['-signkey', `${name}.key`]
        : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    const out = ['-out', `${name}.pem`, '-days', '2', '-extfile', `${kind}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signer, ...out);
  };
  before(() => {
    sign('root', 'root', 'root', 'authority');
    sign('middle', 'middle', 'root', 'authority');
    sign('leaf', 'localhost', 'middle', 'server');
    for (const name of ['first', 'second']) sign(name, 'localhost', name, 'server');
  });

  /** What a client says that trusts these of a server with that certificate. */
  const verdict = async (server: string, ...trusted: readonly string[]): Promise<string> => {
    const pem = (name: string): string => readFileSync(at(`${name}.pem`), 'utf8');
    const listening = createServer({ key: readFileSync(at(`${server}.key`)), cert: pem(server) });
    await once(listening.listen(0), 'listening');
    defer(() => listening.close());
    const file = makeDirectory({ 'ca.pem': trusted.map(pem).join('') }).at('ca.pem');
    const { port } = listening.address() as AddressInfo;
    const trust = fetchTrust({ extraCaFile: () => file, directory: () => '/' });
    const socket = connect({ port, host: 'localhost', ...trust() });
    return new Promise((resolve) => {
      const end = (text: string): void => {
        socket.destroy();
        resolve(text);
      };
      socket.on('secureConnect', () => end('trusted'));
      socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
  };

  it('trusts an intermediate alone, and the certificate of a server itself', async () => {
    expect(await verdict('leaf', 'middle')).equal('trusted');
    expect(await verdict('leaf', 'leaf')).equal('trusted');
  });

  it('trusts each of two certificates of one subject that have signed themselves', async () => {
    expect(await verdict('first', 'first', 'second')).equal('trusted');
    expect(await verdict('second', 'first', 'second')).equal('trusted');
  });

  it('trusts nothing else', async () => {
    expect(await verdict('leaf', 'first')).equal('UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
    expect(await verdict('second', 'first', 'middle')).equal('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

describe('fetchTrust: a host in aggregator.oauth.tls', () => {
  const HOST = 'login.example';
  /** A site that wants a client certificate, and what opens it. */
  const start = async () => {
    const own = selfSigned();
    const site = await httpsSite((req, res) => {
      const { socket } = req;
      res.end(String(socket instanceof TLSSocket && socket.getPeerX509Certificate()?.subject));
    }, HOST);
    const hosts: Record<string, unknown> = {};
    const log = captureLog();
    const trust = fetchTrust({ extraCaFile: () => undefined, directory: () => '/', hosts: () => hosts, log });
    const { resolve, dial } = site;
    const bounds = { allowPrivate: false, timeoutMs: 5_000, maxBytes: 1_000 };
    const read = (host = HOST, more: Partial<GuardedFetchParts> = {}): Promise<string> =>
      guardedFetch({ ...bounds, resolve, dial, trust, ...more })(`https://${host}:${site.port}/`).then(
        (answer) => answer.text(),
        (error: unknown) => (error as Error).message,
      );
    const ca = makeDirectory({ 'ca.pem': site.ca.join('') }).at('ca.pem');
    return { own, site, hosts, read, ca };
  };

  it('is trusted by its own authority, and no other host is', async () => {
    const { site, hosts, read, ca } = await start();
    site.names.set('other.example', [[PUBLIC_ADDRESS]]);
    expect(await read()).match(
      /DEPTH_ZERO_SELF_SIGNED_CERT; aggregator\.extraCaFile and aggregator\.oauth\.tls say what/,
    );
    hosts[HOST] = { ca };
    expect(await read()).equal('undefined');
    expect(await read('other.example')).match(/DEPTH_ZERO_SELF_SIGNED_CERT/);
    Reflect.deleteProperty(hosts, HOST);
    hosts[`${HOST}:1`] = { ca };
    expect(await read()).match(/DEPTH_ZERO_SELF_SIGNED_CERT/);
    hosts[`${HOST}:${site.port}`] = { ca };
    expect(await read()).equal('undefined');
  });

  it('is shown the client certificate, directly and through a proxy', async () => {
    const { own, site, hosts, read, ca } = await start();
    const proxy = await forwardProxy(() => site.port);
    hosts[HOST] = { ca, cert: own.certificate, key: own.key };
    expect(await read()).equal('CN=localhost');
    const proxies = () => ({ proxy: `http://${proxy.place}` });
    expect(await read(HOST, { proxies })).equal('CN=localhost');
    expect(proxy.asked).deep.equal([`CONNECT ${HOST}:${site.port}`]);
  });

  it('may have another name in its certificate', async () => {
    const { site, hosts, read, ca } = await start();
    site.names.set('other.example', [[PUBLIC_ADDRESS]]);
    const proxy = await forwardProxy(() => site.port);
    hosts['other.example'] = { ca };
    expect(await read('other.example')).match(/ERR_TLS_CERT_ALTNAME_INVALID/);
    hosts['other.example'] = { ca, servername: HOST };
    expect(await read('other.example')).equal('undefined');
    expect(await read('other.example', { proxies: () => ({ proxy: `http://${proxy.place}` }) })).equal(
      'undefined',
    );
  });

  it('comes before the tls of a server that is there, which is for its origin alone', async () => {
    const { site, ca } = await start();
    const hosts: Record<string, unknown> = {};
    const servers = [
      { name: 'other', url: '' },
      { name: 'vault', url: `https://${HOST}:${site.port}/mcp`, tls: { ca: '/none.pem' } },
    ];
    const trust = fetchTrust({
      extraCaFile: () => undefined,
      directory: () => '/',
      log: captureLog(),
      hosts: () => hosts,
      servers: () => servers,
    });
    const at = (origin: string): unknown => trust(new URL(origin)).secureContext;
    expect(() => at(`https://${HOST}:${site.port}`)).throw(/^vault: tls\.ca: ENOENT/);
    expect(at(`https://${HOST}`)).equal(undefined);
    expect(at(`https://other.example:${site.port}`)).equal(undefined);
    hosts[HOST] = { ca };
    expect(at(`https://${HOST}:${site.port}`)).not.equal(undefined);
  });

  it('is never what a team gives its server, which may be at the host of others', () => {
    const url = `https://${HOST}/mcp`;
    const tls = { servername: 'other.example' };
    for (const [auth, expected] of [
      [{ isFar: true }, {}],
      [{}, tls],
    ] as const) {
      const servers = () => [{ name: 'a', url, tls, auth }];
      const trust = fetchTrust({ extraCaFile: () => undefined, directory: () => '/', servers });
      expect(trust(new URL(url))).deep.equal(expected);
    }
  });

  it('is reported with key and file when a file cannot be used', async () => {
    const { own, hosts, read } = await start();
    hosts[HOST] = { ca: '/none.pem' };
    expect(await read()).match(/^aggregator\.oauth\.tls\.login\.example\.ca: ENOENT.*none\.pem/);
    hosts[HOST] = { key: own.key };
    expect(await read()).equal(
      'aggregator.oauth.tls.login.example.key belongs to a certificate; name its file in aggregator.oauth.tls.login.example.cert',
    );
    hosts['good.example:443'] = { cert: own.certificate, key: own.key };
    expect(tlsFindings(hosts, '/').map(({ path }) => path.join('/'))).deep.equal([
      `aggregator/oauth/tls/${HOST}`,
    ]);
  });
});
