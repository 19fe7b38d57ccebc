import type { Resource, ResourceDiff } from 'pegboard';
import { readDefinition, startsByItself } from '../definition.ts';
import type { UpstreamContext } from '../connection/context.ts';
import { Server } from './server.ts';
import type { ListedItems } from './server.ts';
import { StartQueue } from '../connection/startQueue.ts';

/** Keeps the servers consistent with their definitions; unchanged servers are not touched. */
export class Fleet {
  readonly #context: UpstreamContext;
  readonly #items: ListedItems;
  readonly #servers = new Map<string, Server>();
  readonly #leavingByName = new Map<string, Promise<void>>();
  /** Running starts and stops, which no caller awaits: a server must not delay a reload. */
  readonly #loose = new Set<Promise<void>>();
  readonly #starts: StartQueue;

  constructor(context: UpstreamContext, items: ListedItems) {
    this.#context = context;
    this.#items = items;
    this.#starts = new StartQueue(() => context.config().maxStarting);
  }

  get(server: string): Server | undefined {
    return this.#servers.get(server);
  }
  /** Sorted by name. */
  all(): readonly Server[] {
    return [...this.#servers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Other credentials are in force: connections that use former ones end. */
  credentialsChanged(): void {
    for (const server of this.#servers.values()) {
      void this.#loosely(server.personal.reset());
      // Whether callers can sign in to it may not have been known before.
      void server.personal.recall();
      server.listed();
    }
  }

  /** Waits for the stored catalogues only, never for a server. */
  async apply({ added, changed, removed }: ResourceDiff): Promise<void> {
    for (const { kind, name } of removed) if (kind === 'MCPServer') this.#remove(name);
    for (const { kind, name, spec, labels } of changed) {
      const server = kind === 'MCPServer' ? this.#servers.get(name) : undefined;
      if (server !== undefined) void this.#loosely(server.redefine(readDefinition(spec, labels)));
    }
    await Promise.all(
      added.filter(({ kind }) => kind === 'MCPServer').map((resource) => this.#add(resource)),
    );
  }

  /** Ends all connections in parallel; safe to call twice. */
  async stop(): Promise<void> {
    this.#starts.open();
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    await Promise.all(this.#loose);
    this.#servers.clear();
  }

  async #add({ name, spec, labels }: Resource): Promise<void> {
    if (this.#servers.has(name)) return;
    const definition = readDefinition(spec, labels);
    const isOwnStart = startsByItself(definition);
    // A remote server needs no resources here, and runners take turns of their own.
    const isProgram = definition.type === 'stdio' && definition.runner === undefined;
    const turn = isOwnStart && isProgram ? this.#starts.turn() : undefined;
    const after = Promise.all([this.#leavingByName.get(name), turn?.come]).then(() => undefined);
    const server = new Server(name, definition, this.#context, this.#items, after);
    this.#servers.set(name, server);
    await server.recall();
    if (isOwnStart) void this.#loosely(server.begin().finally(() => turn?.end()));
  }

  #remove(name: string): void {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    this.#servers.delete(name);
    const leaving = this.#loosely(server.leave());
    void this.#loosely(server.personal.settled());
    this.#leavingByName.set(name, leaving);
    void leaving.then(() => {
      if (this.#leavingByName.get(name) === leaving) this.#leavingByName.delete(name);
    });
  }

  #loosely(work: Promise<void>): Promise<void> {
    const watched = work.catch((error: unknown) => {
      this.#context.log.error('definition of a server could not be applied', { error });
    });
    this.#loose.add(watched);
    void watched.then(() => this.#loose.delete(watched));
    return watched;
  }
}
