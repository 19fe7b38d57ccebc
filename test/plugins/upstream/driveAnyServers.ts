import { expect } from 'chai';
import { VirtualClock } from '../../support/virtualClock.ts';
import { AnyServer, reachable, urlOf } from './anyServers.ts';
import { Rig } from './support.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Time-out of requests that hang: what hangs when its server begins to work has been asked. */
const TIMEOUT_S = 20;
const CALL_EVERY_MS = 15 * SECOND;

export interface Drive {
  readonly servers: number;
  /** How long they answer in any way. */
  readonly minutes: number;
  readonly seed: number;
}

export interface Driven {
  /** Requests a second to the server that was asked most, over the whole time and over the worst minute. */
  readonly worstMean: number;
  readonly worstMinute: number;
  /** The longest time (s) until a server that worked again was asked, and until its tool could be called. */
  readonly longestSilence: number;
  readonly longestAway: number;
}

/** Connects to servers that answer in any way, for hours that take seconds, while each is called from time to time; then all work. */
export async function driveAnyServers({ servers: count, minutes, seed }: Drive): Promise<Driven> {
  // What is imported at its first use takes real time, which the clock does not wait for.
  await import('../../../plugins/upstream/client/wire/httpWire.ts');
  const clock = new VirtualClock();
  const servers = Array.from(
    { length: count },
    (_, at) => new AnyServer(`s${at}`, seed + at, () => clock.now),
  );
  reachable(servers);
  const rig = new Rig();
  try {
    await rig.configure({ deadlineTickMs: SECOND });
    await rig.define(
      Object.fromEntries(
        servers.map((server) => [
          server.name,
          { type: 'streamable-http', url: urlOf(server), timeout: TIMEOUT_S, callTimeout: TIMEOUT_S },
        ]),
      ),
    );
    for (let passed = 0; passed < minutes * MINUTE; passed += CALL_EVERY_MS) {
      for (const { name } of servers) call(rig, name);
      await clock.run(CALL_EVERY_MS);
    }
    const rates = servers.map((server) => ratesOf(server, minutes));
    for (const [at, { mean }] of rates.entries())
      expect(mean, `requests a second to ${servers[at]?.story ?? ''}`).most(1);
    const back = await recover({ clock, rig, servers });
    return {
      worstMean: Math.max(...rates.map(({ mean }) => mean)),
      worstMinute: Math.max(...rates.map(({ minute }) => minute)),
      ...back,
    };
  } finally {
    const stopping = rig.stop();
    await clock.run(MINUTE);
    await stopping;
  }
}

function call(rig: Rig, name: string): void {
  if (rig.kernel.catalogue.shared(`x_${name}_echo`) !== undefined)
    rig.call(`x_${name}_echo`).catch(() => undefined);
}

function ratesOf({ asked }: AnyServer, minutes: number): { readonly mean: number; readonly minute: number } {
  const perMinute = new Array<number>(minutes + 1).fill(0);
  for (const { at } of asked)
    perMinute[Math.min(minutes, Math.floor(at / MINUTE))] =
      (perMinute[Math.min(minutes, Math.floor(at / MINUTE))] ?? 0) + 1;
  return { mean: asked.length / (minutes * 60), minute: Math.max(...perMinute) / 60 };
}

async function recover({
  clock,
  rig,
  servers,
}: {
  readonly clock: VirtualClock;
  readonly rig: Rig;
  readonly servers: readonly AnyServer[];
}): Promise<Pick<Driven, 'longestSilence' | 'longestAway'>> {
  const since = clock.now;
  const counts = servers.map(({ asked }) => asked.length);
  for (const server of servers) server.works = true;
  const usable = new Map<string, number>();
  for (let step = 0; step < 240 && usable.size < servers.length; step += 1) {
    await clock.run(SECOND);
    for (const { name } of servers) {
      if (usable.has(name) || rig.kernel.catalogue.shared(`x_${name}_echo`) === undefined) continue;
      rig.call(`x_${name}_echo`).then(
        () => usable.set(name, clock.now - since),
        () => undefined,
      );
      await clock.run(1);
    }
  }
  const silences = servers.map(({ asked }, at) => (asked[counts[at] ?? 0]?.at ?? Infinity) - since);
  for (const [at, silence] of silences.entries())
    expect(silence, `silence about ${servers[at]?.story ?? ''}`).most(MINUTE + (TIMEOUT_S + 2) * SECOND);
  for (const { name, story } of servers)
    expect(
      usable.get(name) ?? Infinity,
      `until the call of ${name}, ${rig.status(name).state}: ${story}`,
    ).most(2 * MINUTE);
  return {
    longestSilence: Math.max(...silences) / SECOND,
    longestAway: Math.max(...usable.values()) / SECOND,
  };
}
