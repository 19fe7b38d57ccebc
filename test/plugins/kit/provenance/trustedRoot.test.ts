import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { NPM_KEYS, ROOT_DATE, TRUSTED_ROOT } from '../../../../plugins/kit/provenance/trustedRoot.ts';
import { verifyBundle } from '../../../../plugins/kit/provenance/verifyBundle.ts';
import { statementsOf } from '../../../support/provenance.ts';

interface Valid {
  readonly validFor: { readonly start: string; readonly end?: string };
}
interface Authority extends Valid {
  readonly certChain: { readonly certificates: readonly { readonly rawBytes: string }[] };
}
interface Log {
  readonly publicKey: Valid;
}
interface Root {
  readonly tlogs: readonly Log[];
  readonly ctlogs: readonly Log[];
  readonly certificateAuthorities: readonly Authority[];
  readonly timestampAuthorities: readonly Authority[];
}

const DAY_MS = 86_400_000;
const RENEW = 'take over newer keys: node .ci/trustedRoot.mjs';

/** The time until which all of it is valid. */
function endOf({ validFor, certChain }: Partial<Authority>): number {
  const certificates = (certChain?.certificates ?? []).map(({ rawBytes }) => Buffer.from(rawBytes, 'base64'));
  const ends = certificates.map((der) => Date.parse(new X509Certificate(der).validTo));
  return Math.min(Date.parse(validFor?.end ?? '9999-01-01'), ...ends);
}

describe('The keys of Sigstore and npm that are shipped', () => {
  const root = JSON.parse(TRUSTED_ROOT) as Root;
  const npm = JSON.parse(NPM_KEYS) as readonly (Log & { readonly keyUsage: string })[];
  const { tlogs, ctlogs, certificateAuthorities, timestampAuthorities } = root;
  const ofKind: Readonly<Record<string, readonly Partial<Authority>[]>> = {
    'certificate authority': certificateAuthorities,
    'transparency log': tlogs.map(({ publicKey }) => publicKey),
    'log of certificates': ctlogs.map(({ publicKey }) => publicKey),
    'timestamp authority': timestampAuthorities,
    'key of npm for statements': npm
      .filter(({ keyUsage }) => keyUsage === 'npm:attestations')
      .map(({ publicKey }) => publicKey),
    'key of npm for archives': npm
      .filter(({ keyUsage }) => keyUsage === 'npm:signatures')
      .map(({ publicKey }) => publicKey),
  };

  it('were taken over within the last year', () => {
    const days = Math.floor((Date.now() - Date.parse(ROOT_DATE)) / DAY_MS);
    expect(days, `they are of ${ROOT_DATE}; ${RENEW}`).within(0, 366);
  });

  for (const [kind, keys] of Object.entries(ofKind))
    it(`are valid for half a year more, at least one: ${kind}`, () => {
      const end = Math.max(...keys.map(endOf));
      const until = new Date(end).toISOString();
      expect(end, `the last ${kind} ends on ${until}; ${RENEW}`).above(Date.now() + 182 * DAY_MS);
    });

  it('are named with the way to newer ones where a log is not among them', () => {
    const [, built] = statementsOf('sigstore-2.3.1').attestations;
    const text = JSON.stringify(built?.bundle).replace(
      'wNI9atQGlz+VWfO6LRygH4QUfY/8W4RFwiT5i5WRgB0=',
      'AAAA',
    );
    expect(() => verifyBundle(JSON.parse(text), 'certificate')).throw(
      `(the keys of Sigstore that are known here are those of ${ROOT_DATE}, and a newer Pegboard has newer ones; --trusted-root <file> gives others)`,
    );
    expect(() => verifyBundle(JSON.parse(text), 'certificate')).throw(
      /^it is in a log whose key is not known here: /,
    );
  });

  it('are named so where the authority of a certificate is not among them', () => {
    const [, built] = statementsOf('sigstore-2.3.1').attestations;
    const former = { ...root, certificateAuthorities: certificateAuthorities.slice(0, 1) };
    expect(() => verifyBundle(built?.bundle, 'certificate', JSON.stringify(former))).throw(
      /^(?!it is in a log).*those of --trusted-root; --trusted-root <file> gives others/,
    );
  });
});
