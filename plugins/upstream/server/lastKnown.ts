import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { endpointOf } from '../definition.ts';
import type { ServerDefinition } from '../definition.ts';
import { NOTHING_LISTED } from '../rpc/listing.ts';
import type { Listing } from '../rpc/listing.ts';

interface Kept {
  readonly endpoint: string;
  readonly listing: Listing;
}

/** Stores the last good catalogue of every server for the next start: one JSON file per server in the state directory. */
export class LastKnown {
  readonly #folder: string | undefined;
  readonly #log: Log;
  readonly #writtenByServer = new Map<string, Listing>();
  #writing: Promise<void> = Promise.resolve();

  /** @param statePath undefined stores nothing */
  constructor(statePath: string | undefined, log: Log) {
    this.#folder = statePath === undefined ? undefined : join(statePath, 'catalogues');
    this.#log = log;
  }

  /** @returns undefined if nothing is stored, or the stored catalogue is that of another endpoint */
  async read(server: string, definition: ServerDefinition): Promise<Listing | undefined> {
    if (this.#folder === undefined) return undefined;
    try {
      const { endpoint, listing } = JSON.parse(await readFile(this.#file(server), 'utf8')) as Kept;
      if (endpoint !== endpointKey(definition)) return undefined;
      const lists = Object.keys(NOTHING_LISTED).map(
        (name) => [name, (listing as Record<string, unknown>)[name]] as const,
      );
      return lists.every(([, items]) => Array.isArray(items)) ? listing : undefined;
    } catch {
      // Nothing stored, or not readable: the server is listed at its start anyway.
      return undefined;
    }
  }

  write(server: string, definition: ServerDefinition, listing: Listing): void {
    if (this.#folder === undefined || this.#writtenByServer.get(server) === listing) return;
    this.#writtenByServer.set(server, listing);
    const kept: Kept = { endpoint: endpointKey(definition), listing };
    this.#then(async (folder) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = this.#file(server);
      await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
  }

  forget(server: string): void {
    this.#writtenByServer.delete(server);
    this.#then(() => rm(this.#file(server), { force: true }));
  }

  /** Resolves when everything is on disk. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #then(work: (folder: string) => Promise<void>): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    this.#writing = this.#writing
      .then(() => work(folder))
      .catch((error: unknown) => {
        this.#log.warn('the last known catalogue could not be stored', { error: messageOf(error) });
      });
  }

  #file(server: string): string {
    return join(this.#folder ?? '', `${hashOf(server).slice(0, 24)}.json`);
  }
}

/** Includes the names of variables and headers, but not their values, which may be secret. */
function endpointKey(definition: ServerDefinition): string {
  const [type, command, url] = endpointOf(definition);
  return hashOf(
    JSON.stringify([type, command, url, Object.keys(definition.env), Object.keys(definition.headers)]),
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
