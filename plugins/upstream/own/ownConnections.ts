import { GatewayError, waitAtMost } from 'pegboard';
import type { InboundRequest, Log } from 'pegboard';
import { callerKey, ownerOf } from '../../kit/authority/ownerOf.ts';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from '../connection/context.ts';
import type { Dialing } from '../connection/dialer.ts';
import { userOf } from '../connection/usedSecrets.ts';
import type { SecretUser } from '../connection/usedSecrets.ts';
import { OwnConnectionTable, isForLists, isForOther } from './ownConnectionTable.ts';
import type { OwnEntry } from './ownConnectionTable.ts';
import { OwnedWatches } from './ownedWatches.ts';
import type { Declaring, WatchedServer, WatchOwner } from './ownedWatches.ts';
import { ownKey } from './ownKey.ts';
import type { ServerCalls } from '../connection/serverCalls.ts';
import type { StandardError } from '../client/wire/standardError.ts';
import { WarmWires } from './warm/warmWires.ts';
import type { BackoffTimes, ServerAhead } from './warm/warmWires.ts';

/** How long a sign-out waits for the end of its connections. */
const MAX_ENDING_MS = 1_000;

interface OwnContext extends Pick<UpstreamContext, 'log'> {
  readonly config: () => BackoffTimes;
}
/** The server that they belong to. */
export interface OwningServer extends ServerAhead, WatchedServer {
  /** What the process of the shared connection writes. */
  readonly output: Pick<StandardError, 'read'>;
  /** A connection that has not begun. @param client of its session; undefined if several may use it */
  connectionWith(dialer: Dialing, client: Declaring | undefined, credential?: CallerCredential): ServerCalls;
}
/** The credential whose connection is used, and the request that uses it. */
export interface CredentialUse {
  readonly credential: CallerCredential;
  /** Undefined for a connection that is begun ahead of requests. */
  readonly request: InboundRequest | undefined;
  readonly client: Declaring | undefined;
}
interface Asked {
  readonly key: string;
  readonly owner: string;
  readonly client: Declaring | undefined;
  readonly credential?: CallerCredential | undefined;
  readonly sessionId?: string | undefined;
}

/** The connections of one server that belong to a session or a caller, besides the shared one. */
export class OwnConnections {
  readonly #log: Log;
  readonly #server: OwningServer;
  readonly #table = new OwnConnectionTable();
  readonly #ending = new Set<Promise<void>>();
  readonly #warm: WarmWires;
  readonly #watches: OwnedWatches;
  #timer: NodeJS.Timeout | undefined;

  constructor({ log, config }: OwnContext, server: OwningServer) {
    this.#log = log;
    this.#server = server;
    this.#warm = new WarmWires(log, config, server, () => server.definition.maxInstances - this.size);
    this.#watches = new OwnedWatches(log, server);
  }

  get size(): number {
    return this.#table.size;
  }
  /** Processes that were started ahead and wait for a session. */
  get warm(): number {
    return this.#warm.size;
  }

  /** Ids of the processes that have begun, warm ones aside. */
  get pids(): readonly number[] {
    return this.#table.all().flatMap(({ connection }) => connection.conversation.pid ?? []);
  }

  /** Those that may have been made with secrets. One that has to be made anew is made by its next call. */
  get secretUsers(): readonly SecretUser[] {
    const { name: server } = this.#server;
    const own = this.#table
      .all()
      .map(({ key, dialer, connection }) => userOf(server, dialer, connection, () => this.#remove(key)));
    return [...own, ...this.#warm.secretUsers];
  }

  /** The server runs: watched resources are watched again, and processes may be started ahead. */
  begin(): void {
    this.follow();
    this.#warm.begin();
  }
  /** Watched resources are watched on the connections that their owners have now. */
  follow(): void {
    this.#watches.follow();
  }

  /** @returns undefined for the shared connection @throws GatewayError UPSTREAM_FULL */
  callsFor(request: InboundRequest, client: Declaring | undefined): ServerCalls | undefined {
    const { instances } = this.#server.definition;
    if (instances === 'shared') return undefined;
    const key = ownKey(instances, request);
    if (key === undefined) {
      // Its answer has a handle then, with which the client gets an instance of its own.
      ownerOf(request);
      return undefined;
    }
    return this.#use({ key, owner: callerKey(request.caller) ?? key, client });
  }

  /** The connection of a credential. One that was refused is replaced. @throws GatewayError UPSTREAM_FULL */
  callsOf({ credential, request, client }: CredentialUse): ServerCalls {
    const { owner } = credential;
    const { instances } = this.#server.definition;
    const sessionId = instances === 'perSession' ? request?.sessionId : undefined;
    const key = ownKey(instances, request, credential) ?? owner;
    const known = this.#table.get(key);
    const isOver = known?.connection.status.state === 'auth_required' || isForOther(known, credential);
    if (isOver) void this.#remove(key);
    return this.#use({ key, owner, client, credential, sessionId });
  }

  /** What the process writes that the request's calls reach; undefined if it has none of its own yet. What others share without
   *  session and sign-in is not shown. @param credential as for keyFor */
  outputFor(
    request: InboundRequest,
    credential: CallerCredential | undefined,
  ): Pick<StandardError, 'read'> | undefined {
    const { instances } = this.#server.definition;
    if (instances === 'shared' && credential === undefined) return this.#server.output;
    const key = this.keyFor(request, credential);
    return key === undefined ? undefined : this.#table.get(key)?.dialer.output;
  }
  /** The key of the connection that the request would use if it is one of its own. @param credential if the server takes one */
  keyFor(request: InboundRequest, credential: CallerCredential | undefined): string | undefined {
    return ownKey(this.#server.definition.instances, request, credential);
  }
  /** Undefined until a call has begun it. */
  connectionOf(key: string): Pick<ServerCalls, 'status' | 'conversation'> | undefined {
    return this.#table.get(key)?.connection;
  }
  /** Ends one. Resolves when it has ended, at the latest after `MAX_ENDING_MS`. */
  async dropOne(key: string): Promise<void> {
    await waitAtMost(MAX_ENDING_MS, this.#remove(key));
  }

  /** Ends those of the owner of a credential. Resolves after `MAX_ENDING_MS` at the latest: no server delays a sign-out. */
  async drop(owner: string): Promise<void> {
    const ending = this.#table.of(owner).map(({ key }) => this.#remove(key));
    if (ending.length > 0) await waitAtMost(MAX_ENDING_MS, Promise.all(ending));
  }

  /** Ends those with a credential. */
  async dropAll(): Promise<void> {
    const those = this.#table.all().filter(({ credential }) => credential !== undefined);
    await Promise.all(those.map(({ key }) => this.#remove(key)));
  }

  #use(asked: Asked): ServerCalls {
    const known = this.#table.get(asked.key) ?? this.#add(asked);
    known.usedAt = Date.now();
    return known.connection;
  }

  /** Subscribes on the connection of the owner. @param uri the server's own @throws GatewayError UPSTREAM_* */
  watch(owner: WatchOwner, uri: string, updated: () => void): Promise<() => void> {
    return this.#watches.add(owner, uri, updated);
  }

  /** Those of another mode end: by their keys, the next calls would not find them, or find those of others. */
  async redefine(next: ServerDefinition): Promise<void> {
    for (const { key, mode } of this.#table.all()) if (mode !== next.instances) void this.#remove(key);
    this.#warm.fill();
    await Promise.all([
      ...this.#ending,
      ...this.#table.all().map(({ connection }) => connection.redefine(withoutIdling(next))),
    ]);
    this.#watches.follow();
  }

  /** Which connection the request uses, for its maker; undefined if all share one. */
  wordsFor(request: InboundRequest): string | undefined {
    const { instances } = this.#server.definition;
    if (instances === 'shared') return undefined;
    const key = ownKey(instances, request);
    if (key === undefined) return `${instances}; without session, sign-in or handle you share one`;
    return `${instances}; ${this.#table.get(key) ? 'you have one' : 'your next call begins one'}`;
  }

  /** Sends the log level that clients want to the servers. */
  wantLogs(): void {
    for (const { connection } of this.#table.all()) connection.conversation.wantLogs();
  }

  /** Ends that of a session. */
  release(sessionId: string): void {
    if (this.#server.definition.instances !== 'perSession') return;
    void this.#remove(sessionId);
    for (const one of this.#table.all()) if (one.sessionId === sessionId) void this.#remove(one.key);
  }

  /** Ends all; the next calls begin new ones, and begin() those with which resources were watched. */
  async end(): Promise<void> {
    const cold = this.#warm.end();
    for (const { key } of this.#table.all()) void this.#remove(key);
    await Promise.all([cold, ...this.#ending]);
  }

  #add({ key, owner, client, credential, sessionId }: Asked): OwnEntry {
    this.#refuseFull({ owner, credential, sessionId });
    const { instances } = this.#server.definition;
    const warm = credential === undefined ? this.#warm.take() : undefined;
    const dialer = warm?.dialer ?? this.#server.dialerFor(credential);
    const connection = this.#server.connectionWith(
      dialer,
      instances === 'perSession' ? client : undefined,
      credential,
    );
    const own = {
      key,
      mode: instances,
      connection,
      dialer,
      warm,
      owner,
      sessionId,
      credential,
      values: credential?.values,
      usedAt: Date.now(),
    };
    this.#table.add(own);
    this.#sweepLater();
    if (credential !== undefined) this.#watches.follow(owner);
    // The next one must not slow this one down.
    void connection.start().then(() => this.#warm.fill());
    return own;
  }

  #refuseFull({ owner, credential, sessionId }: Pick<Asked, 'owner' | 'credential' | 'sessionId'>): void {
    const { name: server } = this.#server;
    const { instances, maxInstances, maxInstancesPerOwner } = this.#server.definition;
    // What a caller is listed is read on a connection besides those of the sessions.
    const own = this.#table.of(owner).filter((one) => !isForLists(one)).length;
    if (!isForLists({ mode: instances, credential, sessionId }) && own >= maxInstancesPerOwner) {
      const text = `you have ${own} of ${maxInstancesPerOwner} instances of server ${server}`;
      throw full(`${text}; end another session, or raise maxInstancesPerOwner in its definition`);
    }
    if (this.size < maxInstances) return;
    const text = `server ${server} has ${this.size} of ${maxInstances} instances`;
    throw full(`${text}; try again later, or raise maxInstances in its definition`);
  }

  /** Looks for idle ones as long as there are any. */
  #sweepLater(): void {
    if (this.#timer !== undefined || this.size === 0) return;
    const { instanceIdleMs } = this.#server.definition;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#sweep(Date.now());
        this.#sweepLater();
      },
      Math.max(1, instanceIdleMs / 2),
    );
  }

  #sweep(now: number): void {
    const { instanceIdleMs } = this.#server.definition;
    for (const { key, connection, usedAt } of this.#table.all()) {
      if (!connection.conversation.isBusy && now - usedAt >= instanceIdleMs) void this.#remove(key);
    }
  }

  /** Resolves when it has ended; never rejects. */
  #remove(key: string): Promise<void> {
    const instance = this.#table.remove(key);
    if (instance === undefined) return Promise.resolve();
    if (this.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    const { connection, warm } = instance;
    const ending = Promise.all([connection.stop(), warm?.discard()])
      .catch((error: unknown) => {
        this.#log.error('an instance of a server could not be ended', { server: this.#server.name, error });
      })
      .then(() => this.#warm.fill());
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
    return ending;
  }
}

/** The pool ends what is idle, so that the place is free too. */
export function withoutIdling(definition: ServerDefinition): ServerDefinition {
  return { ...definition, idleTimeoutMs: undefined };
}

function full(text: string): GatewayError {
  return new GatewayError('UPSTREAM_FULL', text);
}
