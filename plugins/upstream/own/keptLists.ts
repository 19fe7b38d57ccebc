import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf, readSchema, replaceMarked } from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { JsonObject, Log } from 'pegboard';
import type { Vault } from '../../contracts/vault.ts';
import { NOTHING_LISTED } from '../client/conversation/listing.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from '../connection/context.ts';
import { endpointKey, hashOf } from '../connection/endpointKey.ts';
import type { Listed, OwnList, OwnLists } from './ownLists.ts';

/** A list is kept anew in each period, for two of them: so it lasts 30 to 60 days from when it was read last. */
const PERIOD_MS = 30 * 86_400_000;
const KEPT_S = (2 * PERIOD_MS) / 1000;
/** Bytes of the lists of one server, which must not fill the vault of all: a full one refuses sign-ins. */
const MAX_BYTES = 64 * 1024 * 1024;
const SCHEMA = readSchema('kinds/mcpserver');

/** The server, as it is defined now. */
interface KeptServer {
  readonly name: string;
  readonly definition: ServerDefinition;
}

/** What the vault keeps for the callers of one server with one definition: each list once, for each owner the id of a list, and the
 *  challenge to those without a sign-in. All of it expires. Its methods never reject: they write warnings. */
export class KeptLists {
  readonly #context: Pick<UpstreamContext, 'vault' | 'log'>;
  readonly #server: KeptServer;
  readonly #lists: Pick<OwnLists, 'bytes' | 'known'>;
  readonly #take = inTurn();
  /** The last warning, until something succeeds: one for each cause, not for each caller. */
  #warned = '';

  /** @param lists those in memory */
  constructor(
    context: Pick<UpstreamContext, 'vault' | 'log'>,
    server: KeptServer,
    lists: Pick<OwnLists, 'bytes' | 'known'>,
  ) {
    this.#context = context;
    this.#server = server;
    this.#lists = lists;
  }

  /** @returns undefined if none is kept */
  read(owner: string): Promise<Listed | undefined> {
    return this.#do(async (vault, prefix) => {
      const place = await vault.get(ownerKey(prefix, owner));
      if (typeof place !== 'string') return undefined;
      const list = this.#lists.known(idIn(place)) ?? (await vault.get(prefix + place));
      if (isListed(list)) return list;
      // What is not a list is kept anew at the next reading.
      await vault.delete(prefix + place);
      return undefined;
    });
  }

  keep(owner: string, { id, listing, facts }: OwnList): Promise<void> {
    return this.#inTurn(async (vault, prefix) => {
      const place = `list:${id}:${Math.floor(Date.now() / PERIOD_MS)}`;
      const isNew = (await vault.get(ownerKey(prefix, owner))) !== place;
      // First: the next process must not offer what the server no longer lists.
      if (isNew) await this.#drop(vault, prefix, owner);
      if (this.#lists.bytes > MAX_BYTES)
        throw new Error(`its lists have more than ${MAX_BYTES} bytes together`);
      // Another process may have deleted it.
      await vault.putIfAbsent(prefix + place, { listing, facts }, KEPT_S);
      if (isNew) await vault.set(ownerKey(prefix, owner), place, KEPT_S);
    });
  }

  /** Keeps nothing of the owner any more. */
  forget(owner: string): Promise<void> {
    return this.#inTurn((vault, prefix) => this.#drop(vault, prefix, owner));
  }

  /** The server wants callers to sign in. @param challenges lines of `WWW-Authenticate` */
  lock(challenges: readonly string[]): Promise<void> {
    return this.#inTurn((vault, prefix) => vault.set(`${prefix}challenges`, challenges, KEPT_S));
  }
  /** @returns undefined unless the server has wanted callers to sign in, and one has a list: else it may be open again */
  challenges(): Promise<readonly string[] | undefined> {
    return this.#do(async (vault, prefix) => {
      const lines = await vault.get(`${prefix}challenges`);
      if (!Array.isArray(lines)) return undefined;
      const owners = await vault.list(`${prefix}owner:`);
      return owners.length === 0 ? undefined : lines.map(String);
    });
  }

  /** Keeps nothing of the server, as it is defined now. */
  clear(): Promise<void> {
    return this.#inTurn(async (vault, prefix) => {
      for (const key of await vault.list(prefix)) await vault.delete(key);
    });
  }

  /** Resolves when everything is written. */
  settled(): Promise<void> {
    return this.#take(() => Promise.resolve());
  }

  /** Deletes the list of an owner too, unless another one has it. */
  async #drop(vault: Vault, prefix: string, owner: string): Promise<void> {
    const place = await vault.take(ownerKey(prefix, owner));
    if (typeof place !== 'string') return;
    if (this.#lists.known(idIn(place)) === undefined) await vault.delete(prefix + place);
  }

  #inTurn(work: (vault: Vault, prefix: string) => Promise<void>): Promise<void> {
    // As the server is defined now, not when it is its turn.
    const prefix = this.#prefix();
    return this.#take(() => this.#do(work, prefix));
  }
  async #do<T>(
    work: (vault: Vault, prefix: string) => Promise<T>,
    prefix = this.#prefix(),
  ): Promise<T | undefined> {
    const vault = this.#context.vault();
    if (vault === undefined) return undefined;
    try {
      const done = await work(vault, prefix);
      this.#warned = '';
      return done;
    } catch (thrown) {
      const { name: server } = this.#server;
      const error = messageOf(thrown);
      const text = 'what a server lists for its callers could not be stored or read';
      if (error !== this.#warned) this.#context.log.warn(text, { server, error });
      this.#warned = error;
      return undefined;
    }
  }

  /** Another one for other rules of signing in; a client secret, which may be guessed from a hash, does not count. */
  #prefix(): string {
    const { name, definition } = this.#server;
    const { auth } = replaceMarked(SCHEMA, { auth: definition.auth }, () => undefined) as JsonObject;
    return `listed:${name}:${hashOf(endpointKey(definition) + JSON.stringify(auth)).slice(0, 24)}:`;
  }
}

/** Removes what an older Pegboard kept in files: connections read it anew. */
export async function removeFormerFolder(statePath: string, log: Log): Promise<void> {
  const folder = join(statePath, 'callers');
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (thrown) {
    const error = messageOf(thrown);
    log.warn('a folder that is no longer used could not be removed; remove it', { folder, error });
  }
}

function ownerKey(prefix: string, owner: string): string {
  return `${prefix}owner:${hashOf(prefix + owner)}`;
}
function idIn(place: string): string {
  return place.split(':')[1] ?? '';
}
function isListed(value: unknown): value is Listed {
  if (!isObject(value) || !isObject(value['listing'])) return false;
  const { listing } = value;
  return Object.keys(NOTHING_LISTED).every((name) => Array.isArray(listing[name]));
}
