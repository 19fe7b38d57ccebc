import type { GatewayError, KernelEvent, Verdict } from 'pegboard';

/** idle: ended for want of calls, the next one starts it. */
export type State =
  'stopped' | 'idle' | 'starting' | 'ready' | 'failed' | 'unreachable' | 'auth_required' | 'stopping';
export type Health = 'healthy' | 'unhealthy' | 'unknown';

export interface StatusFacts {
  readonly state: State;
  readonly health: Health;
  /** ms since the epoch */
  readonly since: number;
  /** When the last attempt to connect began, ms since the epoch; undefined before the first */
  readonly lastAttempt: number | undefined;
  readonly lastError: GatewayError | undefined;
  /** The last error, while the server suffers from it. */
  readonly fault: string | undefined;
  /** What the decision layer says of its tools; one object per state, since it is asked per tool. */
  readonly verdict: Verdict;
}

/** How one server is, since when, and what was wrong last; every change is told as server.stateChanged. */
export class ServerStatus implements StatusFacts {
  readonly #server: string;
  readonly #emit: (event: KernelEvent) => void;
  #state: State = 'stopped';
  #health: Health = 'unknown';
  #since = Date.now();
  #lastAttempt: number | undefined;
  #lastError: GatewayError | undefined;
  #verdict: Verdict;
  /** What is wrong with a server that is connected: it could not be listed, or says too much. */
  #listError: GatewayError | undefined;
  #flood: GatewayError | undefined;

  constructor(server: string, emit: (event: KernelEvent) => void) {
    this.#server = server;
    this.#emit = emit;
    this.#verdict = verdictOf(server, this.#state);
  }

  get state(): State {
    return this.#state;
  }
  get health(): Health {
    return this.#health;
  }
  get since(): number {
    return this.#since;
  }
  get lastAttempt(): number | undefined {
    return this.#lastAttempt;
  }
  get lastError(): GatewayError | undefined {
    return this.#lastError;
  }
  get fault(): string | undefined {
    const isBad =
      this.#health === 'unhealthy' || this.#state === 'unreachable' || this.#state === 'auth_required';
    return isBad ? this.#lastError?.message : undefined;
  }
  get verdict(): Verdict {
    return this.#verdict;
  }

  /** To be told with the state that follows from it. */
  blame(error: GatewayError | undefined): void {
    this.#lastError = error;
  }

  /** What the server offers is in the catalogue before anybody hears that it is ready.
   *  @param before runs once the state is in, before it is told */
  enterReady(listError: GatewayError | undefined, before: () => void): void {
    this.#listError = listError;
    this.#suffer(before);
  }

  /** @param error undefined: no more */
  flooding(error: GatewayError | undefined): void {
    this.#flood = error;
    if (this.#state === 'ready') this.#suffer();
  }

  #suffer(before?: () => void): void {
    const error = this.#listError ?? this.#flood;
    this.blame(error);
    this.enter('ready', error === undefined ? 'healthy' : 'unhealthy', before);
  }

  /** @param before runs once the state is in, before it is told */
  enter(state: State, health: Health, before: () => void = () => undefined): void {
    if (this.#state === state && this.#health === health) {
      before();
      return;
    }
    if (this.#state !== state) this.#since = Date.now();
    if (state !== 'ready') this.#flood = undefined;
    if (state === 'starting') this.#lastAttempt = Date.now();
    this.#state = state;
    this.#health = health;
    this.#verdict = verdictOf(this.#server, state);
    before();
    const error = this.fault;
    this.#emit({
      type: 'server.stateChanged',
      server: this.#server,
      state,
      health,
      ...(error !== undefined && { error }),
    });
  }
}

const LAST_KNOWN = 'this is its last known declaration';
const REASONS: Partial<Readonly<Record<State, string>>> = {
  ready: 'connected',
  idle: 'idle; the next call starts it',
};

/** A server that is away hides nothing: its last known tools stay listed, and a call says why it cannot be made. */
function verdictOf(server: string, state: State): Verdict {
  return {
    layer: 'server',
    allow: true,
    reason: `server ${server} is ${REASONS[state] ?? `${state}; ${LAST_KNOWN}`}`,
  };
}
