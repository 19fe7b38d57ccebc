import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

interface Statement {
  predicateType: string;
  bundle: {
    dsseEnvelope: { payload: string; signatures: { sig: string }[] };
    verificationMaterial: {
      x509CertificateChain?: { certificates: { rawBytes: string }[] };
      publicKey?: { hint: string };
      tlogEntries: { integratedTime: string }[];
    };
  };
}

/** What the registry of npm has answered for a package, as anyone could read it there. */
export interface Statements {
  attestations: Statement[];
}

/** @param name of a file of test/support/provenance: `sigstore-2.3.1` */
export function statementsOf(name: string): Statements {
  return JSON.parse(readFileSync(join(ROOT, `test/support/provenance/${name}.json`), 'utf8')) as Statements;
}

/** The archive that a statement is of: `sha512-<base64>`. */
export function statedIntegrity({ attestations: [one] }: Statements): string {
  const payload = Buffer.from(one?.bundle.dsseEnvelope.payload ?? '', 'base64').toString();
  const [{ digest }] = (JSON.parse(payload) as { subject: [{ digest: { sha512: string } }] }).subject;
  return `sha512-${Buffer.from(digest.sha512, 'hex').toString('base64')}`;
}
