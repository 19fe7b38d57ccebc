import { GatewayError, type CallResult } from 'pegboard';
import { Announcer } from './announcer.ts';
import { awayError, awayRefusal } from './away.ts';
import { callTraced } from './callTraced.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import { isFinal } from '../client/revision/wrongRevision.ts';
import { Conversation } from '../client/conversation/conversation.ts';
import { ConnectionCounts } from './connectionCounts.ts';
import type { UpstreamContext } from './context.ts';
import type { Dialing } from './dialer.ts';
import type { Holder } from './holder.ts';
import { laterOf, orderIn, type ServerDefinition } from '../definition.ts';
import { Link } from './link.ts';
import type { Listing } from '../client/conversation/listing.ts';
import type { RequestOptions } from '../client/rpc/pending.ts';
import type { RpcText } from '../client/rpc/rpcText.ts';
import { RetrySchedule } from './retrySchedule.ts';
import type { GrantedWatch, ServerCalls } from './serverCalls.ts';
import { ServerStatus, type State, type StatusFacts } from './serverStatus.ts';
import { Upkeep } from './upkeep.ts';

/** The state machine of one server, over all its connections. Every state has a deadline, except stopped, idle, ready and a
 *  final failed: for starting the start limit after the turn has come, for stopping drain and kill times, for others nextRetryAfter. */
export class Connection implements ServerCalls {
  readonly name: string;
  readonly counts = new ConnectionCounts();
  readonly conversation: Conversation;
  readonly #context: UpstreamContext;
  readonly #holder: Holder;
  readonly #status: ServerStatus;
  readonly #announcer: Announcer;
  readonly #retry: RetrySchedule;
  readonly #link: Link;
  readonly #upkeep: Upkeep;
  #definition: ServerDefinition;
  #isWanted = false;
  #lastRestartedAt: string | undefined;
  #restarting: Promise<void> | undefined;

  constructor(definition: ServerDefinition, context: UpstreamContext, dialer: Dialing, holder: Holder) {
    const { config } = context;
    const { name, isOwn, readsLists, lastEra } = holder;
    this.name = name;
    this.#definition = definition;
    this.#context = context;
    this.#holder = holder;
    this.#status = new ServerStatus(name, (event) => holder.emit(event));
    this.#announcer = new Announcer(dialer.log, holder, this.counts, this.#status);
    this.#retry = new RetrySchedule(
      config,
      () => this.state === 'ready',
      () => void this.#recover(),
    );
    this.conversation = new Conversation(name, {
      ...context,
      log: dialer.log,
      output: dialer.output,
      lastEra,
      isOwn,
      readsLists,
      received: (call, chars) => context.memory()?.hold(call, chars),
      options: () => this.#definition,
      isUnowned: () => !isOwn && this.#definition.instances !== 'shared',
      topics: () => holder.topics(this.#definition),
      refusal: () => awayRefusal(this),
      newTopic: () => holder.asked(),
      isListening: () => readsLists && this.#link.hasWire,
      // Without an answer since the last time it counts as a failed attempt.
      lost: (error, isProven) => (isProven ? this.#renew(error) : this.#died(error)),
      upkeep: () => this.#upkeep,
      readAhead: (tools) => holder.readAhead?.(tools),
      reread: (error) => this.#reread(error),
    });
    this.#link = new Link(dialer, holder, this.conversation, {
      firstStarts: context.firstStarts,
      definition: () => this.#definition,
      connected: (ms, listError) => this.#connected(ms, listError),
      failed: (error) => this.#fail(error),
      closed: (error) => this.#died(error),
    });
    this.#upkeep = new Upkeep({
      conversation: this.conversation,
      config,
      definition: () => this.#definition,
      announcer: this.#announcer,
      lost: (error) => this.#died(error),
      idle: () => void this.#fallIdle(),
    });
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }
  get state(): State {
    return this.#status.state;
  }
  get status(): StatusFacts {
    return this.#status;
  }
  get listing(): Listing {
    return this.conversation.lists.listing;
  }
  /** Whether the listing is the last known one, not a current one. */
  get isStale(): boolean {
    const isUp = this.state === 'ready' || this.state === 'idle';
    return !isUp || this.conversation.lists.toolsFailure !== undefined;
  }
  /** False after a stop: the server then offers nothing. */
  get isWanted(): boolean {
    return this.#isWanted;
  }
  get facts(): ServerFacts | undefined {
    return this.#link.facts;
  }
  get retry(): Pick<RetrySchedule, 'at' | 'isSoon' | 'failures'> {
    return this.#retry;
  }
  get lastRestartedAt(): string | undefined {
    return this.#lastRestartedAt;
  }
  /** What is going on before the server answers, for people; undefined if there is nothing to say. */
  get progress(): string | undefined {
    return this.state === 'starting' ? this.#link.progress : undefined;
  }
  /** A start that waits for others, or comes, begins at once; without one nothing is to be hurried. */
  hurry(): void {
    const isComing = this.#isWanted && (this.state === 'stopping' || this.state === 'stopped');
    if (this.state === 'starting' || isComing) this.#link.hurry();
  }
  async settled(): Promise<void> {
    await this.#restarting;
    return this.#link.settled();
  }

  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult> {
    this.#upkeep.called();
    this.conversation.usedBy(options.client);
    if (this.state === 'idle') void this.start();
    this.hurry();
    return callTraced(this, this.#context.tracer(), [what, text, options]);
  }

  async watch(uri: string, updated: () => void): Promise<GrantedWatch> {
    // As calls do, it waits for a connection that is being made, and hurries it.
    const begun = this.state === 'idle' ? this.start() : this.settled();
    this.hurry();
    await begun;
    return { place: this.conversation, end: await this.conversation.watch(uri, updated) };
  }

  /** Offers the last known listing; the first call connects. */
  rest(): void {
    this.#isWanted = true;
    this.#status.enter('idle', 'unknown');
    this.#holder.own?.begin();
  }

  /** Connects, or tries again now. Resolves when the attempt has succeeded or failed. */
  start(): Promise<void> {
    this.#isWanted = true;
    if (this.#isUp) return this.settled();
    // A start also fulfils a restart that was requested while the server was down.
    this.#lastRestartedAt = laterOf(this.#lastRestartedAt, this.#definition.restartRequestedAt);
    this.#retry.reset();
    this.#announcer.starting();
    return this.#begin();
  }

  /** Lets running calls end within the drain time, then closes. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.conversation.endRounds('stopped');
    await Promise.all([this.#holder.own?.end(), this.#close('stopped')]);
  }

  /** @param requestedAt shown as lastRestartedAt; undefined for an automatic restart */
  async restart(requestedAt?: string): Promise<void> {
    this.#isWanted = true;
    this.#lastRestartedAt = laterOf(this.#lastRestartedAt, requestedAt);
    this.#retry.reset();
    this.#announcer.restarting();
    await Promise.all([this.#holder.own?.end(), this.#close('restarted')]);
    if (this.isWanted) await (this.#isUp ? this.#link.settled() : this.#begin());
  }

  /** Applies a changed definition; reconnects only if the endpoint has changed. Resolves like start and stop. */
  async redefine(next: ServerDefinition): Promise<void> {
    const { order, restartRequestedAt } = orderIn(this.#definition, next, this);
    this.#definition = next;
    if (this.state === 'ready') this.#upkeep.watchIdleness();
    if (this.state === 'ready' || !next.keepSession) this.#link.keepSession();
    if (order === 'restart') return (this.#restarting = this.restart(restartRequestedAt));
    if (order === 'stop') return this.stop();
    await Promise.all([order === 'start' ? this.start() : undefined, this.#holder.own?.redefine(next)]);
  }

  get #isUp(): boolean {
    return this.state === 'ready' || this.state === 'starting';
  }
  #begin(): Promise<void> {
    this.#retry.cancel();
    this.#status.enter('starting', 'unknown');
    return this.#link.begin();
  }
  #recover(): Promise<void> {
    this.#announcer.recovering();
    return this.#begin();
  }
  #connected(ms: number, listError: GatewayError | undefined): void {
    this.#retry.connected();
    this.#status.enterReady(listError, () => this.#holder.listed());
    this.#announcer.connected(ms, listError);
    this.#holder.own?.begin();
    this.#upkeep.begin(listError);
  }
  #reread(listError: GatewayError | undefined): void {
    if (this.state !== 'ready') return;
    this.#announcer.unlisted(listError);
    this.#status.enterReady(listError, () => this.#holder.listed());
    this.#upkeep.listed(listError);
  }

  /** The server has lost the session: initialize again over the same wire, once for all requests that found out. */
  #renew(reason: GatewayError): void {
    if (!this.#link.hasWire || !this.#isUp) return;
    this.#announcer.sessionLost(reason);
    this.#status.enter('starting', 'unknown');
    this.#upkeep.end();
    this.conversation.ended();
    this.#link.renew();
  }

  /** The connection ended by itself: reconnect at once, unless that keeps happening. */
  #died(error: GatewayError): void {
    if (this.state === 'starting') this.#fail(error);
    // During a stop, running calls fail at once, and #close releases the wire.
    else if (this.state === 'stopping') this.conversation.requests.abandon(error);
    if (this.state !== 'ready') return;
    this.#release(error);
    this.#announcer.died(error);
    if (this.#retry.failures === 1) void this.#recover();
    else this.#retryLater(error);
    this.#holder.listed();
  }

  #fail(error: GatewayError): void {
    this.#release(error);
    if (isFinal(error)) this.#status.enter('failed', 'unhealthy');
    else this.#retryLater(error);
    this.#announcer.notConnected(error, this.#retry.failures);
    this.conversation.requests.failWaiting(awayError(this.name, error, this.#retry.at));
    this.#holder.listed();
  }

  #release(error: GatewayError): void {
    this.#retry.failed();
    this.#status.blame(error);
    this.#retry.cancel();
    this.#upkeep.end();
    this.#link.release(error);
  }

  #retryLater(error: GatewayError): void {
    const isRefused = error.code === 'UPSTREAM_AUTH_REQUIRED';
    if (!isRefused || !this.#holder.waitsForPeople) this.#retry.plan(error.details.retryAfter);
    // Its callers reach it with credentials of their own.
    else this.#holder.own?.follow();
    this.#status.enterAway(error, this.#definition.type !== 'stdio' && this.#retry.isSpent);
  }

  /** Calls that arrive meanwhile wait, and start the server again. */
  async #fallIdle(): Promise<void> {
    if (this.state !== 'ready') return;
    this.#announcer.idle();
    await this.#close('idle');
    if (this.conversation.requests.hasWaiting && !this.#isUp) await this.start();
  }

  async #close(what: 'restarted' | 'stopped' | 'idle'): Promise<void> {
    if (this.state === 'stopped') return;
    if (this.state === 'stopping') return this.#link.ended();
    const wasReady = this.state === 'ready';
    const reason = new GatewayError('UPSTREAM_SUSPENDED', `server ${this.name} was ${what}`);
    const isLatest = this.#link.supersede();
    this.#retry.cancel();
    this.#upkeep.end();
    this.#status.enter('stopping', 'unknown');
    this.conversation.requests.shut();
    if (!this.#isWanted) this.conversation.requests.failWaiting(reason);
    this.#holder.listed();
    const drained = this.conversation.requests.drain.drained(wasReady ? this.#context.config().drainMs : 0);
    await this.#link.end(drained, reason, what === 'restarted' || this.#definition.keepSession);
    if (!this.#isWanted) this.conversation.requests.failWaiting(reason);
    if (wasReady && what !== 'idle') this.#announcer.ended(what, this.listing.tools.length > 0);
    if (isLatest()) this.#status.enter(what === 'idle' && this.#isWanted ? 'idle' : 'stopped', 'unknown');
    if (isLatest() && !this.#isWanted) this.#announcer.stopped();
    this.#holder.listed();
  }
}
