import { readFile } from 'node:fs/promises';
import { messageOf } from 'pegboard';
import type { Invocation } from 'pegboard';
import type { FoundPackage } from '../../kit/packages/foundPackage.ts';
import { lookUp } from '../../kit/packages/lookUp.ts';
import type { NamedPackage, PackageSource } from '../../kit/packages/packageIn.ts';
import type { Provenance } from '../../kit/provenance/provenance.ts';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { askingOf } from './askingOf.ts';
import { packageFacts } from './packageFacts.ts';

/** What a user sees of a package before it is pinned. */
export interface LookedUp {
  /** Its source has the repository that its provenance names. */
  readonly found: FoundPackage;
  readonly provenance: Provenance | undefined;
  /** It in one line. */
  readonly facts: string;
}

/** What the registry has of a package that is to be pinned, and where it was built. @param version in place of that in the command
 *  @throws FalseProvenance; RegistryAway; Failure */
export async function lookedUp(
  named: NamedPackage,
  invocation: Invocation,
  version?: string,
): Promise<LookedUp> {
  const { trustedRoot } = optionsOf<{ readonly trustedRoot?: string }>(invocation);
  const root = trustedRoot === undefined ? undefined : await rootText(trustedRoot);
  const asking = askingOf(invocation);
  const declared = await lookUp(named, asking, version);
  const { provenanceOf } = await import('../../kit/provenance/provenanceOf.ts');
  const provenance = await provenanceOf(declared, asking, root);
  const found = { ...declared, source: { ...declared.source, ...originOf(provenance) } };
  return { found, provenance, facts: packageFacts(found, provenance) };
}

type Origin = Pick<PackageSource, 'repository' | 'repositoryId' | 'ownerId'>;

function originOf(provenance: Provenance | undefined): Origin {
  if (provenance?.state !== 'verified') return {};
  const { repository, repositoryId, ownerId } = provenance;
  return { repository, ...(repositoryId && { repositoryId }), ...(ownerId && { ownerId }) };
}

function rootText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`the file of --trusted-root cannot be read: ${messageOf(error)}`);
  });
}
