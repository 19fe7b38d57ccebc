import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inTurn, isObject, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { NOTHING_LISTED } from '../conversation/listing.ts';
import { listIdOf } from './ownLists.ts';
import type { OwnList } from './ownLists.ts';

export interface KeptBounds {
  readonly owners: number;
  /** Maximum bytes of all lists together. */
  readonly bytes: number;
  /** How long what is not confirmed stays. */
  readonly ageMs: number;
}
const DAY_MS = 86_400_000;
const BOUNDS: KeptBounds = { owners: 20_000, bytes: 64 * 1024 * 1024, ageMs: 30 * DAY_MS };
/** So many lists have room at least; a larger list is not kept. */
const MIN_LISTS = 8;
/** A list that is read again is confirmed once in this time. */
const CONFIRM_MS = DAY_MS;
/** A draft of a process that has ended. */
const DRAFT_MS = 3_600_000;
const LOCK = 'locked.json';
/** `<list>.<hash of its owner>`, empty; or `<list>.json`. */
const NAME = /^([0-9a-f]{64})\.(json|[0-9a-f]{64})$/;

interface Index {
  /** List and time of confirmation (ms since 1970) of each owner, by hash; the one that was confirmed longest ago is first. */
  readonly owners: Map<string, { readonly id: string; readonly at: number }>;
  /** Bytes of each list. */
  readonly sizes: Map<string, number>;
  challenges: readonly string[] | undefined;
}

/** What is kept for the callers of one server in a folder of the state directory: each list once, for each owner an empty file that
 *  names it, and whether the server wants them to sign in. Several processes may use it: files are replaced as a whole, and a file
 *  that another process has removed is one that is not kept. Its methods never reject: they write warnings. */
export class KeptFolder {
  readonly #path: string;
  readonly #log: Log;
  readonly #bounds: KeptBounds;
  readonly #take = inTurn();
  #index: Index | undefined;

  constructor(path: string, log: Log, bounds: KeptBounds = BOUNDS) {
    this.#path = path;
    this.#log = log;
    this.#bounds = bounds;
  }

  /** @param known a list of that id which is in memory @returns undefined if none is kept */
  read(owner: string, known: (id: string) => OwnList | undefined): Promise<Omit<OwnList, 'id'> | undefined> {
    return this.#do(async (index) => {
      const { id } = index.owners.get(this.#hashOf(owner)) ?? {};
      return id === undefined ? undefined : (known(id) ?? (await this.#list(id, index)));
    });
  }

  keep(owner: string, list: OwnList): Promise<void> {
    return this.#do(async (index) => {
      const hash = this.#hashOf(owner);
      const { id } = list;
      const former = index.owners.get(hash);
      const isKept = former?.id === id && index.sizes.has(id);
      if (isKept && Date.now() - former.at < CONFIRM_MS) return;
      const text = index.sizes.has(id) ? '' : JSON.stringify({ listing: list.listing, facts: list.facts });
      const size = Buffer.byteLength(text);
      if (size > this.#bounds.bytes / MIN_LISTS) {
        await this.#drop(hash, index);
        return;
      }
      await mkdir(this.#path, { recursive: true, mode: 0o700 });
      // First: a list to which no file leads would be removed.
      await writeFile(this.#at(`${id}.${hash}`), '', { mode: 0o600 });
      index.owners.delete(hash);
      index.owners.set(hash, { id, at: Date.now() });
      if (size > 0) {
        await this.#replace(`${id}.json`, text);
        index.sizes.set(id, size);
      }
      if (former !== undefined && former.id !== id) await this.#dropFile(hash, former.id, index);
      await this.#bound(index);
    });
  }

  /** Keeps nothing of the owner any more. */
  forget(owner: string): Promise<void> {
    return this.#do((index) => this.#drop(this.#hashOf(owner), index));
  }

  /** The server wants callers to sign in. @param challenges lines of `WWW-Authenticate` */
  lock(challenges: readonly string[]): Promise<void> {
    return this.#do(async (index) => {
      if (index.challenges?.join('\n') === challenges.join('\n')) return;
      await mkdir(this.#path, { recursive: true, mode: 0o700 });
      await this.#replace(LOCK, JSON.stringify(challenges));
      index.challenges = challenges;
    });
  }
  /** @returns undefined unless the server has wanted callers to sign in, and one has a list */
  challenges(): Promise<readonly string[] | undefined> {
    return this.#do((index) => Promise.resolve(index.challenges));
  }

  /** Removes the folder. */
  clear(): Promise<void> {
    return this.#do(async () => {
      await rm(this.#path, { recursive: true, force: true });
      this.#index = undefined;
    });
  }

  /** Resolves when everything is on disk. */
  settled(): Promise<void> {
    return this.#take(() => Promise.resolve());
  }

  /** Removes what is too old, and the folder if nothing is left. */
  sweep(): Promise<void> {
    return this.#do(async ({ owners }) => {
      if (owners.size === 0) await rm(this.#path, { recursive: true, force: true });
    });
  }

  async #do<T>(work: (index: Index) => Promise<T>): Promise<T | undefined> {
    return this.#take(async () => {
      try {
        this.#index ??= await this.#load();
        return await work(this.#index);
      } catch (error) {
        this.#log.warn('what servers list for callers could not be stored or read', {
          error: messageOf(error),
        });
        return undefined;
      }
    });
  }

  async #load(): Promise<Index> {
    const files = await this.#files();
    const since = Date.now() - this.#bounds.ageMs;
    const index: Index = { owners: new Map(), sizes: new Map(), challenges: undefined };
    for (const { name, at, size } of files) {
      const [, id = '', end = ''] = NAME.exec(name) ?? [];
      if (end === 'json') index.sizes.set(id, size);
      else if (id === '') {
        if (name !== LOCK && Date.now() - at > DRAFT_MS) await this.#remove(name);
      } else {
        const former = index.owners.get(end);
        if (former !== undefined) await this.#remove(`${former.id}.${end}`);
        index.owners.delete(end);
        if (at < since) await this.#remove(name);
        else index.owners.set(end, { id, at });
      }
    }
    const used = new Set([...index.owners.values()].map(({ id }) => id));
    for (const id of [...index.sizes.keys()]) if (!used.has(id)) await this.#dropList(id, index);
    // A server that no one has signed in to may be open again.
    if (used.size > 0) index.challenges = await this.#challenges();
    else await this.#remove(LOCK);
    return index;
  }

  /** The oldest first. */
  async #files(): Promise<readonly { readonly name: string; readonly at: number; readonly size: number }[]> {
    const names = await readdir(this.#path).catch((error: unknown) => absent(error, []));
    const found = await Promise.all(
      names.map(async (name) => {
        const about = await stat(this.#at(name)).catch((error: unknown) => absent(error, undefined));
        return about === undefined ? [] : [{ name, at: about.mtimeMs, size: about.size }];
      }),
    );
    return found.flat().sort((a, b) => a.at - b.at);
  }

  async #list(id: string, index: Index): Promise<Omit<OwnList, 'id'> | undefined> {
    const name = `${id}.json`;
    const text = await readFile(this.#at(name), 'utf8').catch((error: unknown) => absent(error, undefined));
    const list = text === undefined ? undefined : parsed(text);
    if (list !== undefined && listIdOf(list) === id) return list;
    // The next connection writes it anew.
    index.sizes.delete(id);
    if (text === undefined) return undefined;
    this.#log.warn('a stored list of a server is damaged; it is left out', { file: this.#at(name) });
    await this.#remove(name);
    return undefined;
  }

  async #challenges(): Promise<readonly string[] | undefined> {
    const text = await readFile(this.#at(LOCK), 'utf8').catch((error: unknown) => absent(error, undefined));
    if (text === undefined) return undefined;
    const lines = jsonIn(text);
    if (Array.isArray(lines)) return lines.filter((line) => typeof line === 'string');
    this.#log.warn('a stored challenge of a server is damaged; it is left out', { file: this.#at(LOCK) });
    return undefined;
  }

  async #bound(index: Index): Promise<void> {
    const { owners, bytes, ageMs } = this.#bounds;
    const isOver = (at: number): boolean =>
      index.owners.size > owners ||
      Date.now() - at > ageMs ||
      [...index.sizes.values()].reduce((sum, size) => sum + size, 0) > bytes;
    for (const [hash, { at }] of index.owners) {
      if (!isOver(at)) return;
      await this.#drop(hash, index);
    }
  }

  async #drop(hash: string, index: Index): Promise<void> {
    const { id } = index.owners.get(hash) ?? {};
    if (id === undefined) return;
    index.owners.delete(hash);
    await this.#dropFile(hash, id, index);
  }
  async #dropFile(hash: string, id: string, index: Index): Promise<void> {
    await this.#remove(`${id}.${hash}`);
    const isUsed = [...index.owners.values()].some((one) => one.id === id);
    if (!isUsed) await this.#dropList(id, index);
  }
  /** Unless an owner of another process has it. */
  async #dropList(id: string, index: Index): Promise<void> {
    index.sizes.delete(id);
    const names = await readdir(this.#path).catch((error: unknown) => absent(error, []));
    const isUsed = names.some(
      (name) => name.startsWith(`${id}.`) && NAME.test(name) && name !== `${id}.json`,
    );
    if (!isUsed) await this.#remove(`${id}.json`);
  }

  async #replace(name: string, text: string): Promise<void> {
    const draft = this.#at(`${name}.${randomBytes(6).toString('hex')}.new`);
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, this.#at(name));
  }
  #remove(name: string): Promise<void> {
    return rm(this.#at(name), { force: true });
  }
  #at(name: string): string {
    return join(this.#path, name);
  }
  /** Differs from server to server. */
  #hashOf(owner: string): string {
    const text = JSON.stringify([basename(this.#path), owner]);
    return createHash('sha256').update(text).digest('hex');
  }
}

/** @throws the error, unless the file does not exist */
function absent<T>(error: unknown, value: T): T {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value;
  throw error;
}
/** Undefined for what is not a list. */
function parsed(text: string): Omit<OwnList, 'id'> | undefined {
  const kept = jsonIn(text);
  if (!isObject(kept)) return undefined;
  const { listing, facts } = kept;
  if (!isObject(listing) || (facts !== undefined && !isObject(facts))) return undefined;
  if (!Object.keys(NOTHING_LISTED).every((name) => Array.isArray(listing[name]))) return undefined;
  return kept as unknown as Omit<OwnList, 'id'>;
}
