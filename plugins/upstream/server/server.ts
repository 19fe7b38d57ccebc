import { isDeepStrictEqual } from 'node:util';
import type { GatewayError, InboundRequest, KernelEvent } from 'pegboard';
import type { CallerCredential, OwnOffer } from '../../contracts/credentials.ts';
import type { ServerDefinition } from '../definition.ts';
import type { Topic } from '../client/options.ts';
import { instanceTopics } from '../definition.ts';
import type { Listing } from '../client/conversation/listing.ts';
import { LastEra } from '../client/revision/lastEra.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import type { StandardError } from '../client/wire/standardError.ts';
import { awayRefusal } from '../connection/away.ts';
import { Connection } from '../connection/connection.ts';
import type { UpstreamContext } from '../connection/context.ts';
import { Dialer } from '../connection/dialer.ts';
import type { Dialing } from '../connection/dialer.ts';
import type { Holder } from '../connection/holder.ts';
import type { KeptSession } from '../connection/keptSession.ts';
import { userOf } from '../connection/usedSecrets.ts';
import type { SecretUser } from '../connection/usedSecrets.ts';
import { isSameServer } from '../connection/lastKnown.ts';
import type { Known, LateNames } from '../connection/lastKnown.ts';
import { PodLog } from './podLog.ts';
import { OwnConnections, withoutIdling } from '../own/ownConnections.ts';
import type { OwningServer } from '../own/ownConnections.ts';
import type { Declaring, WatchOwner } from '../own/ownedWatches.ts';
import { Personal } from '../own/personal.ts';
import type { ReachedServer } from '../own/personal.ts';
import type { ServerCalls } from '../connection/serverCalls.ts';
import type { State } from '../connection/serverStatus.ts';
import type { ToolReport } from '../connection/toolReport.ts';

/** What becomes of the items that servers list. */
export interface ListedItems {
  /** A server, or what it lists, has changed; a removed server offers none. @param owner whose list alone has changed */
  update(server: Server, owner?: string): void;
  /** The next update of the server has these tools. */
  readAhead(server: Server, tools: readonly unknown[]): Promise<void>;
  /** The next update of the server has its last known lists. */
  recall(server: string, late: LateNames): void;
  /** Names that another server had first. */
  lateNames(server: string): LateNames;
  report(server: string): ToolReport;
  /** What a server offers to an owner. */
  offerOf(server: string, owner: string): OwnOffer;
}

/** One server: its shared connection, those that belong to a session or a caller, and the credentials of its callers. */
export class Server implements Holder, OwningServer, ReachedServer {
  readonly isOwn = false;
  readonly readsLists = true;
  readonly lastEra = new LastEra();
  readonly name: string;
  readonly after: Promise<void>;
  readonly session: KeptSession;
  readonly output: Pick<StandardError, 'read'>;
  readonly personal: Personal;
  readonly own: OwnConnections;
  readonly connection: Connection;
  readonly #context: UpstreamContext;
  readonly #items: ListedItems;
  readonly #dialer: Dialer;
  readonly #podLog: PodLog;
  #known: Known | undefined;
  /** Another server has the name now, or none. */
  #isGone = false;
  /** Number of the own connections that have begun. */
  #begun = 0;

  /** @param after resolves when a former server of that name has ended, and this one may start */
  constructor(
    name: string,
    definition: ServerDefinition,
    context: UpstreamContext,
    items: ListedItems,
    after: Promise<void>,
  ) {
    this.name = name;
    this.after = after;
    this.#context = context;
    this.#items = items;
    this.session = context.lastKnown().sessionOf(name);
    this.personal = new Personal(context, this);
    this.own = new OwnConnections(context, this);
    this.#dialer = new Dialer(context, name, context.log.child({ server: name }));
    this.output = this.#dialer.output;
    this.#podLog = new PodLog(context, name, this.#dialer.output);
    this.connection = new Connection(definition, context, this.#dialer, this);
  }

  get definition(): ServerDefinition {
    return this.connection.definition;
  }
  get state(): State {
    return this.connection.state;
  }
  get listing(): Listing {
    return this.connection.listing;
  }
  get facts(): ServerFacts | undefined {
    return this.connection.facts;
  }
  get isStale(): boolean {
    return this.connection.isStale;
  }
  /** False after a stop: the server then offers nothing. */
  get isWanted(): boolean {
    return this.connection.isWanted;
  }
  /** Why it gets no calls; undefined unless it was stopped, or removed. */
  get awayRefusal(): GatewayError | undefined {
    return this.isWanted ? undefined : awayRefusal(this.connection);
  }
  get waitsForPeople(): boolean {
    return this.personal.isPersonal;
  }

  /** Reads what an earlier process has found out about the server. */
  async recall(): Promise<void> {
    void this.personal.recall();
    this.#known = await this.#context.lastKnown().read(this.name, this.definition);
    if (this.#known !== undefined) await this.readAhead(this.#known.listing.tools);
    const { era, askEras = {}, asked = [], transport } = this.#known ?? {};
    this.lastEra.remember(era, askEras, transport);
    for (const topic of asked) this.connection.conversation.questions.topics.add(topic);
  }

  /** Connects, or offers what it last had until the first call. Resolves when the attempt has succeeded or failed. */
  begin(): Promise<void> {
    const { connection, name } = this;
    const known = this.#known;
    if (this.#isGone) return Promise.resolve();
    if (known !== undefined) connection.conversation.lists.remember(known.listing);
    const isIdle = known !== undefined && this.definition.idleTimeoutMs !== undefined;
    if (isIdle) connection.rest();
    this.#podLog.follow(this.definition);
    const begun = isIdle ? Promise.resolve() : connection.start();
    if (known !== undefined) {
      this.#items.recall(name, known.late);
      this.#items.update(this);
    }
    return begun;
  }

  /** Applies a changed definition. Resolves when what it changes has begun or ended. */
  redefine(next: ServerDefinition): Promise<void> {
    const { connection, definition } = this;
    const isSame = isSameServer(definition, next);
    if (!isSame) connection.conversation.forget();
    // Lists that were read with another kind of credential say nothing about the next.
    if (!isSame || !isDeepStrictEqual(definition.auth, next.auth)) this.personal.forget();
    this.#podLog.follow(next);
    const applied = connection.redefine(next);
    this.#items.update(this);
    return applied;
  }

  async stop(): Promise<void> {
    this.#podLog.end();
    await this.connection.stop();
    await this.personal.settled();
    this.#isGone = true;
  }
  /** Ends a server that has no definition any more. */
  leave(): Promise<void> {
    this.#isGone = true;
    this.#podLog.end();
    const ended = this.connection.stop();
    this.personal.forget();
    this.#context.lastKnown().forget(this.name);
    this.#items.update(this);
    return ended;
  }

  readAhead(tools: readonly unknown[]): Promise<void> {
    return this.#items.readAhead(this, tools);
  }
  listed(): void {
    if (this.#isGone) return;
    this.#items.update(this);
    this.#keep();
  }
  asked(): void {
    if (!this.#isGone) this.#keep();
  }
  refused(error: GatewayError): GatewayError {
    if (error.details.status === 401) void this.secretsChanged();
    return this.personal.refused(error);
  }
  /** Reads the secrets of its connections at once: it has answered 401. @returns whether one has changed */
  secretsChanged(): Promise<boolean> {
    return this.#context.secretsChanged(this, this.secretUsers);
  }
  /** Its connections that were made with secrets. */
  get secretUsers(): readonly SecretUser[] {
    const { name, connection } = this;
    // A restart would also end the connections of callers, which may be up while the shared one is not.
    const renew = (): Promise<void> =>
      connection.state === 'ready' ? connection.restart() : connection.start();
    const shared = userOf(name, this.#dialer, connection, renew);
    return [shared, ...this.own.secretUsers].filter(({ dialer }) => dialer.secrets.all.size > 0);
  }
  topics({ questions }: ServerDefinition): readonly Topic[] {
    return questions ?? this.#context.config().questions;
  }
  emit(event: KernelEvent): void {
    this.#context.emit(event);
  }
  toolReport(): ToolReport {
    return this.#items.report(this.name);
  }

  /** The connection for a request. @throws GatewayError UPSTREAM_FULL */
  callsFor(request: InboundRequest, client: Declaring | undefined): ServerCalls {
    if (!this.isWanted) return this.connection;
    return this.personal.callsFor(request, client) ?? this.own.callsFor(request, client) ?? this.connection;
  }
  /** Subscribes on the connection for a request, and on those that follow it. @throws GatewayError UPSTREAM_* */
  watchFor(owner: WatchOwner, uri: string, updated: () => void): Promise<() => void> {
    return this.own.watch(owner, uri, updated);
  }

  dialerFor(credential?: CallerCredential): Dialer {
    const { name } = this;
    const log = this.#context.log.child({ server: name, instance: (this.#begun += 1) });
    return new Dialer(this.#context, name, log, credential);
  }
  connectionWith(dialer: Dialing, client: Declaring | undefined, credential?: CallerCredential): Connection {
    const { name, personal, lastEra } = this;
    // What happens to it concerns its owner only.
    const holder: Holder = {
      name,
      isOwn: true,
      readsLists: credential !== undefined,
      lastEra,
      after: Promise.resolve(),
      waitsForPeople: credential !== undefined,
      topics: (definition) => instanceTopics(definition, client?.capabilities),
      // With a credential, it is the credential that was refused.
      refused: (error) => {
        if (credential === undefined) return this.refused(error);
        if (error.details.status === 401) void this.secretsChanged();
        return error;
      },
      listed: () => {
        if (credential !== undefined && owned.state === 'ready')
          personal.listed(credential.owner, owned.listing, owned.facts);
      },
      asked: () => undefined,
      emit: () => undefined,
      toolReport: () => this.toolReport(),
    };
    const owned = new Connection(withoutIdling(this.definition), this.#context, dialer, holder);
    return owned;
  }

  offerTo(owner: string): OwnOffer {
    return this.#items.offerOf(this.name, owner);
  }
  ownListsChanged(owner: string | undefined): void {
    if (this.#isGone) return;
    this.#items.update(this, owner);
    if (owner === undefined) return;
    const ownerOf = (request: InboundRequest): string | undefined =>
      this.personal.credentialOf(request)?.owner;
    this.emit({ type: 'server.ownListsChanged', server: this.name, owner, ownerOf });
  }

  #keep(): void {
    const { definition, isStale, listing, conversation } = this.connection;
    if (isStale) return;
    const asked = [...conversation.questions.topics];
    const { known: era, askEras, transport } = this.lastEra;
    const late = (): LateNames => this.#items.lateNames(this.name);
    this.#context.lastKnown().write(this.name, definition, { listing, asked, era, transport, askEras, late });
  }
}
