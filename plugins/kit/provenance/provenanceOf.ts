// Loaded only when a package is pinned: the library takes 130 KB.
import { createPublicKey, verify } from 'node:crypto';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { FoundPackage } from '../packages/foundPackage.ts';
import { jsonOf, registryRequest } from '../packages/registryRequest.ts';
import type { Asking } from '../packages/registryRequest.ts';
import { Failure } from '../text/failure.ts';
import { npmKey } from './npmKey.ts';
import { FalseProvenance } from './provenance.ts';
import type { Provenance } from './provenance.ts';
import { builtBy, predicateOf } from './statement.ts';
import type { Subject } from './statement.ts';
import { verifyBundle } from './verifyBundle.ts';

const PROVENANCE = /^https:\/\/slsa\.dev\/provenance\/(?:v0\.2|v1)$/;
const PUBLISH = 'https://github.com/npm/attestation/tree/main/specs/publish/v0.1';
/** Those of npm are of 15 KB. */
const MAX_BYTES = 2 * 1024 * 1024;
/** npm has two for a version. */
const MAX_STATEMENTS = 16;
/** Registries without this API answer so. */
const NOT_SERVED = [400, 404, 405, 410, 501];

/** Where an npm package was built: what its registry has of statements, verified for the archive that is pinned; undefined for other
 *  registries, which have none here. @param root JSON of a trusted root, in place of the shipped one
 *  @throws FalseProvenance if one of them is not valid; RegistryAway; Failure
 *  Source: https://github.com/npm/attestation */
export async function provenanceOf(
  found: FoundPackage,
  asking: Asking,
  root?: string,
): Promise<Provenance | undefined> {
  const { source, npm } = found;
  if (npm === undefined) return undefined;
  checkSignatures(found);
  if (!npm.hasStatements) return { state: 'absent' };
  const path = `-/npm/v1/attestations/${source.name.replace('/', '%2f')}@${encodeURIComponent(source.version)}`;
  const url = new URL(path, npm.registry).href;
  const what = `provenance of ${source.name} ${source.version}`;
  const response = await registryRequest(url, {
    ...asking,
    what,
    namedBy: npm.registry,
    accept: 'application/json',
    maxBytes: MAX_BYTES,
    statuses: NOT_SERVED,
  });
  if (response.status !== 200) return { state: 'unserved' };
  const { attestations } = await jsonOf(response, url);
  const list = Array.isArray(attestations)
    ? attestations.filter((one): one is JsonObject => isObject(one))
    : [];
  if (list.length > MAX_STATEMENTS) throw falseOf(source, `the registry has ${list.length} of them`);
  const ofType = (isType: (type: string) => boolean): readonly JsonObject[] =>
    list.filter(({ predicateType }) => typeof predicateType === 'string' && isType(predicateType));
  const [built, ...more] = ofType((type) => PROVENANCE.test(type));
  const published = ofType((type) => type === PUBLISH);
  // Of two that differ, none would be the one.
  if (more.length > 0 || published.length > 1) throw falseOf(source, 'the registry has several of a kind');
  if (built === undefined) return { state: 'unserved' };
  try {
    const verified = verifyBundle(built['bundle'], 'certificate', root);
    const build = builtBy(verified, predicateOf(verified, String(built['predicateType']), source));
    let isPublished = false;
    for (const { bundle } of published.filter(hasKnownKey)) {
      const { name, version } = predicateOf(verifyBundle(bundle, 'npm', root), PUBLISH, source);
      if (name !== source.name || version !== source.version)
        throw new Error('the statement of npm is of another package or version');
      isPublished = true;
    }
    return { ...build, isPublished };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw falseOf(source, messageOf(error));
  }
}

/** The signatures of the registry, by those keys of npm that are known here. @throws FalseProvenance
 *  Source: https://docs.npmjs.com/about-registry-signatures */
function checkSignatures({ source, npm, publishedAt }: FoundPackage): void {
  for (const one of npm?.signatures ?? []) {
    const { keyid, sig } = isObject(one) ? one : {};
    const key = typeof keyid === 'string' ? npmKey(keyid, 'npm:signatures') : undefined;
    if (key === undefined) continue;
    const signed = Buffer.from(`${source.name}@${source.version}:${npm?.integrity}`);
    const publicKey = createPublicKey({ key: key.der, format: 'der', type: 'spki' });
    const isValid = key.isValidAt(new Date(publishedAt ?? NaN));
    if (!isValid || !verify('sha256', signed, publicKey, Buffer.from(String(sig), 'base64')))
      throw falseOf(source, 'the signature of its registry is not of this archive');
  }
}

/** A registry that names a key of its own says nothing that counts, as one that sends no statement. */
function hasKnownKey({ bundle }: JsonObject): boolean {
  const material = isObject(bundle) ? bundle['verificationMaterial'] : undefined;
  const key = isObject(material) ? material['publicKey'] : undefined;
  const hint = isObject(key) ? key['hint'] : undefined;
  return typeof hint === 'string' && npmKey(hint, 'npm:attestations') !== undefined;
}

function falseOf({ name, version }: Subject, why: string): FalseProvenance {
  return new FalseProvenance(
    `the provenance of ${name} ${version} is not valid, so nothing vouches for this archive: ${why}`,
  );
}
