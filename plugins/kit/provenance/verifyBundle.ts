import { createPublicKey } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { VerificationError, Verifier, toSignedEntity, toTrustMaterial } from '@sigstore/verify';
import type { Signer } from '@sigstore/verify';
import { messageOf } from 'pegboard';
import { Failure } from '../text/failure.ts';
import { npmKey } from './npmKey.ts';
import { ROOT_DATE, TRUSTED_ROOT } from './trustedRoot.ts';

/** What a bundle holds once its signature, its certificate and its entry in the log have been verified. */
export interface Verified {
  /** The payload of the envelope, of type application/vnd.in-toto+json. */
  readonly payload: Buffer;
  /** Who has signed it by a certificate; undefined if a key of npm has. */
  readonly identity: Signer['identity'];
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Their causes may be keys that are newer than this program. */
const KEY_CODES = /^(?:CERTIFICATE|TLOG|TIMESTAMP|PUBLIC_KEY)/;

/** Verifies a bundle of Sigstore with its library. @param by what has to have signed it @param root JSON in place of the shipped keys
 *  @throws Error whose message says why it is not valid; Failure if `root` is not one
 *  Source: https://docs.sigstore.dev/about/bundle/ */
export function verifyBundle(bundle: unknown, by: 'certificate' | 'npm', root?: string): Verified {
  const trusted = rootOf(root);
  let isOfUnknownLog = false;
  try {
    const parsed = bundleFromJSON(bundle);
    const { content, verificationMaterial } = parsed;
    if (content.$case !== 'dsseEnvelope' || content.dsseEnvelope.payloadType !== PAYLOAD_TYPE)
      throw new Error('it holds no statement');
    // The other kind of signer would be verified by other keys.
    const isOfKey = verificationMaterial.content.$case === 'publicKey';
    if (isOfKey !== (by === 'npm')) throw new Error(`it is not signed by ${wordsFor(by)}`);
    isOfUnknownLog = verificationMaterial.tlogEntries.some(({ logId }) => !isKnownLog(logId?.keyId, trusted));
    const material = toTrustMaterial(trusted, (hint) => {
      const key = npmKey(hint, 'npm:attestations');
      if (key === undefined) throw new Error('its key is not known');
      const publicKey = createPublicKey({ key: key.der, format: 'der', type: 'spki' });
      return { publicKey, validFor: (time) => key.isValidAt(time) };
    });
    const { identity } = new Verifier(material).verify(toSignedEntity(parsed));
    return { payload: content.dsseEnvelope.payload, identity };
  } catch (error) {
    const isOfKeys = error instanceof VerificationError && KEY_CODES.test(error.code);
    const shipped = `those of ${ROOT_DATE}, and a newer Pegboard has newer ones`;
    const keys = root === undefined ? shipped : 'those of --trusted-root';
    const log = isOfUnknownLog ? 'it is in a log whose key is not known here: ' : '';
    throw new Error(
      `${log}${messageOf(error)}${isOfKeys ? ` (the keys of Sigstore that are known here are ${keys}; --trusted-root <file> gives others)` : ''}`,
      { cause: error },
    );
  }
}

function wordsFor(by: 'certificate' | 'npm'): string {
  return by === 'npm' ? 'a key of npm' : 'a certificate';
}

function isKnownLog(id: Buffer | undefined, { tlogs }: TrustedRoot): boolean {
  return id !== undefined && tlogs.some(({ logId }) => logId?.keyId.equals(id));
}

/** @throws Failure */
function rootOf(text: string | undefined): TrustedRoot {
  let root: TrustedRoot | undefined;
  try {
    root = TrustedRoot.fromJSON(JSON.parse(text ?? TRUSTED_ROOT));
  } catch {
    // Said below.
  }
  const lists = [root?.certificateAuthorities, root?.tlogs, root?.ctlogs];
  if (root === undefined || lists.some((list = []) => list.length === 0))
    throw new Failure(
      'the file of --trusted-root is not a trusted root of Sigstore; that is named trusted_root.json, with "certificateAuthorities", "tlogs" and "ctlogs"',
    );
  return root;
}
