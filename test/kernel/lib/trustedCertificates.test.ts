import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { trustedCertificates } from '../../../kernel/lib/trustedCertificates.ts';
import { selfSigned } from '../../support/certificate.ts';
import { makeDirectory } from '../../support/directory.ts';

describe('trustedCertificates', () => {
  it('leaves it to Node.js without a file', () => {
    expect(trustedCertificates()).equal(undefined);
  });

  it('adds every certificate of the file to those of Node.js, and leaves other parts out', () => {
    const [one, other] = [selfSigned(), selfSigned()].map(({ certificate }) =>
      readFileSync(certificate, 'utf8'),
    );
    const key = readFileSync(selfSigned().key, 'utf8');
    const { at } = makeDirectory({
      'ca.pem': `# ours\r\n${one ?? ''}${key}\n# theirs\n${other ?? ''}# end\n`,
    });
    const trusted = trustedCertificates(at('ca.pem')) ?? [];
    expect(trusted).include.members([...rootCertificates]);
    expect(trusted.slice(-2)).deep.equal([one, other]);
    expect(trusted.join()).not.contain('PRIVATE KEY');
  });

  it('adds those of NODE_EXTRA_CA_CERTS, which Node.js would ignore', function () {
    const [own, general] = [selfSigned().certificate, selfSigned().certificate];
    const before = process.env['NODE_EXTRA_CA_CERTS'];
    // Later versions of Node.js list what they have read at their start.
    if (!process.version.startsWith('v20.')) this.skip();
    process.env['NODE_EXTRA_CA_CERTS'] = general;
    try {
      expect(trustedCertificates(own)).include(readFileSync(general, 'utf8'));
    } finally {
      if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
      else process.env['NODE_EXTRA_CA_CERTS'] = before;
    }
  });

  it('refuses a file that is absent, empty, not PEM, cut or damaged, and names it with the fix', () => {
    const pem = readFileSync(selfSigned().certificate, 'utf8');
    const { at, path } = makeDirectory({
      'empty.pem': '',
      'text.pem': 'hello',
      'key.pem': readFileSync(selfSigned().key, 'utf8'),
      'cut.pem': pem.slice(0, pem.length / 2),
      'second.pem': pem + pem.replace(/\n[A-Za-z0-9+/]{10}/, '\nAAAAAAAAAA'),
    });
    const faultOf = (file: string): string => {
      try {
        trustedCertificates(file);
      } catch (error) {
        return (error as Error).message;
      }
      return 'accepted';
    };
    expect(faultOf(at('none.pem'))).match(/ENOENT.*none\.pem'; name a PEM file that can be read$/);
    expect(faultOf(path)).match(/EISDIR.*; name a PEM file that can be read$/);
    for (const name of ['empty.pem', 'text.pem', 'key.pem'])
      expect(faultOf(at(name)), name).equal(
        `${at(name)} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----); ` +
          `convert it: openssl x509 -inform der -in ${at(name)} -out authority.pem`,
      );
    expect(faultOf(at('cut.pem'))).equal(`certificate 1 in ${at('cut.pem')} is damaged; export it again`);
    expect(faultOf(at('second.pem'))).contain('certificate 2 in');
  });
});
