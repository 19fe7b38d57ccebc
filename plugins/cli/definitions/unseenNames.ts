import type { Invocation } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import { pauseFor } from '../pauseFor.ts';

/** How long a gateway may take to see files, before it is asked to look. */
const SEEN_MS = 2_000;
const LOOK_MS = 100;

/** Waits until a running gateway knows names whose definitions were written as files; it is asked to look if it does not watch them.
 *  @param known reads the names that it knows @returns those that it does not take @throws Failure if it is cancelled */
export async function unseenNames(
  gateway: Gateway,
  names: readonly string[],
  known: () => Promise<readonly string[]>,
  { cancel }: Invocation,
): Promise<readonly string[]> {
  const unseen = async (): Promise<readonly string[]> => {
    const there = new Set(await known());
    return names.filter((name) => !there.has(name));
  };
  const until = Date.now() + SEEN_MS;
  while ((await unseen()).length > 0) {
    if (Date.now() < until) {
      await pauseFor(LOOK_MS, cancel);
      continue;
    }
    await gateway.readCore('core_config_reload');
    return unseen();
  }
  return [];
}
