import { execFileSync } from 'node:child_process';
import { isIP } from 'node:net';
import { makeDirectory } from './directory.ts';

/** Files (PEM) of a certificate for `localhost` and these names or addresses that no authority has signed, and its key. */
export function selfSigned(...names: readonly string[]): {
  readonly certificate: string;
  readonly key: string;
} {
  const { at } = makeDirectory();
  const files = { certificate: at('certificate.pem'), key: at('key.pem') };
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subjects = ['localhost', ...names].map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join();
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${subjects}`];
  const out = ['-keyout', files.key, '-out', files.certificate];
  execFileSync('openssl', ['req', ...kind, ...subject, ...out], { stdio: 'ignore' });
  return files;
}
