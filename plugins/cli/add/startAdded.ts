import { isObject, messageOf, waitAtMost } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { runnerOf } from '../../kit/definitions/runnerOf.ts';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { pauseFor } from '../pauseFor.ts';
import { progressTo } from '../progressTo.ts';

const LOOK_MS = 1_000;
/** Words that only count on are said this seldom. */
const AGAIN_MS = 15_000;
/** States of a server that has started. */
export const UP = ['running', 'connected', 'ready', 'idle'];

interface Added {
  readonly name: string;
  readonly spec: JsonObject;
}

/** Starts a server that was added, and says what it waits for. @throws Failure if it does not start, or the wait is interrupted */
export async function startAdded(
  gateway: Gateway,
  { name, spec }: Added,
  invocation: Invocation,
): Promise<void> {
  const runner = runnerOf([spec['command']].flat().filter((word) => typeof word === 'string'));
  const fetching = runner === undefined ? '' : `; ${runner} may have to download it first`;
  progressTo(invocation)(`added ${name}; waiting for its tools${fetching}`);
  const { cancel } = invocation;
  try {
    const refusal = await refusalOf(gateway, name, invocation);
    const status = await settled(gateway, name, invocation);
    if (UP.includes(String(status['state']))) return;
    const why = typeof status['error'] === 'string' ? status['error'] : (refusal ?? String(status['state']));
    const fix = `change it with: pegboard edit server ${name}, or remove it with: pegboard remove ${name}`;
    throw new Failure(
      `${name} is added, but does not start: ${why}; ${fix}`,
      status['state'] === 'auth_required' ? SIGN_IN_NEEDED : 1,
    );
  } catch (error) {
    if (cancel.reason === undefined) throw error;
    throw new Failure(
      `interrupted; ${name} is added and continues to start: look with: pegboard get server ${name}, or remove it with: pegboard remove ${name}`,
    );
  }
}

/** Why the gateway says that it did not start; undefined if it started. */
async function refusalOf(
  gateway: Gateway,
  name: string,
  invocation: Invocation,
): Promise<string | undefined> {
  let isOver = false;
  const told = tellOf(gateway, name, { invocation, isOver: () => isOver });
  try {
    await gateway.readCore('core_service_start', { name });
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    isOver = true;
    await waitAtMost(LOOK_MS, told);
  }
}

/** The status once it is no longer starting: a runner that installs outlasts the wait for a start. @throws Failure if it is cancelled */
async function settled(gateway: Gateway, name: string, invocation: Invocation): Promise<JsonObject> {
  const until = Date.now() + Number(optionsOf(invocation).timeout) * 1_000;
  const say = startProgress(progressTo(invocation), name);
  for (;;) {
    const status = await gateway.readCore('core_service_status', { name });
    if (status['state'] !== 'starting' || Date.now() > until) return status;
    say(status);
    await pauseFor(LOOK_MS, invocation.cancel);
  }
}

/** Says what the gateway reports of a server, until it is over. */
async function tellOf(
  gateway: Gateway,
  name: string,
  { invocation, isOver }: { readonly invocation: Invocation; readonly isOver: () => boolean },
): Promise<void> {
  const { cancel } = invocation;
  const say = startProgress(progressTo(invocation), name);
  for (;;) {
    await pauseFor(LOOK_MS, cancel);
    if (isOver() || cancel.reason !== undefined) return;
    const status = await gateway.readCore('core_service_status', { name }).catch((): JsonObject => ({}));
    if (!isOver()) say(status);
  }
}

function startProgress(say: (line: string) => void, name: string): (status: JsonObject) => void {
  let last = 'starting';
  let saidAt = Date.now();
  return (status) => {
    const words = progressOf(status);
    const kind = words.replaceAll(/\d+/g, '');
    if (words === '' || (kind === last && Date.now() - saidAt < AGAIN_MS) || words === last) return;
    if (words !== 'starting') say(`${name}: ${words}`);
    last = kind;
    saidAt = Date.now();
  };
}

/** What the gateway reports of a start: the state, with the fault or what it waits for. */
export function progressOf({ state, error, metadata }: JsonObject): string {
  const progress = isObject(metadata) ? metadata['progress'] : undefined;
  return [state, error ?? progress].filter((one) => typeof one === 'string').join(': ');
}
