import { Failure } from '../text/failure.ts';
import type { FoundPackage } from './foundPackage.ts';
import { npmFound } from './npmRegistry.ts';
import { ociFound } from './ociRegistry.ts';
import type { NamedPackage } from './packageIn.ts';
import { pypiFound } from './pypiIndex.ts';
import type { Asking } from './registryRequest.ts';

/** What the registry has of a package. @param version in place of that in the command @throws Failure; RegistryAway */
export async function lookUp(
  { registry, name, version: written, isExact }: NamedPackage,
  asking: Asking,
  version?: string,
): Promise<FoundPackage> {
  const wanted = version ?? written;
  const isPlain = isExact || wanted === undefined || /^[\w.+-]+$/.test(wanted);
  if (!isPlain)
    throw new Failure(`${name}@${wanted} is a range of versions, which cannot be pinned; name an exact one`);
  if (registry === 'npm') return npmFound(name, wanted, asking);
  return registry === 'pypi' ? pypiFound(name, wanted, asking) : ociFound(name, wanted, asking);
}
