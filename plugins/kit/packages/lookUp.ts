import { Failure } from '../text/failure.ts';
import type { FoundPackage } from './foundPackage.ts';
import { npmFound } from './npmFound.ts';
import { ociFound } from './ociFound.ts';
import type { NamedPackage } from './packageIn.ts';
import { pypiFound } from './pypiFound.ts';
import type { Asking } from './registryRequest.ts';

/** What the registry has of a package. @param version in place of that in the command @throws Failure; RegistryAway */
export async function lookUp(
  { registry, name, version: written, isExact, obstacle }: NamedPackage,
  asking: Asking,
  version?: string,
): Promise<FoundPackage> {
  if (obstacle !== undefined) throw new Failure(`${name} cannot be pinned: ${obstacle}`);
  const wanted = version ?? written;
  const isPlain = isExact || wanted === undefined || /^[\w.+-]+$/.test(wanted);
  if (!isPlain)
    throw new Failure(`${name}@${wanted} is a range of versions, which cannot be pinned; name an exact one`);
  if (registry === 'npm') return npmFound(name, wanted, asking);
  return registry === 'pypi' ? pypiFound(name, wanted, asking) : ociFound(name, wanted, asking);
}
