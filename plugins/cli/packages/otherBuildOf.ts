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
  const isWhole = former.repository !== undefined && former.repositoryId !== undefined;
  const asked = isWhole ? undefined : await sourceOf(named, former, invocation);
  const before = former.repository ?? asked?.repository;
  if (before === undefined) return undefined;
  const pinned = `${former.version} was built from ${before}`;
  if (next.state !== 'verified') return `${pinned}, and this version has no provenance that is verified`;
  const known = asked?.repository === before ? { ...asked, ...former } : former;
  const isSame = known.repositoryId !== undefined && known.repositoryId === next.repositoryId;
  if (next.repository !== before)
    return `${pinned}, and this version from ${isSame ? 'the same under another name' : 'elsewhere'}`;
  const other = (['repositoryId', 'ownerId'] as const).find(
    (key) => known[key] !== undefined && known[key] !== next[key],
  );
  if (other === undefined) return undefined;
  const what = other === 'ownerId' ? 'an owner' : 'a repository';
  return `${pinned}, and this version from ${what} that has only the name: its id is ${next[other] ?? 'not known'}, and was ${known[other]}`;
}

/** That of a version pinned without one, or without its ids; undefined once the registry does not have it. */
async function sourceOf(
  named: NamedPackage,
  { version, integrity }: PackageSource,
  invocation: Invocation,
): Promise<PackageSource | undefined> {
  try {
    const { found } = await lookedUp(named, invocation, version);
    return found.source.integrity === integrity ? found.source : undefined;
  } catch (error) {
    if (error instanceof Failure && !(error instanceof FalseProvenance)) return undefined;
    throw error;
  }
}
