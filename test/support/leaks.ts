import { readFileSync } from 'node:fs';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { runEnds, testBegins, testEnds } from './cleanup.ts';
import './environment.ts';

/** Longer than a swap waits for runs on former hooks. */
const GRACE_MS = 15_000;
/** Handles of mocha itself (in a worker, the channel to its parent), and handles already reported. */
const mochasOwn = new Set(activeHandles());

/** Loaded by mocha's `require`: runs deferred cleanups, and fails the run when a handle or a child is left.
 *  With workers that is after each file, and the next file runs in the same process. */
export const mochaHooks = {
  beforeEach: testBegins,
  afterEach: testEnds,
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(2 * GRACE_MS);
    await runEnds();
    await closeFetch();
    const end = performance.now() + GRACE_MS;
    // Not directly after a timer, which counts as active while its callback runs.
    await turn();
    while (leftovers().length > 0 && performance.now() < end) {
      await pause(20);
      await turn();
    }
    const left = leftovers();
    if (left.length === 0) return;
    for (const handle of activeHandles()) mochasOwn.add(handle);
    // A leaked handle would keep the run from ending; the failure must be printed first. Mocha ends its workers.
    if (process.send === undefined) setTimeout(() => process.exit(1), 3_000).unref();
    throw new Error(`left behind by the tests: ${left.join(', ')}`);
  },
};

interface ActiveHandles {
  _getActiveHandles(): Handle[];
}
interface Handle {
  readonly constructor: { readonly name: string };
  readonly fd?: number;
  readonly pid?: number;
  readonly spawnargs?: readonly string[];
  address?(): unknown;
  readonly remoteAddress?: string;
  readonly remotePort?: number;
}

function leftovers(): string[] {
  const handles = activeHandles().filter(
    (handle) => !mochasOwn.has(handle) && (handle.fd === undefined || handle.fd > 2),
  );
  // One timer is mocha's own, for this hook.
  const timers = process
    .getActiveResourcesInfo()
    .filter((name) => name === 'Timeout')
    .slice(1);
  return [...handles.map(describeHandle), ...timers, ...childrenOfOurs()];
}

function activeHandles(): Handle[] {
  return (process as unknown as ActiveHandles)._getActiveHandles();
}

function describeHandle(handle: Handle): string {
  const { constructor, spawnargs, pid, remoteAddress, remotePort } = handle;
  if (spawnargs !== undefined) return `${constructor.name} ${pid ?? ''} ${spawnargs.join(' ')}`;
  if (remoteAddress !== undefined) return `${constructor.name} to ${remoteAddress}:${remotePort ?? ''}`;
  return `${constructor.name} ${JSON.stringify(handle.address?.() ?? {})}`;
}

/** Detached or unreferenced children are no longer handles; only Linux lists them. */
function childrenOfOurs(): string[] {
  try {
    const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
    return pids === '' ? [] : pids.split(' ').map((pid) => `child process ${pid}`);
  } catch {
    return [];
  }
}

interface Dispatcher {
  readonly constructor: new () => Dispatcher;
  destroy(): Promise<void>;
}

/** fetch keeps idle sockets for some seconds; the next file gets a dispatcher without any. */
async function closeFetch(): Promise<void> {
  const held = globalThis as Record<symbol, unknown>;
  const key = Symbol.for('undici.globalDispatcher.1');
  const shared = held[key] as Dispatcher | undefined;
  if (shared === undefined) return;
  held[key] = new shared.constructor();
  await shared.destroy();
}
