import { GatewayError } from 'pegboard';
import type { Call } from 'pegboard';
import { InFlight } from '../kit/limits/inFlight.ts';
import { callerKey, sharerOf } from '../kit/authority/ownerOf.ts';
import { Tally } from '../kit/metrics/tally.ts';
import type { Limit, LimitsConfig } from './config.ts';
import type { DrawnCalls } from './drawnCalls.ts';
import type { Leases, Limited } from './leases.ts';
import { Meter } from './meter.ts';
import { Meters } from './meters.ts';
import { SharedMeter } from './sharedMeter.ts';

/** One limit that a call meets. */
interface Bound {
  readonly what: Limited;
  /** `this` for the session and the caller, whose keys must not be shown. */
  readonly name: string;
  readonly limit: Limit;
  readonly meter: Meter;
  /** The caller's share of a limit that several callers use. */
  readonly share: Meter | undefined;
  readonly sharers: number;
  /** What this process has drawn from a limit that other processes use too; undefined if it is not shared. */
  readonly lease: DrawnCalls | undefined;
}
interface LeasedBound extends Bound {
  readonly lease: DrawnCalls;
}
interface Target {
  readonly call: Call;
  readonly now: number;
  readonly bounds: Bound[];
}

/** Counts calls against every limit that applies; a call is admitted by all of them or counted by none. */
export class Limits {
  /** Number of refused calls, by the limit that refused them: `session`, `caller`, `server` or `tool`. */
  readonly refusals = new Tally();
  #config: LimitsConfig;
  readonly #leases: Leases;
  readonly #sessions = new Meters(() => new Meter());
  readonly #callers = new Meters(() => new Meter());
  readonly #servers = new Meters(() => new SharedMeter());
  readonly #tools = new Meters(() => new SharedMeter());
  readonly #boundsByCall = new InFlight<readonly Bound[]>();

  constructor(config: LimitsConfig, leases: Leases) {
    this.#config = config;
    this.#leases = leases;
  }

  /** Applies new limits and keeps the counts. */
  adopt(next: LimitsConfig): void {
    this.#config = next;
  }

  /** Number of calls that count as running. */
  get running(): number {
    return this.#boundsByCall.size;
  }

  /** @param now ms of a monotonic clock @returns a promise if a shared limit must be drawn from first
   *  @throws GatewayError LIMIT_EXCEEDED, STORE_UNREACHABLE for a shared limit */
  admit(call: Call, now: number): Promise<undefined> | undefined {
    const bounds: Bound[] = [];
    this.#boundEntry(call, bounds);
    this.#boundTarget(call, now, bounds);
    if (bounds.some(isUndrawn)) return this.#draw(call, bounds);
    if (bounds.length > 0) this.#count(call, bounds, now);
    return undefined;
  }

  async #draw(call: Call, bounds: readonly Bound[]): Promise<undefined> {
    for (let lacking = bounds.filter(isUndrawn); lacking.length > 0; lacking = bounds.filter(isUndrawn)) {
      const drawn = lacking.map(async (bound) => [bound, await bound.lease.draw()] as const);
      const waitMsByBound = new Map<Bound, number>(await Promise.all(drawn));
      // If fewer calls were drawn than wait, the first ones get them.
      this.#mustBeFree(lacking.filter(isUndrawn), (bound) => waitMsByBound.get(bound) ?? 0);
    }
    this.#count(call, bounds, performance.now());
  }

  #count(call: Call, bounds: readonly Bound[], now: number): void {
    this.#mustBeFree(bounds, (bound) => this.#waitMs(bound, now));
    for (const { meter, share, limit, sharers, lease } of bounds) {
      meter.take(limit, now);
      share?.take(limit, now, sharers);
      lease?.take();
    }
    this.#boundsByCall.put(call.id, bounds);
  }

  #mustBeFree(bounds: readonly Bound[], waitOf: (bound: Bound) => number): void {
    let worst: Bound | undefined;
    let worstMs = 0;
    for (const bound of bounds) {
      const waitMs = waitOf(bound);
      if (waitMs > worstMs) [worst, worstMs] = [bound, waitMs];
    }
    // It is not known when a call that runs at another process ends.
    if (worstMs === Infinity) worstMs = this.#config.busyRetrySeconds * 1_000;
    if (worst === undefined) return;
    this.refusals.add({ limit: worst.what });
    throw refusal(worst, worstMs);
  }

  /** The call has ended, in any way. */
  settle(call: Call): void {
    const bounds = this.#boundsByCall.get(call.id);
    if (bounds === undefined) return;
    this.#boundsByCall.delete(call.id);
    for (const { meter, share, lease } of bounds) {
      meter.release();
      share?.release();
      lease?.release();
    }
  }

  /** The wait for one limit. Beyond its equal part, a sharer must leave one call for each of the others. */
  #waitMs({ limit, meter, share, sharers }: Bound, now: number): number {
    const ownMs = meter.waitMs(limit, now);
    const busyMs = this.#config.busyRetrySeconds * 1_000;
    if (meter.isBusy(limit)) return Math.max(ownMs, busyMs);
    if (share === undefined || sharers === 1) return ownMs;
    if (share.isBusy(limit, sharers) && meter.isBusy(limit, 1, sharers - 1)) return Math.max(ownMs, busyMs);
    const partMs = share.waitMs(limit, now, sharers);
    return Math.max(ownMs, Math.min(partMs, meter.waitMs(limit, now, 1, sharers)));
  }

  /** Limits of the calls that a client itself makes, without steps of workflows. */
  #boundEntry({ parent, request }: Call, bounds: Bound[]): void {
    if (parent !== undefined) return;
    const { perSession, perCaller, maxEntries } = this.#config;
    if (request.sessionId !== undefined && isSet(perSession)) {
      const meter = this.#sessions.use(request.sessionId, maxEntries);
      const lease = this.#leaseOf('session', request.sessionId, perSession);
      bounds.push({ ...OF_ONE, what: 'session', limit: perSession, meter, lease });
    }
    if (isSet(perCaller)) {
      const origin = originOf(request);
      const meter = this.#callers.use(origin, maxEntries);
      const lease = this.#leaseOf('caller', origin, perCaller);
      bounds.push({ ...OF_ONE, what: 'caller', limit: perCaller, meter, lease });
    }
  }

  /** Limits of the server and the tool behind call_tool. */
  #boundTarget(call: Call, now: number, bounds: Bound[]): void {
    const { kind, name: own, group, server } = call.tool;
    if (kind === 'meta') return;
    const { perServer, perTool, servers, tools } = this.#config;
    if (server !== undefined) {
      const limit = Object.hasOwn(servers, server) ? servers[server] : perServer;
      this.#boundShared('server', server, limit, { call, now, bounds });
    }
    // A limit of a family's tool is shared by its members.
    const name = [own, group?.name].find((one) => one !== undefined && Object.hasOwn(tools, one)) ?? own;
    const limit = Object.hasOwn(tools, name) ? tools[name] : perTool;
    this.#boundShared('tool', name, limit, { call, now, bounds });
  }

  #boundShared(what: 'server' | 'tool', name: string, limit: Limit | undefined, of: Target): void {
    if (limit === undefined || !isSet(limit)) return;
    const { maxEntries } = this.#config;
    const meter = (what === 'server' ? this.#servers : this.#tools).use(name, maxEntries);
    const share = meter.shareOf(sharerOf(of.call.request), limit, { now: of.now, max: maxEntries });
    const lease = this.#leaseOf(what, name, limit);
    of.bounds.push({ what, name, limit, meter, share, sharers: meter.sharers, lease });
  }

  #leaseOf(what: Bound['what'], name: string, limit: Limit): DrawnCalls | undefined {
    return this.#config.shared ? this.#leases.of(what, name, limit) : undefined;
  }
}

const OF_ONE = { name: 'this', share: undefined, sharers: 1 } as const;

function isUndrawn(bound: Bound): bound is LeasedBound {
  return bound.lease?.isFree === false;
}

function isSet({ callsPerMinute, concurrent }: Limit): boolean {
  return callsPerMinute > 0 || concurrent > 0;
}

function originOf({ caller, remoteAddress, transport }: Call['request']): string {
  return callerKey(caller) ?? remoteAddress ?? transport;
}

function refusal({ what, name, limit, sharers }: Bound, waitMs: number): GatewayError {
  // Tenths of a second, and never 0: an agent that tries again at once is refused again.
  const retryAfter = Math.max(Math.ceil(waitMs / 100), 1) / 10;
  const shared = sharers > 1 ? `, shared by ${sharers} callers now` : '';
  const subject = name === 'this' ? `this ${what}` : `${what} ${name}`;
  const text = `${subject} is limited to ${limitWords(limit)}${shared}; try again in ${retryAfter} s`;
  return new GatewayError('LIMIT_EXCEEDED', text, { details: { limit: what, retryAfter } });
}

function limitWords({ callsPerMinute, concurrent }: Limit): string {
  const rate =
    callsPerMinute > 0 ? [`${callsPerMinute} call${callsPerMinute === 1 ? '' : 's'} a minute`] : [];
  const width = concurrent > 0 ? [`${concurrent} at a time`] : [];
  return [...rate, ...width].join(' and ');
}
