import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { recentlyUsed } from '../../../kit/limits/recentlyUsed.ts';
import { Vault } from '../../../contracts/vault.ts';
import { Channel } from '../../../contracts/processes.ts';
import { GrantCell } from './grantCell.ts';
import type { GrantNews } from './grantNews.ts';
import type { KeptGrant, GrantRecord } from '../record/grantRecord.ts';
import { sessionPrefix } from '../record/holderOf.ts';
import type { Holder } from '../record/holderOf.ts';

const KIND = 'server-grant:';
const TOPIC = 'server-grant-changed';
/** Most owners in memory; what is beyond it is read again. */
const MAX_OWNERS = 10_000;
const MAX_TRIES = 20;
/** Life of a record since the last write. Some tokens never end, so records are also written when they are read after a while. */
const KEPT_SECONDS = 400 * 86_400;
const RENEW_AFTER_MS = 30 * 86_400_000;

interface Known {
  readonly cells: Map<string, GrantCell>;
  /** The reading of the owner's records; undefined: to be begun. */
  read: Promise<void> | undefined;
  /** A cell that is not there has no record. */
  isRead: boolean;
}
/** @returns the record to write, undefined to delete it, the same one to leave it */
type Change = (before: GrantRecord | undefined) => GrantRecord | undefined;

/** The grants of all owners: records in the vault, and a copy in memory of those in use. */
export class Grants {
  readonly #scope: Scope<unknown>;
  readonly #news: GrantNews;
  readonly #owners = recentlyUsed<Known>(MAX_OWNERS);
  readonly #followers = new Set<(cell: GrantCell) => void>();
  readonly #othersFollowers = new Set<OtherChanged>();

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>, news: GrantNews) {
    this.#scope = scope;
    this.#news = news;
    const message = ({ owner, server }: Readonly<Record<string, unknown>>): void =>
      this.#doubt(String(owner), String(server));
    const gap = (): void => this.#doubtAll();
    scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message, gap }));
  }

  /** Calls `changed` for every record that is learned or doubted. @returns the function that ends this */
  follow(changed: (cell: GrantCell) => void): () => void {
    this.#followers.add(changed);
    return () => void this.#followers.delete(changed);
  }

  /** Calls `changed` when another process has written a record of an owner, or (undefined) may have written some.
   *  @returns the function that ends this */
  followOthers(changed: OtherChanged): () => void {
    this.#othersFollowers.add(changed);
    return () => void this.#othersFollowers.delete(changed);
  }

  /** The same object for each question, unless it has been forgotten meanwhile. */
  cell(owner: string, server: string): GrantCell {
    const known = this.#known(owner);
    const found = known.cells.get(server);
    if (found !== undefined) return found;
    const cell = new GrantCell(owner, server, (one) => this.#tell(one));
    known.cells.set(server, cell);
    if (known.isRead) cell.learn(undefined);
    return cell;
  }

  /** The cells of the owners who were seen last. */
  *known(): Iterable<GrantCell> {
    for (const { cells } of this.#owners.values()) yield* cells.values();
  }

  /** Reads what is not known, all records of an owner at once. @throws GatewayError STORE_UNREACHABLE */
  async current(cell: GrantCell): Promise<GrantRecord | undefined> {
    const known = this.#known(cell.owner);
    if (known.read === undefined && !cell.isCurrent) await this.readAll(cell.owner);
    if (!cell.isCurrent) await this.reread(cell);
    return cell.record;
  }

  /** Reads the records of an owner, unless that has been done. @returns its cells @throws GatewayError STORE_UNREACHABLE */
  async readAll(owner: string): Promise<readonly GrantCell[]> {
    const known = this.#known(owner);
    known.read ??= this.#read(owner);
    const { read } = known;
    try {
      await read;
    } catch (error) {
      if (known.read === read) known.read = undefined;
      throw error;
    }
    return [...known.cells.values()];
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async reread(cell: GrantCell): Promise<GrantRecord | undefined> {
    const { version } = cell;
    const found = (await this.#vault.get(keyOf(cell))) as GrantRecord | undefined;
    cell.learn(found, version);
    return found;
  }

  /** A new sign-in: what was before no longer counts. @throws GatewayError STORE_UNREACHABLE */
  async put(holder: Holder, server: string, grant: KeptGrant): Promise<void> {
    const { owner } = holder;
    const record: GrantRecord = { ...holder, server, grant };
    await this.#change(this.cell(owner, server), () => record);
    this.#news.granted(record);
  }

  /** A link was given out. @param until in ms since 1970 @throws GatewayError STORE_UNREACHABLE */
  async asked(holder: Holder, server: string, until: number): Promise<void> {
    const asked = { at: Date.now(), until };
    const record = await this.#change(this.cell(holder.owner, server), (before) => ({
      ...holder,
      server,
      ...before,
      asked,
    }));
    if (record !== undefined) this.#news.asked(record);
  }

  /** The record in the vault. @throws GatewayError STORE_UNREACHABLE */
  find(owner: string, server: string): Promise<GrantRecord | undefined> {
    return this.reread(this.cell(owner, server));
  }

  /** Those in the vault, of all owners: none of them is kept in memory for it. @throws GatewayError STORE_UNREACHABLE */
  async all(): Promise<readonly GrantRecord[]> {
    const keys = await this.#vault.list(KIND);
    const found = await Promise.all(
      keys.map(async (key) => (await this.#vault.get(key)) as GrantRecord | undefined),
    );
    return found.filter((record) => record !== undefined);
  }

  /** @returns what was dropped, so that it can be revoked @throws GatewayError STORE_UNREACHABLE */
  async drop(owner: string, server: string): Promise<GrantRecord | undefined> {
    const cell = this.cell(owner, server);
    const before = (await this.#vault.take(keyOf(cell))) as GrantRecord | undefined;
    this.#written(cell, undefined);
    if (before?.grant !== undefined) this.#news.dropped(before);
    return before;
  }
  /** Drops the grants of all owners for a server. @returns what was dropped @throws GatewayError STORE_UNREACHABLE */
  dropServer(server: string): Promise<readonly GrantRecord[]> {
    return this.#dropAll(KIND, (key) => key.server === server);
  }
  /** Drops the grants of a sign-in session that has ended. @param sid of its callers @throws GatewayError STORE_UNREACHABLE */
  dropSession(sid: string): Promise<readonly GrantRecord[]> {
    return this.#dropAll(KIND + sessionPrefix(sid), () => true);
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  dropOwner(owner: string): Promise<readonly GrantRecord[]> {
    return this.#dropAll(`${KIND}${owner}:`, () => true);
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  dropAll(): Promise<readonly GrantRecord[]> {
    return this.#dropAll(KIND, () => true);
  }

  /** Replaces the record in one step for all processes. @returns false if the vault has another record @throws GatewayError STORE_UNREACHABLE */
  async replace(cell: GrantCell, before: GrantRecord, after: GrantRecord): Promise<boolean> {
    if (!(await this.#vault.compareAndSwap(keyOf(cell), before, after, secondsOf(after)))) return false;
    this.#written(cell, after);
    return true;
  }

  /** Repeats `change` until no other process has written meanwhile. @throws GatewayError STORE_UNREACHABLE */
  async update(
    cell: GrantCell,
    change: (before: GrantRecord) => GrantRecord,
  ): Promise<GrantRecord | undefined> {
    return this.#change(cell, (before) => before && change(before));
  }

  async #change(cell: GrantCell, change: Change): Promise<GrantRecord | undefined> {
    const key = keyOf(cell);
    for (let left = MAX_TRIES; left > 0; left -= 1) {
      const before = (await this.#vault.get(key)) as GrantRecord | undefined;
      const after = change(before);
      if (after === before || after === undefined) {
        cell.learn(before);
        return before;
      }
      const isWritten =
        before === undefined
          ? await this.#vault.putIfAbsent(key, after, secondsOf(after))
          : await this.#vault.compareAndSwap(key, before, after, secondsOf(after));
      if (!isWritten) continue;
      this.#written(cell, after);
      return after;
    }
    throw new GatewayError('STORE_UNREACHABLE', 'the grant is written by others all the time; try again');
  }

  #written(cell: GrantCell, record: GrantRecord | undefined): void {
    const { owner, server } = cell;
    cell.learn(record);
    this.#scope.find(Channel)?.publish(TOPIC, { owner, server });
  }

  async #read(owner: string): Promise<void> {
    const known = this.#known(owner);
    const { cells } = known;
    const versions = new Map([...cells].map(([server, { version }]) => [server, version]));
    const keys = await this.#vault.list(`${KIND}${owner}:`);
    const found = await Promise.all(
      keys.map(async (key) => [partsOf(key).server, (await this.#vault.get(key)) as GrantRecord | undefined]),
    ).then((entries) => new Map(entries as [string, GrantRecord | undefined][]));
    for (const server of new Set([...found.keys(), ...versions.keys()])) {
      const record = found.get(server);
      const cell = this.cell(owner, server);
      cell.learn(record, versions.get(server) ?? 0);
      if (record !== undefined && lastWrite(record) + RENEW_AFTER_MS < Date.now())
        await this.replace(cell, record, record);
    }
    known.isRead = true;
  }

  async #dropAll(prefix: string, isMeant: (key: GrantKey) => boolean): Promise<readonly GrantRecord[]> {
    const keys = (await this.#vault.list(prefix)).map(partsOf).filter(isMeant);
    const dropped = await Promise.all(keys.map(({ owner, server }) => this.drop(owner, server)));
    return dropped.filter((record) => record !== undefined);
  }

  #known(owner: string): Known {
    const found = this.#owners.get(owner);
    if (found !== undefined) return found;
    const known: Known = { cells: new Map(), read: undefined, isRead: false };
    this.#owners.set(owner, known);
    return known;
  }

  #doubt(owner: string, server: string): void {
    // The records of an owner who is not known are read at the first question.
    if (this.#owners.has(owner)) {
      const cell = this.cell(owner, server);
      cell.doubt();
      this.#tell(cell);
    }
    for (const changed of this.#othersFollowers) changed(owner, server);
  }
  #doubtAll(): void {
    for (const known of this.#owners.values()) {
      known.read = undefined;
      known.isRead = false;
      for (const cell of known.cells.values()) {
        cell.doubt();
        this.#tell(cell);
      }
    }
    for (const changed of this.#othersFollowers) changed(undefined);
  }

  #tell(cell: GrantCell): void {
    for (const changed of this.#followers) changed(cell);
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}

/** @param owner undefined: any */
type OtherChanged = (owner: string | undefined, server?: string) => void;

interface GrantKey {
  readonly owner: string;
  readonly server: string;
}
function keyOf({ owner, server }: GrantKey): string {
  return `${KIND}${owner}:${server}`;
}
/** Names of servers and owners have no colon. */
function partsOf(key: string): GrantKey {
  const [, owner = '', server = ''] = key.split(':');
  return { owner, server };
}

function lastWrite({ grant, asked }: GrantRecord): number {
  return grant?.issuedAt ?? asked?.at ?? 0;
}
function secondsOf({ grant, asked }: GrantRecord): number {
  if (grant !== undefined) return KEPT_SECONDS;
  return Math.ceil(((asked?.until ?? 0) - Date.now()) / 1_000);
}
