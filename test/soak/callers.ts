import { setTimeout as pause } from 'node:timers/promises';
import { McpClient, textOf } from '../support/mcpClient.ts';

/** Calls of one session before the client leaves, in some sessions without DELETE. */
const CALLS_PER_SESSION = 50;
/** Pause between calls, so that the soak is long and not only busy. */
const REST_MS = 20;
const KEPT = 20;

/** Outcome of all calls so far. */
export class Tally {
  calls = 0;
  sessions = 0;
  /** Failed because the server died, with that reason. */
  died = 0;
  /** Failed with another reason. */
  lost = 0;
  /** The first of these failures. */
  readonly examples: string[] = [];
  readonly #times: number[] = [];

  took(ms: number): void {
    this.#times.push(ms);
  }
  lose(what: string): void {
    this.lost += 1;
    if (this.examples.length < KEPT) this.examples.push(what.slice(0, 300));
  }
  /** Latencies since the last query, in ms. */
  p99(): number {
    const times = this.#times.splice(0).sort((a, b) => a - b);
    return Math.round(times[Math.floor(times.length * 0.99)] ?? 0);
  }
}

export interface CallerOptions {
  readonly url: string;
  /** Servers that keep running, and one that is killed now and then. */
  readonly steady: readonly string[];
  readonly mortal: string;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Opens sessions and calls, one after the other, until the signal. Never rejects. */
export async function keepCalling(options: CallerOptions): Promise<void> {
  const { url, tally, signal } = options;
  while (!signal.aborted) {
    try {
      const client = await McpClient.connect(url);
      tally.sessions += 1;
      for (let at = 0; at < CALLS_PER_SESSION && !hasEnded(signal); at += 1) await callOnce(client, options);
      if (Math.random() < 0.5) await client.end();
    } catch (error) {
      tally.lose(`session: ${String(error)}`);
      await pause(200);
    }
  }
}

/** A function, because the value changes during awaits. */
export function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function callOnce(client: McpClient, { steady, mortal, tally }: CallerOptions): Promise<void> {
  const servers = [...steady, mortal];
  const server = servers[Math.floor(Math.random() * servers.length)] ?? mortal;
  const text = `call ${tally.calls}`;
  const startedAt = performance.now();
  tally.calls += 1;
  try {
    const result = await client.callTool(`x_${server}_echo`, { text });
    const said = textOf(result);
    if (said === `echo: ${text}`) tally.took(performance.now() - startedAt);
    else if (server === mortal && result.isError === true && said.includes(mortal)) tally.died += 1;
    else tally.lose(`${server}: ${said}`);
  } catch (error) {
    tally.lose(`${server}: ${String(error)}`);
  }
  await pause(REST_MS);
}
