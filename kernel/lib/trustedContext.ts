import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { trustedCertificates } from './trustedCertificates.ts';

/** What TLS connections trust with further authorities; undefined without a file: what Node.js trusts by itself.
 *  @param file aggregator.extraCaFile @param directory of config.yaml @throws Error as trustedCertificates() */
export function trustedContext(file: string | undefined, directory: string): SecureContext | undefined {
  const authorities = trustedCertificates(file && resolve(directory, file));
  return authorities && createSecureContext({ ca: [...authorities], allowPartialTrustChain: true });
}
