import type { GatewayError, KernelEvent, Verdict } from 'pegboard';

/** idle: the process was ended because it had no calls; the next call starts it. */
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
  /** The message of the last error, while it affects the server. */
  readonly fault: string | undefined;
  /** The verdict of the decision layer on its tools; one object per state, because it is read for every tool. */
  readonly verdict: Verdict;
}

/** State, health and last error of one server; emits server.stateChanged at every change. */
export class ServerStatus implements StatusFacts {
  readonly #server: string;
  readonly #emit: (event: KernelEvent) => void;
  #state: State = 'stopped';
  #health: Health = 'unknown';
  #since = Date.now();
  #lastAttempt: number | undefined;
  #lastError: GatewayError | undefined;
  #verdict: Verdict;
  /** Faults of a connected server: it could not be listed, or answers no calls. */
  #listError: GatewayError | undefined;
  #silence: GatewayError | undefined;

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

  /** Sets the error; enter() reports it with the next state. */
  blame(error: GatewayError | undefined): void {
    this.#lastError = error;
  }

  /** The server's tools are in the catalogue before the state is reported.
   *  @param before runs after the state is set, before the event is emitted */
  enterReady(listError: GatewayError | undefined, before: () => void): void {
    this.#listError = listError;
    this.#suffer(before);
  }

  /** @param error undefined: the server answers calls again */
  silent(error: GatewayError | undefined): void {
    this.#silence = error;
    if (this.#state === 'ready') this.#suffer();
  }

  #suffer(before?: () => void): void {
    const error = this.#listError ?? this.#silence;
    this.blame(error);
    this.enter('ready', error === undefined ? 'healthy' : 'unhealthy', before);
  }

  /** @param isGone whether it is remote and has failed often */
  enterAway({ code }: GatewayError, isGone: boolean): void {
    if (code === 'UPSTREAM_AUTH_REQUIRED') this.enter('auth_required', 'unknown');
    else if (isGone) this.enter('unreachable', 'unknown');
    else this.enter('failed', 'unhealthy');
  }

  /** @param before runs after the state is set, before the event is emitted */
  enter(state: State, health: Health, before: () => void = () => undefined): void {
    if (this.#state === state && this.#health === health) {
      before();
      return;
    }
    if (this.#state !== state) this.#since = Date.now();
    if (state !== 'ready') this.#silence = undefined;
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

/** Tools of an unreachable server stay visible: the last known ones are listed, and a call fails with the reason. */
function verdictOf(server: string, state: State): Verdict {
  return {
    layer: 'server',
    allow: true,
    reason: `server ${server} is ${REASONS[state] ?? `${state}; ${LAST_KNOWN}`}`,
  };
}
