import type { KernelEvent } from 'pegboard';
import { outcomeOf } from '../../kit/metrics/outcomeOf.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

export interface Minute {
  readonly calls: number;
  readonly errors: number;
}
interface Counter {
  /** Minutes since 1970. */
  minute: number;
  calls: number;
  errors: number;
}

/** Calls and errors of the last hour, by minute and server. What clients called, not the meta-tool around it. */
export class Minutes {
  readonly #all = Array.from({ length: MINUTES }, empty);
  readonly #byServer = new Map<string, Counter[]>();

  take(event: KernelEvent): void {
    if (event.type === 'call.refused') this.#count(undefined, true);
    if (event.type !== 'call.settled') return;
    const { tool, request } = event.call;
    if (tool.kind !== 'meta' && request.transport !== 'admin')
      this.#count(tool.server, outcomeOf(event) !== 'ok');
  }

  /** The oldest minute first; the last one is not over yet. */
  all(): readonly Minute[] {
    return inOrder(this.#all);
  }

  /** Sums of the last hour by server; only those that were called. */
  servers(): Readonly<Record<string, Minute>> {
    const sums = [...this.#byServer].map(([server, ring]) => [server, sumOfMinutes(inOrder(ring))] as const);
    return Object.fromEntries(sums.filter(([, { calls }]) => calls > 0));
  }

  #count(server: string | undefined, isError: boolean): void {
    add(this.#all, isError);
    if (server === undefined) return;
    let ring = this.#byServer.get(server);
    if (ring === undefined) this.#byServer.set(server, (ring = Array.from({ length: MINUTES }, empty)));
    add(ring, isError);
  }

  /** The server is not defined any more. */
  forgetOthers(servers: ReadonlySet<string>): void {
    for (const name of this.#byServer.keys()) if (!servers.has(name)) this.#byServer.delete(name);
  }
}

export function sumOfMinutes(minutes: readonly Minute[]): Minute {
  return minutes.reduce(
    (sum, { calls, errors }) => ({ calls: sum.calls + calls, errors: sum.errors + errors }),
    { calls: 0, errors: 0 },
  );
}

function empty(): Counter {
  return { minute: 0, calls: 0, errors: 0 };
}

function add(ring: readonly Counter[], isError: boolean): void {
  const minute = Math.floor(Date.now() / MINUTE_MS);
  const counter = ring[minute % MINUTES];
  if (counter === undefined) return;
  if (counter.minute !== minute) Object.assign(counter, { minute, calls: 0, errors: 0 });
  counter.calls += 1;
  if (isError) counter.errors += 1;
}

function inOrder(ring: readonly Counter[]): readonly Minute[] {
  const now = Math.floor(Date.now() / MINUTE_MS);
  return Array.from({ length: MINUTES }, (_, at) => {
    const minute = now - MINUTES + 1 + at;
    const counter = ring[minute % MINUTES];
    const { calls, errors } = counter?.minute === minute ? counter : empty();
    return { calls, errors };
  });
}
