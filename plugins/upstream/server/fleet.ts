import { isDeepStrictEqual } from 'node:util';
import { fillReferences } from 'pegboard';
import type { InboundRequest, KernelEvent, Log, Resource, ResourceDiff } from 'pegboard';
import type { CallerCredential, CallerCredentials, OwnOffer } from '../../contracts/credentials.ts';
import type { SignInOffers } from '../../contracts/signIns.ts';
import type { Tracer } from '../../contracts/tracing.ts';
import type { MemoryBudget } from '../../contracts/memory.ts';
import type { SecretSource } from '../../contracts/secrets.ts';
import type { TlsFiles, TlsTrust } from '../../kit/tls/tlsTrust.ts';
import type { UpstreamConfig } from '../config.ts';
import { awayRefusal } from './away.ts';
import { Connection } from './connection.ts';
import type { OwnParts } from './ownParts.ts';
import type { Ticker } from '../rpc/ticker.ts';
import { instanceTopics, readDefinition, startsByItself } from '../definition.ts';
import type { ServerDefinition } from '../definition.ts';
import type { WireListener } from '../wire/wire.ts';
import { dial } from './dial.ts';
import { Instances, withoutIdling } from './instances.ts';
import { Personal } from './personal.ts';
import { LastEra } from '../revision/lastEra.ts';
import { isSameServer } from './lastKnown.ts';
import type { LastKnown, LateNames } from './lastKnown.ts';
import { StartQueue } from './startQueue.ts';
import { StandardError } from '../wire/standardError.ts';
import type { ServerLogs } from '../conversation/serverLogs.ts';
import type { ToolReport } from './toolReport.ts';
import type { Watchdog } from '../wire/watchdog.ts';

export interface FleetParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly ticker: Ticker;
  readonly logs: ServerLogs;
  readonly watchdog: Watchdog;
  readonly trusts: (files?: TlsFiles) => TlsTrust;
  readonly lastKnown: () => LastKnown;
  readonly directory: () => string;
  /** Called when the items a server offers have changed; a removed server offers none.
   *  @param owner whose items alone have changed */
  readonly listed: (connection: Connection, owner?: string) => void;
  /** Called before `listed` with the last known items of a server. */
  readonly recalled: (server: string, late: LateNames) => void;
  readonly lateNames: (server: string) => LateNames;
  readonly toolReport: (server: string) => ToolReport;
  readonly offerOf: (server: string, owner: string) => OwnOffer;
  readonly offers: () => SignInOffers | undefined;
  readonly tracer: () => Tracer | undefined;
  readonly memory: () => MemoryBudget | undefined;
  readonly credentials: () => CallerCredentials | undefined;
  readonly secrets: () => SecretSource | undefined;
}

/** Keeps the servers consistent with their definitions; unchanged servers are not touched. */
export class Fleet {
  readonly #parts: FleetParts;
  readonly #connections = new Map<string, Connection>();
  readonly #personal = new Map<string, Personal>();
  readonly #leavingByName = new Map<string, Promise<void>>();
  /** Running starts and stops, which no caller awaits: a server must not delay a reload. */
  readonly #loose = new Set<Promise<void>>();
  readonly #starts: StartQueue;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#starts = new StartQueue(() => parts.config().maxStarting);
  }

  get(server: string): Connection | undefined {
    return this.#connections.get(server);
  }
  personal(server: string): Personal | undefined {
    return this.#personal.get(server);
  }
  allPersonal(): Iterable<Personal> {
    return this.#personal.values();
  }
  /** Sorted by name. */
  all(): readonly Connection[] {
    return [...this.#connections.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Other credentials are in force: connections that use former ones end. */
  credentialsChanged(): void {
    for (const connection of this.#connections.values()) {
      void this.#loosely(this.#personal.get(connection.name)?.reset() ?? Promise.resolve());
      this.#listed(connection);
    }
  }

  /** Waits for the stored catalogues only, never for a server. */
  async apply({ added, changed, removed }: ResourceDiff): Promise<void> {
    for (const { kind, name } of removed) if (kind === 'MCPServer') this.#remove(name);
    for (const { kind, name, spec } of changed) {
      if (kind !== 'MCPServer') continue;
      const connection = this.#connections.get(name);
      if (connection === undefined) continue;
      const next = readDefinition(spec);
      const isSame = isSameServer(connection.definition, next);
      if (!isSame) connection.conversation.forget();
      // Lists that were read with another kind of credential say nothing about the next.
      if (!isSame || !isDeepStrictEqual(connection.definition.auth, next.auth))
        this.#personal.get(name)?.forget();
      void this.#loosely(connection.redefine(next));
      this.#parts.listed(connection);
    }
    await Promise.all(
      added.filter(({ kind }) => kind === 'MCPServer').map((resource) => this.#add(resource)),
    );
  }

  /** Ends all connections in parallel; safe to call twice. */
  async stop(): Promise<void> {
    this.#starts.open();
    await Promise.all(this.all().map((connection) => connection.stop()));
    await Promise.all(this.#loose);
    this.#connections.clear();
  }

  async #add({ name, spec }: Resource): Promise<void> {
    if (this.#connections.has(name)) return;
    const { config, log, emit, ticker, logs, watchdog, directory, trusts, secrets, memory } = this.#parts;
    const definition = readDefinition(spec);
    const isOwnStart = startsByItself(definition);
    // Only processes take turns: a remote server needs no resources here.
    const turn = isOwnStart && definition.type === 'stdio' ? this.#starts.turn() : undefined;
    const leaving = this.#leavingByName.get(name);
    const lastEra = new LastEra();
    let count = 0;
    const partsWith = (log: Log, credential?: CallerCredential): OwnParts => {
      const output = new StandardError(log, config);
      return {
        config,
        ticker,
        logs,
        output,
        log,
        lastEra,
        tracer: this.#parts.tracer,
        dial: (definition: ServerDefinition, listener: WireListener) =>
          dial(definition, listener, {
            config,
            watchdog,
            trusts,
            secrets,
            directory: directory(),
            output,
            credential,
            memory: (about) => memory()?.open('answer', about?.sharer ?? `server ${name}`),
          }),
        received: (call, chars) => memory()?.hold(call, chars),
        toolReport: () => this.#parts.toolReport(name),
      };
    };
    const shared = partsWith(log.child({ server: name }));
    const personal: Personal = new Personal({
      server: name,
      definition: () => connection.definition,
      url: () => fillReferences({ url: connection.definition.url }, directory()).values['url'] ?? '',
      state: () => connection.state,
      stopped: () => (connection.isWanted ? undefined : awayRefusal(connection)),
      instances: () => instances,
      credentials: this.#parts.credentials,
      offers: this.#parts.offers,
      offerOf: (owner) => this.#parts.offerOf(name, owner),
      changed: (owner) => {
        if (this.#connections.get(name) !== connection) return;
        this.#parts.listed(connection, owner);
        if (owner === undefined) return;
        const ownerOf = (request: InboundRequest) => personal.credentialOf(request)?.owner;
        emit({ type: 'server.ownListsChanged', server: name, owner, ownerOf });
      },
      kept: () => this.#parts.lastKnown().callersOf(name, connection.definition),
    });
    const instances: Instances = new Instances({
      server: name,
      log,
      config,
      definition: () => connection.definition,
      shared: () => connection,
      output: shared.output,
      next: (credential) => partsWith(log.child({ server: name, instance: ++count }), credential),
      create: (own, client, credential) => {
        const owned: Connection = new Connection(name, withoutIdling(connection.definition), {
          ...own,
          // What happens to it concerns its owner only.
          isOwn: true,
          emit: () => undefined,
          asked: () => undefined,
          readsLists: credential !== undefined,
          waitsForPeople: () => credential !== undefined,
          // With a credential, it is the credential that was refused.
          refused: (error) => (credential === undefined ? personal.refused(error) : error),
          listed: () => {
            if (credential !== undefined && owned.state === 'ready')
              personal.listed(credential.owner, owned.listing, owned.facts);
          },
          topics: (definition) => instanceTopics(definition, client?.capabilities),
          after: Promise.resolve(),
        });
        return owned;
      },
    });
    const connection: Connection = new Connection(name, definition, {
      ...shared,
      emit,
      isOwn: false,
      readsLists: true,
      personal,
      session: this.#parts.lastKnown().sessionOf(name),
      waitsForPeople: () => personal.isPersonal,
      refused: (error) => personal.refused(error),
      topics: ({ questions }) => questions ?? config().questions,
      after: Promise.all([leaving, turn?.come]).then(() => undefined),
      listed: () => {
        if (this.#connections.get(name) === connection) this.#listed(connection);
      },
      asked: () => {
        if (this.#connections.get(name) === connection) this.#keep(connection);
      },
      instances,
    });
    this.#connections.set(name, connection);
    this.#personal.set(name, personal);
    const known = await this.#parts.lastKnown().read(name, definition);
    await personal.recall();
    lastEra.remember(known?.era, known?.askEras ?? {});
    for (const topic of known?.asked ?? []) connection.conversation.questions.topics.add(topic);
    if (!isOwnStart) return;
    const isIdle = known !== undefined && definition.idleTimeoutMs !== undefined;
    if (isIdle || this.#connections.get(name) !== connection) turn?.end();
    if (this.#connections.get(name) !== connection) return;
    if (known !== undefined) connection.conversation.lists.remember(known.listing);
    if (isIdle) connection.rest();
    else void this.#loosely(connection.start().finally(() => turn?.end()));
    if (known === undefined) return;
    this.#parts.recalled(name, known.late);
    this.#parts.listed(connection);
  }

  #remove(name: string): void {
    const connection = this.#connections.get(name);
    if (connection === undefined) return;
    this.#connections.delete(name);
    const leaving = this.#loosely(connection.stop());
    this.#personal.get(name)?.forget();
    this.#personal.delete(name);
    this.#leavingByName.set(name, leaving);
    void leaving.then(() => {
      if (this.#leavingByName.get(name) === leaving) this.#leavingByName.delete(name);
    });
    this.#parts.lastKnown().forget(name);
    this.#parts.listed(connection);
  }

  #listed(connection: Connection): void {
    this.#parts.listed(connection);
    this.#keep(connection);
  }

  #keep({ name, definition, isStale, listing, conversation }: Connection): void {
    const asked = [...conversation.questions.topics];
    const { known: era, askEras } = conversation.lastEra;
    const late = (): LateNames => this.#parts.lateNames(name);
    if (!isStale) this.#parts.lastKnown().write(name, definition, { listing, asked, era, askEras, late });
  }

  #loosely(work: Promise<void>): Promise<void> {
    const watched = work.catch((error: unknown) => {
      this.#parts.log.error('definition of a server could not be applied', { error });
    });
    this.#loose.add(watched);
    void watched.then(() => this.#loose.delete(watched));
    return watched;
  }
}
