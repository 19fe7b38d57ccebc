import type { KernelEvent } from 'pegboard';

const MAX_STATES = 20;
const MAX_SERVERS = 2_000;

export interface PastState {
  /** RFC 3339 */
  readonly at: string;
  readonly state: string;
  readonly health: string;
  readonly error?: string;
}

/** The last states of each server, since the admin pages were switched on. */
export class StateHistory {
  readonly #byServer = new Map<string, PastState[]>();

  take(event: KernelEvent): void {
    if (event.type !== 'server.stateChanged') return;
    const { server, state, health, error } = event;
    let states = this.#byServer.get(server);
    if (states === undefined) {
      if (this.#byServer.size >= MAX_SERVERS) return;
      this.#byServer.set(server, (states = []));
    }
    states.unshift({ at: new Date().toISOString(), state, health, ...(error !== undefined && { error }) });
    states.length = Math.min(states.length, MAX_STATES);
  }

  /** The newest first. */
  of(server: string): readonly PastState[] {
    return this.#byServer.get(server) ?? [];
  }
}
