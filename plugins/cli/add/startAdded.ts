import { messageOf, waitAtMost } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { pauseFor } from '../pauseFor.ts';
import { progressTo } from '../progressTo.ts';

const LOOK_MS = 1_000;
/** Programs that may have to download a package first. */
const FETCHING = /(?:^|\/)(?:npx|bunx|uvx|pipx|docker|podman|dnx)$/;

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
  const { cancel } = invocation;
  const say = progressTo(invocation);
  const [program = ''] = [spec['command']].flat().filter((word) => typeof word === 'string');
  const fetching = FETCHING.test(program) ? `; ${program} may have to download it first` : '';
  say(`added ${name}; waiting for its tools${fetching}`);
  const until = Date.now() + Number(optionsOf(invocation).timeout) * 1_000;
  let isOver = false;
  const told = progressOf(
    gateway,
    { name, say, isOver: () => isOver || cancel.reason !== undefined },
    invocation,
  );
  try {
    await gateway.readCore('core_service_start', { name });
  } catch (error) {
    if (cancel.reason !== undefined)
      throw new Failure(
        `interrupted; ${name} is added and continues to start: look with: pegboard get server ${name}, or remove it with: pegboard remove ${name}`,
      );
    const status = await settled(gateway, name, { until, cancel });
    if (['running', 'connected', 'ready', 'idle'].includes(String(status['state']))) return;
    const why = typeof status['error'] === 'string' ? status['error'] : messageOf(error);
    const fix = `change it with: pegboard edit server ${name}, or remove it with: pegboard remove ${name}`;
    throw new Failure(
      `${name} is added, but does not start: ${why}; ${fix}`,
      status['state'] === 'auth_required' ? SIGN_IN_NEEDED : 1,
    );
  } finally {
    isOver = true;
    await waitAtMost(LOOK_MS, told);
  }
}

/** The status once it is no longer starting: a runner that installs takes more than one attempt. */
async function settled(
  gateway: Gateway,
  name: string,
  { until, cancel }: { readonly until: number; readonly cancel: Invocation['cancel'] },
): Promise<JsonObject> {
  for (;;) {
    const status = await gateway.readCore('core_service_status', { name });
    if (status['state'] !== 'starting' || Date.now() > until) return status;
    await pauseFor(LOOK_MS, cancel);
  }
}

/** Says each change of the state that the gateway reports of a server. */
async function progressOf(
  gateway: Gateway,
  {
    name,
    say,
    isOver,
  }: { readonly name: string; readonly say: (line: string) => void; readonly isOver: () => boolean },
  { cancel }: Invocation,
): Promise<void> {
  let last = 'starting';
  while (!isOver()) {
    await pauseFor(LOOK_MS, cancel);
    if (isOver()) return;
    const status = await gateway.readCore('core_service_status', { name }).catch((): JsonObject => ({}));
    const { state, error } = status;
    const words = [state, error].filter((one) => typeof one === 'string' && one !== '').join(': ');
    if (words !== '' && words !== last && !isOver()) say(`${name}: ${words}`);
    if (words !== '') last = words;
  }
}
