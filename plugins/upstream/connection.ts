import { GatewayError, backoffMs } from 'pegboard';
import type { CallResult, KernelEvent, Log, Verdict } from 'pegboard';
import { awayError, lateError, stoppedError, verdictOf } from './away.ts';
import { handshake } from './client.ts';
import type { ServerFacts } from './client.ts';
import type { UpstreamConfig } from './config.ts';
import { within } from './deadlines.ts';
import type { Deadlines } from './deadlines.ts';
import { isSameEndpoint } from './definition.ts';
import type { ServerDefinition } from './definition.ts';
import { Pulse } from './pulse.ts';
import { ListingReader, asGatewayError } from './listing.ts';
import type { Listing } from './listing.ts';
import { Requests } from './requests.ts';
import type { RequestOptions } from './pending.ts';
import type { Wire, WireListener } from './wire/wire.ts';

export type State =
  'stopped' | 'starting' | 'ready' | 'failed' | 'unreachable' | 'auth_required' | 'stopping';
export type Health = 'healthy' | 'unhealthy' | 'unknown';

export interface ConnectionParts {
  readonly config: () => UpstreamConfig;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  /** @throws GatewayError CONFIG_REFERENCE */
  readonly dial: (definition: ServerDefinition, listener: WireListener) => Promise<Wire>;
  readonly noise: (text: string) => void;
  /** The end of a former server of that name; the first attempt waits for it. */
  readonly after: Promise<void>;
  /** The listing, or whether it stands for a live server, has changed. */
  readonly listed: () => void;
}

/** One server through all its connections: the state machine with its timers. Every state but stopped, ready and a final
 *  failed has a deadline: starting the definition's time-out, stopping the drain and the ladder, the others nextRetryAfter. */
export class Connection {
  readonly name: string;
  readonly #parts: ConnectionParts;
  readonly #requests: Requests;
  readonly #lists: ListingReader;
  #definition: ServerDefinition;
  #state: State = 'stopped';
  #health: Health = 'unknown';
  #since = Date.now();
  /** Changes with every attempt and every end: what was begun before is then void. */
  #epoch = 0;
  #wire: Wire | undefined;
  #facts: ServerFacts | undefined;
  #isWanted = false;
  #failures = 0;
  #readyAt = 0;
  #lastError: GatewayError | undefined;
  #retryAt: number | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  readonly #pulse: Pulse;
  #attempt: Promise<void> = Promise.resolve();
  /** Ends when no wire of an earlier attempt is left: one process per server. */
  #closing: Promise<void>;
  #lastRestartedAt: string | undefined;
  #lastWarned = '';
  #verdict: Verdict;

  constructor(name: string, definition: ServerDefinition, parts: ConnectionParts) {
    this.name = name;
    this.#definition = definition;
    this.#parts = parts;
    this.#closing = parts.after;
    this.#verdict = verdictOf(name, this.#state);
    this.#requests = new Requests(name, parts.deadlines, {
      limits: () => this.#callLimits(),
      refusal: () => this.#refusal(),
      notified: (method) => this.#lists.notified(method),
      noise: parts.noise,
      lost: (error) => this.#renew(error),
      closed: (error) => this.#died(error),
    });
    this.#lists = new ListingReader(this.#requests, {
      limits: () => ({ ...parts.config(), timeoutMs: this.#definition.timeoutMs }),
      reread: (error) => this.#reread(error),
    });
    this.#pulse = new Pulse({
      requests: this.#requests,
      intervalMs: () => parts.config().pingIntervalMs,
      timeoutMs: () => this.#definition.timeoutMs,
      lost: (error) => this.#requests.closed(error),
    });
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }
  get state(): State {
    return this.#state;
  }
  get health(): Health {
    return this.#health;
  }
  get listing(): Listing {
    return this.#lists.listing;
  }
  /** Whether the listing is only the last known one. */
  get isStale(): boolean {
    return this.#state !== 'ready';
  }
  /** False once it was stopped: then it offers nothing. */
  get isWanted(): boolean {
    return this.#isWanted;
  }
  get facts(): ServerFacts | undefined {
    return this.#facts;
  }
  /** ms since the epoch */
  get since(): number {
    return this.#since;
  }
  /** ms since the epoch */
  get retryAt(): number | undefined {
    return this.#retryAt;
  }
  get lastError(): GatewayError | undefined {
    return this.#lastError;
  }
  get lastRestartedAt(): string | undefined {
    return this.#lastRestartedAt;
  }
  get failures(): number {
    return this.#wasReadyLong() ? 0 : this.#failures;
  }

  /** What the decision layer says of its tools; one object per state, since it is asked per tool. */
  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Resolves when no attempt is under way. */
  settled(): Promise<void> {
    return this.#attempt;
  }

  remember(listing: Listing): void {
    this.#lists.remember(listing);
  }

  /** @param middle see Requests.call */
  call(what: string, middle: string, options: RequestOptions): Promise<CallResult> {
    return this.#requests.call(what, middle, options);
  }

  /** Connects, or tries again now. Resolves when the attempt has ended, either way. */
  start(): Promise<void> {
    this.#isWanted = true;
    if (this.#state === 'ready' || this.#state === 'starting') return this.#attempt;
    this.#failures = 0;
    return this.#begin();
  }

  /** Lets running calls end within the drain time, then closes. Safe twice. */
  stop(): Promise<void> {
    this.#isWanted = false;
    return this.#close();
  }

  /** @param requestedAt shown as lastRestartedAt; undefined when nobody asked for it */
  async restart(requestedAt?: string): Promise<void> {
    this.#isWanted = true;
    this.#lastRestartedAt = requestedAt ?? this.#lastRestartedAt;
    this.#failures = 0;
    await this.#close();
    if (this.isWanted) await this.start();
  }

  /** Takes a changed definition over; reconnects only when another endpoint is meant. Resolves like start and stop. */
  redefine(next: ServerDefinition): Promise<void> {
    const before = this.#definition;
    this.#definition = next;
    if (next.suspended) return this.stop();
    const wasAsked =
      next.restartRequestedAt !== undefined && next.restartRequestedAt !== before.restartRequestedAt;
    const isAnother = !isSameEndpoint(before, next);
    if (this.#isWanted && (isAnother || wasAsked))
      return this.restart(wasAsked ? next.restartRequestedAt : undefined);
    const isSwitchedOn = next.autoStart === true && before.autoStart !== true;
    return before.suspended || wasAsked || isSwitchedOn ? this.start() : Promise.resolve();
  }

  #begin(): Promise<void> {
    const epoch = ++this.#epoch;
    clearTimeout(this.#retryTimer);
    this.#retryAt = undefined;
    this.#enter('starting', 'unknown');
    this.#attempt = this.#closing.then(nextTurn).then(() => this.#dial(epoch));
    return this.#attempt;
  }

  async #dial(epoch: number): Promise<void> {
    if (epoch !== this.#epoch) return;
    const { timeoutMs } = this.#definition;
    try {
      const wire = await this.#parts.dial(
        this.#definition,
        this.#listener(() => wire),
      );
      if (epoch !== this.#epoch) {
        await wire.close();
        return;
      }
      this.#wire = wire;
      this.#requests.use(wire);
      await within(timeoutMs, wire.open(), () => lateError('connecting', timeoutMs));
      if (epoch === this.#epoch) await this.#greet(epoch, wire);
    } catch (error) {
      if (epoch === this.#epoch) this.#fail(asGatewayError(error));
    }
  }

  /** initialize, then the lists; calls go out as soon as initialize is through. */
  async #greet(epoch: number, wire: Wire): Promise<void> {
    const startedAt = performance.now();
    const facts = await handshake(this.#requests, wire, this.#definition.timeoutMs);
    if (epoch !== this.#epoch) return;
    this.#facts = facts;
    this.#requests.open();
    const error = await this.#lists.readAll(facts.capabilities);
    if (epoch !== this.#epoch) return;
    this.#readyAt = performance.now();
    this.#lastError = error;
    this.#lastWarned = '';
    this.#enter('ready', error === undefined ? 'healthy' : 'unhealthy');
    const ms = Math.round(performance.now() - startedAt);
    const told = { server: this.name, tools: this.listing.tools.length, ms };
    this.#parts.log.info('server connected', told);
    if (error !== undefined)
      this.#parts.log.warn('server could not be listed', { server: this.name, error: error.message });
    this.#parts.emit({ type: 'server.connected', ...told });
    this.#parts.listed();
    if (this.#definition.type !== 'stdio') this.#pulse.begin();
  }

  #listener(own: () => Wire): WireListener {
    return {
      message: (text) => this.#requests.message(text),
      failed: (outgoing, error) => this.#requests.failed(outgoing, error),
      notTaken: (outgoing, error, isOutdated) => {
        if (this.#wire === own()) this.#requests.notTaken(outgoing, error, isOutdated);
        else this.#requests.failed(outgoing, error);
      },
      sessionLost: (error) => {
        if (this.#wire === own()) this.#requests.sessionLost(error);
      },
      closed: (error) => {
        if (this.#wire === own()) this.#requests.closed(error);
      },
    };
  }

  /** The server has lost the session: initialize again over the same wire, once for all who noticed. */
  #renew(reason: GatewayError): void {
    const wire = this.#wire;
    if (wire === undefined || (this.#state !== 'ready' && this.#state !== 'starting')) return;
    const epoch = ++this.#epoch;
    this.#parts.log.info('server must be initialized again', { server: this.name, reason: reason.message });
    this.#enter('starting', 'unknown');
    this.#pulse.end();
    wire.renew();
    this.#attempt = this.#greet(epoch, wire).catch((error: unknown) => {
      if (epoch === this.#epoch) this.#fail(asGatewayError(error));
    });
  }

  /** The connection ended by itself: again at once, unless that keeps happening. */
  #died(error: GatewayError): void {
    if (this.#state === 'starting') {
      this.#fail(error);
      return;
    }
    if (this.#state !== 'ready') return;
    this.#failures = this.failures + 1;
    this.#lastError = error;
    this.#release(error);
    this.#parts.log.warn('server disconnected', { server: this.name, reason: error.message });
    this.#parts.emit({ type: 'server.disconnected', server: this.name, reason: error.message });
    if (this.#failures === 1) void this.#begin();
    else this.#retryLater(error);
    this.#parts.listed();
  }

  #fail(error: GatewayError): void {
    this.#failures += 1;
    this.#lastError = error;
    this.#release(error);
    // No later attempt would change a revision nobody here speaks.
    if (error.code === 'UPSTREAM_PROTOCOL') this.#enter('failed', 'unhealthy');
    else this.#retryLater(error);
    this.#warn(error);
    this.#requests.failWaiting(this.#away(error));
    this.#parts.listed();
  }

  #retryLater(error: GatewayError): void {
    const { backoffFirstMs, backoffMaxMs, unreachableAfter } = this.#parts.config();
    const waitMs = backoffMs(this.#failures, { firstMs: backoffFirstMs, maxMs: backoffMaxMs });
    this.#retryAt = Date.now() + waitMs;
    this.#retryTimer = setTimeout(() => void this.#begin(), waitMs);
    const isRemote = this.#definition.type !== 'stdio';
    if (error.code === 'UPSTREAM_AUTH_REQUIRED') this.#enter('auth_required', 'unknown');
    else if (isRemote && this.#failures >= unreachableAfter) this.#enter('unreachable', 'unknown');
    else this.#enter('failed', 'unhealthy');
  }

  /** What was begun is void; the wire ends in the background and the next attempt waits for that. */
  #release(reason: GatewayError): void {
    this.#epoch += 1;
    this.#clearTimers();
    this.#closing = Promise.all([this.#closing, this.#letGo(reason)]).then(() => undefined);
  }

  #letGo(reason: GatewayError): Promise<void> {
    const wire = this.#wire;
    this.#wire = undefined;
    this.#lists.stop();
    this.#requests.abandon(reason);
    if (wire === undefined) return Promise.resolve();
    return wire.close().catch((error: unknown) => {
      this.#parts.log.warn('server connection did not close cleanly', { server: this.name, error });
    });
  }

  async #close(): Promise<void> {
    if (this.#state === 'stopped') return;
    if (this.#state === 'stopping') return this.#closing;
    const wasReady = this.#state === 'ready';
    const what = this.#isWanted ? 'restarted' : 'stopped';
    const reason = new GatewayError('UPSTREAM_SUSPENDED', `server ${this.name} was ${what}`);
    const epoch = ++this.#epoch;
    this.#clearTimers();
    this.#enter('stopping', 'unknown');
    this.#requests.shut();
    if (!this.#isWanted) this.#requests.failWaiting(reason);
    this.#parts.listed();
    const drained = this.#requests.drained(wasReady ? this.#parts.config().drainMs : 0);
    this.#closing = Promise.all([this.#closing, drained.then(() => this.#letGo(reason))]).then(
      () => undefined,
    );
    await this.#closing;
    if (!this.#isWanted) this.#requests.failWaiting(reason);
    if (wasReady) {
      this.#parts.log.info('server disconnected', { server: this.name, reason: what });
      this.#parts.emit({ type: 'server.disconnected', server: this.name, reason: what });
    }
    if (epoch === this.#epoch) this.#enter('stopped', 'unknown');
    this.#parts.listed();
  }

  #clearTimers(): void {
    clearTimeout(this.#retryTimer);
    this.#pulse.end();
    this.#retryAt = undefined;
  }

  #reread(error: GatewayError | undefined): void {
    if (this.#state !== 'ready') return;
    if (error !== undefined)
      this.#parts.log.warn('server could not be listed', { server: this.name, error: error.message });
    this.#lastError = error;
    this.#enter('ready', error === undefined ? 'healthy' : 'unhealthy');
    this.#parts.listed();
  }

  #callLimits(): { silenceMs: number; totalMs: number } {
    const { callTimeoutMs, callMaxMs } = this.#parts.config();
    const silenceMs = this.#definition.callTimeoutMs ?? callTimeoutMs;
    return { silenceMs, totalMs: Math.max(silenceMs, callMaxMs) };
  }

  /** Why a call cannot even wait now. */
  #refusal(): GatewayError | undefined {
    if (!this.#isWanted) {
      return stoppedError(this.name, this.#state);
    }
    if (this.#retryAt === undefined && this.#state !== 'failed') return undefined;
    const isSoon =
      this.#retryAt !== undefined && this.#retryAt - Date.now() <= this.#parts.config().retryWaitMs;
    return isSoon ? undefined : this.#away(this.#lastError);
  }

  #away(error: GatewayError | undefined): GatewayError {
    return awayError(this.name, error, this.#retryAt);
  }

  /** The same failure again is told at growing distance only. */
  #warn(error: GatewayError): void {
    const isPowerOfTwo = (this.#failures & (this.#failures - 1)) === 0;
    if (this.#lastWarned === error.message && !isPowerOfTwo) return;
    this.#lastWarned = error.message;
    const data = { server: this.name, error: error.message, attempt: this.#failures };
    this.#parts.log.warn('server could not be connected', data);
  }

  #enter(state: State, health: Health): void {
    if (this.#state === state && this.#health === health) return;
    if (this.#state !== state) this.#since = Date.now();
    this.#state = state;
    this.#health = health;
    this.#verdict = verdictOf(this.name, state);
    const isBad = health === 'unhealthy' || state === 'unreachable' || state === 'auth_required';
    const error = isBad ? this.#lastError?.message : undefined;
    this.#parts.emit({
      type: 'server.stateChanged',
      server: this.name,
      state,
      health,
      ...(error !== undefined && { error }),
    });
  }

  #wasReadyLong(): boolean {
    return (
      this.#state === 'ready' && performance.now() - this.#readyAt >= this.#parts.config().healthyAfterMs
    );
  }
}

/** Whatever starts Pegboard goes on first: spawning and connecting take their time on the same thread. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
