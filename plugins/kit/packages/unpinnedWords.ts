import { packageIn } from './packageIn.ts';
import type { NamedPackage } from './packageIn.ts';

/** Why a command may run other code at each start, with the cure; undefined if it runs no package, or an exact one.
 *  @param server its name */
export function unpinnedWords(command: readonly string[], server: string): string | undefined {
  const found = packageIn(command);
  if (found?.isExact === true && found.besides !== undefined)
    return `package ${found.name} is run with ${found.besides}, which has no exact version, so that other code may run at each start; write ${found.besides}==VERSION`;
  if (found === undefined || found.isExact) return undefined;
  return `${wordsFor(found)}, so that other code may run at each start; ${cureFor(found, server)}`;
}

function wordsFor({ registry, name, version }: NamedPackage): string {
  const what = registry === 'oci' ? `image ${name}` : `package ${name}`;
  if (version === undefined) return `${what} is run without a version`;
  const isTag = registry === 'oci' && version !== 'latest';
  return `${what} is run as ${version}, which is ${isTag ? 'a tag that can be moved' : 'not an exact version'}`;
}

function cureFor({ obstacle }: NamedPackage, server: string): string {
  const pin = `pin it with: pegboard upgrade ${server}`;
  return obstacle === undefined ? pin : `write an exact version, as it cannot be pinned: ${obstacle}`;
}
