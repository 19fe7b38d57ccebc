import type { Invocation, JsonObject } from 'pegboard';
import { progressOf, UP } from '../add/startAdded.ts';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure, NoGateway } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { unseenNames } from '../definitions/unseenNames.ts';
import { pauseFor } from '../pauseFor.ts';
import { progressTo } from '../progressTo.ts';

const LOOK_MS = 500;
/** Those that are still starting are named this seldom. */
const AGAIN_MS = 10_000;

/** Says what servers whose definitions were written wait for, until each has started or failed, where the gateway of the directory
 *  runs; nothing with --quiet. They start without it, too, so that its faults and Ctrl-C are told, and no failure. */
export async function followStarts(names: readonly string[], invocation: Invocation): Promise<void> {
  if (names.length === 0 || optionsOf(invocation).quiet === true) return;
  if (!(await endpointOf(invocation)).isOwn) return;
  const tell = progressTo(invocation);
  try {
    await Gateway.connected(invocation, (gateway) => follow(gateway, names, invocation));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error instanceof NoGateway) return;
    const isOver = invocation.cancel.reason !== undefined;
    tell(isOver ? 'they continue to start; look with: pegboard list servers' : error.message);
  }
}

async function follow(gateway: Gateway, names: readonly string[], invocation: Invocation): Promise<void> {
  const { cancel } = invocation;
  const tell = progressTo(invocation);
  tell(`waiting for ${names.join(', ')} to start; Ctrl-C leaves them to it`);
  const until = Date.now() + Number(optionsOf(invocation).timeout) * 1_000;
  const known = async (): Promise<readonly string[]> => [...(await statusesAt(gateway)).keys()];
  const unseen = await unseenNames(gateway, names, known, invocation);
  if (unseen.length > 0)
    throw new Failure(
      `the gateway at ${gateway.endpoint.url} does not take ${unseen.join(', ')}; see: pegboard check`,
    );
  const open = new Set(names);
  let [started, saidAt] = [0, Date.now()];
  while (open.size > 0 && Date.now() < until) {
    const statuses = await statusesAt(gateway);
    for (const name of open) {
      const status = statuses.get(name);
      if (status?.['state'] === 'starting') continue;
      open.delete(name);
      if (UP.includes(String(status?.['state']))) started += 1;
      tell(
        status === undefined
          ? `${name} was removed`
          : `${name}: ${progressOf(status)}${nextStep(name, status)}`,
      );
      saidAt = Date.now();
    }
    if (open.size > 0 && Date.now() > saidAt + AGAIN_MS) {
      tell(`still starting: ${shared([...open], (name) => progressOf(statuses.get(name) ?? {}))}`);
      saidAt = Date.now();
    }
    if (open.size > 0) await pauseFor(LOOK_MS, cancel);
  }
  const late = open.size === 0 ? '' : `; ${[...open].join(', ')} did not answer yet`;
  tell(`${started} of ${names.length} started${late}`);
}

async function statusesAt(gateway: Gateway): Promise<ReadonlyMap<string, JsonObject>> {
  const { services } = await gateway.readCore('core_service_list');
  return new Map((services as readonly JsonObject[]).map((one) => [String(one['name']), one]));
}

/** Names of which the same is said together. */
function shared(names: readonly string[], wordsOf: (name: string) => string): string {
  const groups = new Map<string, string[]>();
  for (const name of names) groups.set(wordsOf(name), [...(groups.get(wordsOf(name)) ?? []), name]);
  return [...groups].map(([words, some]) => `${some.join(', ')} (${words})`).join('; ');
}

function nextStep(name: string, { state }: JsonObject): string {
  if (UP.includes(String(state))) return '';
  if (state === 'auth_required') return `; sign in with: pegboard auth login --server ${name}`;
  return `; change it with: pegboard edit server ${name}`;
}
