import type { Invocation } from 'pegboard';
import type { NamedPackage, PackageSource } from '../../kit/packages/packageIn.ts';
import { FalseProvenance } from '../../kit/provenance/provenance.ts';
import type { Provenance } from '../../kit/provenance/provenance.ts';
import { Failure } from '../failure.ts';
import { lookedUp } from './lookedUp.ts';

/** How the build of a version differs from that of the pinned one: a stranger who publishes in the name of its author has not the
 *  author's workflow. Undefined if it does not, or if the pinned one has no provenance. */
export async function otherBuildOf(
  named: NamedPackage,
  next: Provenance | undefined,
  { invocation, former }: { readonly invocation: Invocation; readonly former: PackageSource | undefined },
): Promise<string | undefined> {
  if (next === undefined || former?.registry !== 'npm') return undefined;
  const before = await provenanceOf(named, former, invocation);
  if (before?.state !== 'verified') return undefined;
  const pinned = `${former.version} was built from ${before.repository}`;
  if (next.state !== 'verified') return `${pinned}, and this version has no provenance that is verified`;
  return next.repository === before.repository ? undefined : `${pinned}, and this version from elsewhere`;
}

/** That of the pinned version; undefined once the registry does not have it. */
async function provenanceOf(
  named: NamedPackage,
  { version, integrity }: PackageSource,
  invocation: Invocation,
): Promise<Provenance | undefined> {
  try {
    const { found, provenance } = await lookedUp(named, invocation, version);
    return found.source.integrity === integrity ? provenance : undefined;
  } catch (error) {
    if (error instanceof Failure && !(error instanceof FalseProvenance)) return undefined;
    throw error;
  }
}
