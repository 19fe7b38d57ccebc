import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { vaultKeys } from '../../kit/vault/vaultKeys.ts';
import { ALL_TOPICS } from '../client/options.ts';
import type { ServerDefinition } from '../definition.ts';
import type { RemoteTransport, Topic } from '../client/options.ts';
import { endpointKey, hashOf } from './endpointKey.ts';
import { KeptSession } from './keptSession.ts';
import { LIST_NAMES } from '../client/conversation/readList.ts';
import type { ListName } from '../client/conversation/readList.ts';
import { readAskEras, readKnownEra } from '../client/revision/lastEra.ts';
import type { AskEras, KnownEra } from '../client/revision/lastEra.ts';
import type { Listing } from '../client/conversation/listing.ts';
import { renameOver } from '../../kit/files/renameOver.ts';

/** What is kept of a server. */
export interface Known {
  readonly listing: Listing;
  /** What it has asked its clients for. */
  readonly asked: readonly Topic[];
  /** The era in which it was connected; undefined if that is not known. */
  readonly era: KnownEra | undefined;
  /** What answered to type auto; undefined if that is not known. */
  readonly transport?: RemoteTransport | undefined;
  /** The era in which its tools can ask, as far as calls have shown. */
  readonly askEras: AskEras;
  /** Names that another server had first, by list. */
  readonly late: LateNames;
}
/** Names, and when the server came to each, about ms since the epoch. */
export type LatePlaces = readonly (readonly [name: string, at: number])[];
export type LateNames = Readonly<Partial<Record<ListName, LatePlaces>>>;
/** What is written when something of it has changed. */
export interface Keeping extends Omit<Known, 'late'> {
  readonly late: () => LateNames;
}
interface Kept extends Known {
  readonly endpoint: string;
}
/** A file of an older Pegboard has no `asked`, `era`, `transport`, `askEras` and `late`. */
type Stored = Omit<Kept, 'asked' | 'late'> & Partial<Pick<Kept, 'asked' | 'late'>>;

const PIECE_CHARS = 500_000;

/** Stores the last good catalogue of every server for the next start, and what it asks its clients for: one JSON file per
 *  server in the state directory. */
export class LastKnown {
  readonly #statePath: string | undefined;
  readonly #log: Log;
  readonly #writtenByServer = new Map<string, Keeping>();
  /** The kept session of each server, by the server's name. */
  readonly #sessions = new Map<string, KeptSession>();
  #writing: Promise<void> = Promise.resolve();

  /** @param statePath undefined stores nothing */
  constructor(statePath: string | undefined, log: Log) {
    this.#statePath = statePath;
    this.#log = log;
  }

  /** @returns undefined if nothing is stored, or only for another endpoint */
  read(server: string, definition: ServerDefinition): Promise<Known | undefined> {
    const path = this.#statePath;
    return path === undefined ? Promise.resolve(undefined) : readKnown(path, server, definition);
  }

  write(server: string, definition: ServerDefinition, known: Keeping): void {
    const { listing, asked, era, transport, askEras } = known;
    const written = this.#writtenByServer.get(server);
    const isWritten =
      written?.listing === listing &&
      written.asked.length === asked.length &&
      written.era === era &&
      written.transport === transport &&
      written.askEras === askEras;
    if (this.#statePath === undefined || isWritten) return;
    this.#writtenByServer.set(server, known);
    const kept: Kept = {
      endpoint: endpointKey(definition),
      listing,
      asked,
      era,
      transport,
      askEras,
      late: known.late(),
    };
    this.#then(async (folder) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileIn(folder, server);
      await writeFile(`${file}.new`, jsonOf(kept), { mode: 0o600 });
      await renameOver(`${file}.new`, file);
    });
  }

  /** What is kept of the session of a server. */
  sessionOf(server: string): KeptSession {
    const path = this.#statePath;
    const file = path && fileIn(sessionsIn(path), server);
    const session = this.#sessions.get(server) ?? new KeptSession(file, () => vaultKeys(path), this.#log);
    this.#sessions.set(server, session);
    return session;
  }

  forget(server: string): void {
    this.#sessions.get(server)?.forget();
    this.#writtenByServer.delete(server);
    this.#then((folder) => rm(fileIn(folder, server), { force: true }));
  }

  /** Resolves when everything is on disk. */
  async settled(): Promise<void> {
    await this.#writing;
    await Promise.all([...this.#sessions.values()].map((one) => one.settled()));
  }

  #then(work: (folder: string) => Promise<void>): void {
    if (this.#statePath === undefined) return;
    const folder = folderIn(this.#statePath);
    this.#writing = this.#writing
      .then(() => work(folder))
      .catch((error: unknown) => {
        this.#log.warn('the last known catalogue could not be stored', { error: messageOf(error) });
      });
  }
}

/** What a Pegboard with this state directory has kept. @returns undefined if it is nothing, or of another endpoint */
export async function readKnown(
  statePath: string,
  server: string,
  definition: ServerDefinition,
): Promise<Known | undefined> {
  const file = fileIn(folderIn(statePath), server);
  // A read that fails costs much more, and at the first start it is one for each server.
  if (!existsSync(file)) return undefined;
  try {
    const text = await readFile(file, 'utf8');
    const { endpoint, listing, asked = [], era, transport, askEras, late = {} } = JSON.parse(text) as Stored;
    if (endpoint !== endpointKey(definition)) return undefined;
    if (!LIST_NAMES.every((name) => Array.isArray(listing[name]))) return undefined;
    const topics = ALL_TOPICS.filter((topic) => asked.includes(topic));
    return {
      listing,
      asked: topics,
      era: readKnownEra(era),
      transport: transport === 'streamable-http' || transport === 'sse' ? transport : undefined,
      askEras: readAskEras(askEras),
      late: readLate(late),
    };
  } catch {
    // Not readable: the server is listed at its start anyway.
    return undefined;
  }
}

/** The text of the file in pieces, each written before the next is made: a large list would block the event loop. */
function* jsonOf({ listing, ...rest }: Kept): Generator<string> {
  const { gaps, ...lists } = listing;
  let piece = `${JSON.stringify(rest).slice(0, -1)},"listing":{"gaps":${JSON.stringify(gaps ?? {})}`;
  for (const [name, items] of Object.entries(lists)) {
    piece += `,${JSON.stringify(name)}:[`;
    for (const [at, item] of items.entries()) {
      piece += (at === 0 ? '' : ',') + JSON.stringify(item);
      if (piece.length < PIECE_CHARS) continue;
      yield piece;
      piece = '';
    }
    piece += ']';
  }
  yield `${piece}}}`;
}

function readLate(late: LateNames): LateNames {
  const isPlace = (one: unknown): boolean =>
    Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number';
  const lists = LIST_NAMES.map((name) => [name, [late[name] ?? []].flat().filter(isPlace)] as const);
  return Object.fromEntries(lists);
}

function folderIn(statePath: string): string {
  return join(statePath, 'catalogues');
}
function sessionsIn(statePath: string): string {
  return join(statePath, 'sessions');
}
function fileIn(folder: string, server: string): string {
  return join(folder, `${hashOf(server).slice(0, 24)}.json`);
}

/** Whether what is kept for one definition holds for the other. */
export function isSameServer(one: ServerDefinition, other: ServerDefinition): boolean {
  return endpointKey(one) === endpointKey(other);
}
