import type { Invocation, JsonObject } from 'pegboard';
import type { Wanted } from '../../kit/add/wantedServer.ts';
import { packageIn } from '../../kit/packages/packageIn.ts';
import type { NamedPackage, PackageSource } from '../../kit/packages/packageIn.ts';
import { RegistryAway } from '../../kit/packages/registryRequest.ts';
import { FalseProvenance } from '../../kit/provenance/provenance.ts';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { lookedUp } from '../packages/lookedUp.ts';
import { nearPopular } from '../../kit/packages/nearPopular.ts';
import { progressTo } from '../progressTo.ts';

/** The package of a registry that is run; undefined if there is none. */
export function packageOf({ command, args }: Wanted['spec']): NamedPackage | undefined {
  return packageIn([command ?? [], args ?? []].flat().map(String));
}

/** Pins the package that is run to a version and what is in it, and shows what the registry declares for it.
 *  @throws Failure if the registry cannot be asked; --unpinned leaves it as it is */
export async function withPin(wanted: Wanted, invocation: Invocation): Promise<Wanted> {
  const say = progressTo(invocation);
  const { unpinned } = optionsOf<{ readonly unpinned?: boolean }>(invocation);
  const named = packageOf(wanted.spec);
  if (named === undefined) return wanted;
  const near = nearPopular(named);
  if (near !== undefined) say(`warning: ${named.name} is not ${near}, but its name is near; is it the one?`);
  // A user who has mistyped a name has not agreed to what it names.
  const doubted: Wanted = near === undefined ? wanted : { ...wanted, origin: 'others' };
  const isOthers = wanted.origin === 'others' && named.registry === 'oci' && /^[^/]*[.:]/.test(named.name);
  if (isOthers && unpinned !== true) {
    say(
      `${named.name} is not pinned: what a link or a file names is not asked before you agree; then use: pegboard upgrade ${wanted.name}`,
    );
    return doubted;
  }
  if (unpinned === true) {
    if (!named.isExact) say(`${named.name} is not pinned: whatever version is the newest runs at each start`);
    return doubted;
  }
  if (named.obstacle !== undefined && named.isExact) {
    say(
      `${named.name} ${named.version} runs by its version, and its content is not checked: ${named.obstacle}`,
    );
    return doubted;
  }
  try {
    const { found, facts } = await lookedUp(named, invocation);
    say(facts);
    return { ...doubted, spec: pinnedSpec(wanted.spec, named, found.source) };
  } catch (error) {
    // Without a pin it would still run.
    if (!(error instanceof Failure) || error instanceof FalseProvenance) throw error;
    const fix =
      error instanceof RegistryAway
        ? 'add it later, or without a pin'
        : 'correct it, or add it without a pin';
    throw new Failure(`${error.message}; ${fix}, so that its version may change at each start: --unpinned`);
  }
}

/** The definition with a pinned command in place of its own. */
export function pinnedSpec(spec: JsonObject, named: NamedPackage, source: PackageSource): JsonObject {
  const others = Object.entries(spec).filter(([key]) => key !== 'args');
  return { ...Object.fromEntries(others), command: named.pinned(source), source };
}
