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
  // What the definition says: a registry that lies could leave out the provenance of the former version as well.
  const before = former.repository ?? (await repositoryOf(named, former, invocation));
  if (before === undefined) return undefined;
  const pinned = `${former.version} was built from ${before}`;
  if (next.state !== 'verified') return `${pinned}, and this version has no provenance that is verified`;
  return next.repository === before ? undefined : `${pinned}, and this version from elsewhere`;
}

/** That of a version pinned without one; undefined if it has none, or once the registry does not have it. */
async function repositoryOf(
  named: NamedPackage,
  { version, integrity }: PackageSource,
  invocation: Invocation,
): Promise<string | undefined> {
  try {
    const { found } = await lookedUp(named, invocation, version);
    return found.source.integrity === integrity ? found.source.repository : undefined;
  } catch (error) {
    if (error instanceof Failure && !(error instanceof FalseProvenance)) return undefined;
    throw error;
  }
}
