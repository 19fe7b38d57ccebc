import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as tls from 'node:tls';
import type { Issue } from '../contracts/config.ts';
import type { Origin } from '../contracts/resource.ts';
import type { Settings } from '../contracts/settings.ts';

/** The authorities to trust, in PEM form: those that Node.js trusts by itself, and those of a file, in addition. For `ca` of a
 *  TLS connection, or better of one `tls.createSecureContext` for all connections, because reading them takes 30 ms.
 *  @param extraFile absolute @returns undefined without a file: what Node.js trusts by itself
 *  @throws Error that names the file, the reason and the fix */
export function trustedCertificates(extraFile?: string): readonly string[] | undefined {
  return extraFile === undefined ? undefined : [...ownCertificates(), ...certificatesIn(extraFile)];
}

/** What is wrong with the file that aggregator.extraCaFile names: connections of many plugins depend on it. */
export function unreadCertificates(
  settings: Settings | undefined,
  directory: string,
  origin: Origin,
): Issue[] {
  const { extraCaFile } = settings?.aggregator ?? {};
  try {
    trustedCertificates(extraCaFile && resolve(directory, extraCaFile));
    return [];
  } catch (error) {
    const message = `aggregator.extraCaFile (--extra-ca-file): ${(error as Error).message}`;
    const place = origin.locate(['aggregator', 'extraCaFile']);
    return [{ severity: 'error', code: 'CONFIG_UNREADABLE', message, ...place }];
  }
}

/** Certificates that Node.js trusts by itself, in PEM form, also those of NODE_EXTRA_CA_CERTS, which it ignores with a `ca`. */
function ownCertificates(): readonly string[] {
  // From Node.js 22.15 on, also those of --use-system-ca.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const file = process.env['NODE_EXTRA_CA_CERTS'] ?? '';
  return file === '' ? tls.rootCertificates : [...tls.rootCertificates, ...certificatesIn(file)];
}

/** @throws Error as trustedCertificates() */
export function certificatesIn(file: string): readonly string[] {
  const [, ...found] = textOf(file).split(/(?=-----BEGIN CERTIFICATE-----)/);
  if (found.length === 0) {
    const fix = `convert it: openssl x509 -inform der -in ${file} -out authority.pem`;
    throw new Error(`${file} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----); ${fix}`);
  }
  return found.map((text, at) => {
    try {
      return new X509Certificate(text).toString();
    } catch {
      // OpenSSL's reason does not help.
      throw new Error(`certificate ${at + 1} in ${file} is damaged; export it again`);
    }
  });
}

/** Always begins with a part that is not a certificate. */
function textOf(file: string): string {
  try {
    return `\n${readFileSync(file, 'utf8')}`;
  } catch (error) {
    throw new Error(`${(error as Error).message}; name a PEM file that can be read`, { cause: error });
  }
}
