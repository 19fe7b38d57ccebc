import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isStarting } from './readSnapshot.ts';
import type { Snapshot } from './readSnapshot.ts';

const NOT_STARTED = 'does not start by itself';

export interface Difference {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}
export interface PresetChange extends Difference {
  readonly name: string;
  /** Absent if both have it. */
  readonly only?: 'before' | 'after';
}
/** A server that did not connect in the trial: whether its tools would change cannot be said. */
export interface UnknownServer {
  readonly name: string;
  readonly reason: string;
  /** Its tools at the running gateway. */
  readonly tools: readonly string[];
}
export interface ToolChanges {
  readonly all: Difference;
  readonly presets: readonly PresetChange[];
  readonly unknown: readonly UnknownServer[];
}

/** What callers would gain and lose. @param after of the trial */
export function toolChanges(before: Snapshot, after: Snapshot): ToolChanges {
  const away = after.servers.filter(
    ({ sessionStatus, suspended }) => sessionStatus !== 'connected' && suspended !== true,
  );
  const owners = new Set(away.flatMap(ownersOf));
  const isUnknown = (tool: string): boolean => owners.has(before.tools.get(tool));
  const difference = (a: ReadonlySet<string>, b: ReadonlySet<string>): Difference => ({
    gained: [...b].filter((tool) => !a.has(tool)),
    lost: [...a].filter((tool) => !b.has(tool) && !isUnknown(tool)),
  });
  const none: ReadonlySet<string> = new Set();
  const names = [...new Set([...before.presets.keys(), ...after.presets.keys()])];
  return {
    all: difference(new Set(before.tools.keys()), new Set(after.tools.keys())),
    presets: names.map((name): PresetChange => {
      const [a, b] = [before.presets.get(name), after.presets.get(name)];
      const only = a === undefined ? 'after' : b === undefined ? 'before' : undefined;
      return { name, ...(only && { only }), ...difference(a ?? none, b ?? none) };
    }),
    unknown: away
      .map((server) => {
        const own = new Set(ownersOf(server));
        const tools = [...before.tools].filter(([, owner]) => own.has(owner)).map(([tool]) => tool);
        return { name: String(server['name']), reason: reasonOf(server), tools };
      })
      // A server that is stopped on both sides offers nothing on either.
      .filter(({ reason, tools }) => reason !== NOT_STARTED || tools.length > 0),
  };
}

/** The names under which a server's tools appear: its own, and its family's. */
function ownersOf({ name, family }: JsonObject): readonly (string | undefined)[] {
  return [String(name), ...(isObject(family) ? [String(family['name'])] : [])];
}

function reasonOf(server: JsonObject): string {
  const { sessionStatus, error, consecutiveFailures = 0 } = server;
  if (sessionStatus === 'auth_required') return 'needs a sign-in, which the trial does not have';
  if (typeof error === 'string') return `could not start: ${error}`;
  // During an attempt a server has no error.
  if (Number(consecutiveFailures) > 0) return 'could not start: it is tried again';
  return isStarting(server) ? 'has not connected in time' : NOT_STARTED;
}
