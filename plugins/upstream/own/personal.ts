import { GatewayError, isGatewayError } from 'pegboard';
import { fillReferences } from 'pegboard/kit';
import type { CallResult, InboundRequest, Verdict } from 'pegboard';
import type { TlsSpec } from '../../contracts/servers.ts';
import { isForCallers, isSingleSignOn } from '../../kit/oauth/authRules.ts';
import { withoutUndefined } from '../../kit/definitions/withoutUndefined.ts';
import { helpedBy } from '../../kit/faults/remedy.ts';
import { namingSwitch } from '../../kit/oauth/signInCall.ts';
import type {
  AuthRules,
  CallerCredential,
  CredentialRefusal,
  GuardedServer,
  OwnOffer,
} from '../../contracts/credentials.ts';
import { mayWantToken } from '../client/wire/httpErrors.ts';
import type { Listing } from '../client/conversation/listing.ts';
import type { ServerDefinition } from '../definition.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import type { RequestOptions } from '../client/rpc/pending.ts';
import type { RpcText } from '../client/rpc/rpcText.ts';
import type { UpstreamContext } from '../connection/context.ts';
import type { CredentialUse, OwnConnections } from './ownConnections.ts';
import { KeptLists } from './keptLists.ts';
import type { Declaring } from './ownedWatches.ts';
import { OwnLists } from './ownLists.ts';
import type { OwnList } from './ownLists.ts';
import { prepared } from '../connection/prepared.ts';
import type { ServerCalls } from '../connection/serverCalls.ts';
import type { State } from '../connection/serverStatus.ts';

/** A request is sent with the credential in use, after a refresh, and with what another process has refreshed meanwhile. */
const MAX_TRIES = 3;

/** The server that callers reach. */
export interface ReachedServer {
  readonly name: string;
  readonly definition: ServerDefinition;
  readonly state: State;
  /** Why it gets no calls; undefined unless it was stopped, or removed. */
  readonly awayRefusal: GatewayError | undefined;
  readonly own: Pick<OwnConnections, 'callsOf' | 'drop' | 'dropAll' | 'follow'>;
  /** What it offers to an owner. */
  offerTo(owner: string): OwnOffer;
  /** The lists of an owner have changed; of none: whether callers have lists of their own. */
  ownListsChanged(owner: string | undefined): void;
}

/** A server that callers reach with credentials of their own: each has a connection, and what the server lists on it. */
export class Personal implements GuardedServer {
  readonly #context: UpstreamContext;
  readonly #server: ReachedServer;
  readonly #verdict: Verdict;
  readonly #lists = new OwnLists();
  readonly #kept: KeptLists;
  /** It has answered 401, though its definition has no `auth`. */
  #isLocked = false;
  #challenges: readonly string[] = [];
  /** Changes with everything that is forgotten: what was read before is then read again. */
  #epoch = 0;

  constructor(context: UpstreamContext, server: ReachedServer) {
    this.#context = context;
    this.#server = server;
    this.#kept = new KeptLists(context, server, this.#lists);
    const reason = `each caller has a connection of their own to server ${server.name}`;
    this.#verdict = { layer: 'server', allow: true, reason };
  }

  get name(): string {
    return this.#server.name;
  }
  get url(): string {
    const { url } = this.#server.definition;
    return fillReferences({ url }, this.#context.directory()).values['url'] ?? '';
  }
  get auth(): AuthRules {
    return this.#server.definition.auth;
  }
  get secretWords(): Readonly<Record<string, string>> {
    return this.#server.definition.secretWords;
  }
  get tls(): TlsSpec | undefined {
    return this.#server.definition.tls;
  }
  get isSuspended(): boolean {
    return this.#server.definition.suspended;
  }
  get state(): string {
    return this.#server.state;
  }
  get challenges(): readonly string[] {
    return this.#challenges;
  }
  get isPersonal(): boolean {
    if (this.#context.credentials() === undefined) return false;
    return this.#isLocked || isForCallers(this.auth);
  }
  get wantsSignIns(): boolean {
    return this.#lacksSignIns && (isForCallers(this.auth) || this.state === 'auth_required');
  }
  get #lacksSignIns(): boolean {
    if (this.#context.credentials() !== undefined) return false;
    return isForCallers(this.auth) || (this.#isOpen && mayWantToken(this.#challenges));
  }

  /** The verdict on its tools, while each caller has a connection; one object, because it is read for every tool. */
  get verdict(): Verdict | undefined {
    return this.isPersonal ? this.#verdict : undefined;
  }

  /** The credential that the request uses; undefined unless the server is personal. */
  credentialOf(request: InboundRequest): CallerCredential | undefined {
    return this.isPersonal ? this.#context.credentials()?.of(this, request) : undefined;
  }
  listOf(owner: string): OwnList | undefined {
    return this.#lists.of(owner);
  }
  /** Whether an owner has that list. */
  isListed(list: OwnList): boolean {
    return this.#lists.known(list.id) === list;
  }

  isCurrent(owner: string): boolean {
    return this.#lists.isCurrent(owner);
  }

  /** Sets what an earlier process has found out about the server; the vault may open later. */
  async recall(): Promise<void> {
    if (this.#isLocked || !this.#canLock) return;
    const epoch = this.#epoch;
    const challenges = await this.#kept.challenges();
    if (challenges === undefined || epoch !== this.#epoch) return;
    this.#lock(challenges);
  }
  /** Sets what an earlier process was listed for the caller of a request. */
  async recallFor(request: InboundRequest): Promise<void> {
    const owner = this.credentialOf(request)?.owner;
    if (owner === undefined) return;
    let epoch;
    do {
      if (this.#lists.of(owner) !== undefined) return;
      epoch = this.#epoch;
      const kept = await this.#kept.read(owner);
      const isNew = epoch === this.#epoch && kept !== undefined && this.#lists.recall(owner, kept);
      if (isNew) this.#server.ownListsChanged(owner);
    } while (epoch !== this.#epoch);
  }

  /** The shared connection was refused: from now on, each caller needs a credential. @returns the error as callers see it */
  refused(error: GatewayError): GatewayError {
    if (error.code !== 'UPSTREAM_AUTH_REQUIRED' || error.details.status === undefined) return error;
    this.#lock(error.details.challenges ?? []);
    if (!this.isPersonal) return this.#lacksSignIns ? namingSwitch(error) : error;
    void this.#kept.lock(this.#challenges);
    const { code } = error;
    const details = withoutUndefined({ ...error.details, action: undefined });
    if (isSingleSignOn(this.auth))
      return new GatewayError(code, 'each caller reaches it by the sign-in at this gateway', { details });
    const { name } = this;
    const facts = { ...details, signInAt: name };
    return helpedBy({ do: 'signIn', server: name }, code, 'it wants each caller to sign in', facts);
  }
  #lock(challenges: readonly string[]): void {
    this.#challenges = challenges;
    const before = this.isPersonal;
    this.#isLocked = this.#canLock;
    if (this.isPersonal && !before) this.#server.ownListsChanged(undefined);
  }
  get #canLock(): boolean {
    return this.#isOpen && this.#context.credentials()?.canSignIn(this) === true;
  }
  /** Whether the definition leaves open how callers are let in. */
  get #isOpen(): boolean {
    const { type, auth, headers } = this.#server.definition;
    const isConfigured = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    return type !== 'stdio' && auth.type === undefined && !isConfigured;
  }

  /** The calls of a request; undefined if the server is not personal. */
  callsFor(request: InboundRequest, client: Declaring | undefined): ServerCalls | undefined {
    const credential = this.credentialOf(request);
    if (credential === undefined) return undefined;
    const use = { credential, request, client };
    const begun = (): ServerCalls => this.#server.own.callsOf(use);
    return {
      owner: credential.owner,
      call: (what: string, text: RpcText, options: RequestOptions): Promise<CallResult> =>
        this.#run(use, (connection) => connection.call(what, text, options), options),
      watch: (uri, updated) => this.#run(use, (connection) => connection.watch(uri, updated)),
      start: () => begun().start(),
      stop: () => begun().stop(),
      redefine: (next) => begun().redefine(next),
      get status() {
        return begun().status;
      },
      get conversation() {
        if (credential.missing !== undefined) throw credential.missing;
        return begun().conversation;
      },
    };
  }

  async connect(credential: CallerCredential): Promise<OwnOffer> {
    await this.#run({ credential, request: undefined, client: undefined }, async (connection) => {
      await connection.start();
      const { state, lastError } = connection.status;
      if (state !== 'ready') throw lastError ?? endedMeanwhile(this.name);
    });
    return this.#server.offerTo(credential.owner);
  }

  async disconnect(owner: string, isForgotten: boolean): Promise<void> {
    const ended = this.#server.own.drop(owner);
    if (isForgotten) {
      this.#epoch += 1;
      if (this.#lists.forget(owner)) this.#server.ownListsChanged(owner);
    }
    await Promise.all([ended, isForgotten ? this.#kept.forget(owner) : undefined]);
  }

  /** Ends all connections with credentials; the lists stay. */
  async reset(): Promise<void> {
    const { own } = this.#server;
    const ended = own.dropAll();
    if (this.isPersonal) own.follow();
    await ended;
  }

  /** A connection has read its lists. */
  listed(owner: string, listing: Listing, facts: ServerFacts | undefined): void {
    if (this.#lists.set(owner, listing, facts)) this.#server.ownListsChanged(owner);
    const list = this.#lists.of(owner);
    if (list !== undefined) void this.#kept.keep(owner, list);
  }

  /** Another server has the name now, or none. */
  forget(): void {
    this.#epoch += 1;
    void this.#kept.clear();
    this.#lists.clear();
    this.#isLocked = false;
    this.#challenges = [];
  }

  /** Resolves when what survives a restart is written. */
  settled(): Promise<void> {
    return this.#kept.settled();
  }

  /** @param options of a call: its client may be asked to open the link of a sign-in */
  async #run<T>(
    use: CredentialUse,
    run: (connection: ServerCalls) => Promise<T>,
    options?: RequestOptions,
  ): Promise<T> {
    try {
      return await this.#tryWith(use, run);
    } catch (error) {
      const isLocked = isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED';
      if (!isLocked || error.details.signInAt === undefined) throw error;
      if (use.request === undefined || options === undefined) throw error;
      const hasSignedIn = await this.#context.signIns()?.offer(this, use.request, options);
      if (hasSignedIn !== true) throw error;
      return this.#tryWith(use, run);
    }
  }

  async #tryWith<T>(use: CredentialUse, run: (connection: ServerCalls) => Promise<T>): Promise<T> {
    const { credential } = use;
    for (let tries = 1; ; tries += 1) {
      const preparing = prepared(credential, this.#server.definition.timeoutMs);
      if (preparing !== undefined) await preparing;
      const stopped = this.#server.awayRefusal;
      if (stopped !== undefined) throw stopped;
      const { headers } = credential;
      try {
        return await run(this.#server.own.callsOf(use));
      } catch (error) {
        const refusal = refusalIn(error);
        if (refusal === undefined) throw error;
        const isRenewed = await credential.refused({ ...refusal, headers });
        if (!isRenewed || tries === MAX_TRIES) throw credential.fault;
      }
    }
  }
}

/** The error of a connection that ended by a sign-out, or because the server was stopped or changed. */
function endedMeanwhile(server: string): GatewayError {
  const text = `the connection to server ${server} was ended before its lists were read; connect again`;
  return new GatewayError('UPSTREAM_CLOSED', text, { details: { server } });
}

/** Undefined for an error of another kind: the server refuses what was sent, not what is missing. */
function refusalIn(error: unknown): Omit<CredentialRefusal, 'headers'> | undefined {
  if (!isGatewayError(error) || error.code !== 'UPSTREAM_AUTH_REQUIRED') return undefined;
  const { status, challenges = [] } = error.details;
  return status === 401 || status === 403 ? { status, challenges } : undefined;
}
