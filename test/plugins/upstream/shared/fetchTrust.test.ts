import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect } from 'chai';
import { fetchTrust } from '../../../../plugins/upstream/shared/fetchTrust.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';

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
