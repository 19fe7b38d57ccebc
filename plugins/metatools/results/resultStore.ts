import { LRUCache } from 'lru-cache';
import { GatewayError, isObject, messageOf } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { ownerOf, sharerOf } from '../../kit/authority/ownerOf.ts';
import { surplus } from '../../kit/limits/shares.ts';
import type { Turns } from '../../kit/limits/turns.ts';
import { MemoryBudget } from '../../contracts/memory.ts';
import { Vault } from '../../contracts/vault.ts';
import type { MetatoolsConfig } from '../config.ts';
import { Renewals } from './renewals.ts';
import { PART_CHARS, makeHandle, partsOf, sizesIn } from './resultHandle.ts';
import type { Sizes } from './resultHandle.ts';
import type { StoredView } from './examine.ts';

/** Key prefix of a result's header; its text and data are under `resultpart:<handle>:<number>`, text first. */
const KEY = 'result:';
const PART_KEY = 'resultpart:';

/** A stored result, read part by part. */
export interface StoredResult {
  readonly chars: number;
  readonly newLines: readonly number[];
  readonly hasData: boolean;
  /** @throws GatewayError TOOL_RESULT_GONE, STORE_UNREACHABLE */
  part(number: number): Promise<string>;
  /** Calls `use` with the JSON of its data in parts, or with `""` if it has none; the data counts as memory while `use` runs. */
  withData<T>(use: (parts: AsyncIterable<string> | Iterable<string>) => Promise<T>): Promise<T>;
}

interface Kept {
  readonly handle: string;
  /** The owner whose share of the store it counts against. */
  readonly sharer: string;
}
/** So many times in its lifetime, a process writes a result in use again. */
const RENEWALS = 3;

/** Oversized results in the vault, bounded in number, size and the time since their owner's last call. Only the owner of the call can
 *  read a result; the result of a request without an owner can be read with its handle alone, which cannot be guessed. */
export class ResultStore {
  readonly #scope: Scope<MetatoolsConfig>;
  readonly #turns: Turns;
  #read: LRUCache<string, string>;
  #kept: readonly Kept[] = [];
  #lastMs = 0;
  readonly #renewals: Renewals;

  constructor(scope: Scope<MetatoolsConfig>, turns: Turns) {
    this.#scope = scope;
    this.#turns = turns;
    this.#read = readCache(scope.config);
    this.#renewals = new Renewals({
      pauseMs: () => (scope.config.storedResultTtlSeconds * 1_000) / RENEWALS,
      look: async () => {
        const vault = scope.find(Vault);
        if (vault !== undefined) await this.#inOrder(vault);
      },
      renew: (sharer) => this.#renew(sharer),
      failed: (error) =>
        scope.log.warn(`the time of stored results could not be extended: ${messageOf(error)}`),
    });
  }

  /** Applies new limits; stored results are kept. */
  resize(limits: MetatoolsConfig): void {
    this.#read = readCache(limits);
  }

  /** @returns its handle
   *  @throws GatewayError STORE_FORBIDDEN if it exceeds its share of the store; STORE_UNREACHABLE without a vault */
  async put({ text, data = '', hasData, newLines }: StoredView, request: InboundRequest): Promise<string> {
    const vault = this.#vault();
    const { maxStoredChars, storedResultTtlSeconds } = this.#scope.config;
    const chars = text.length + data.length;
    if (chars > maxStoredChars) {
      const fix = 'ask for less, or raise plugins.metatools.config.maxStoredChars';
      throw new GatewayError('STORE_FORBIDDEN', `the result has ${chars} characters; ${fix}`);
    }
    // Strictly increasing, so that handles of the same millisecond still sort by age.
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    const handle = makeHandle({ text: text.length, data: data.length }, this.#lastMs);
    const sharer = sharerOf(request);
    await this.#makeRoom(vault, { handle, sharer });
    try {
      let number = 0;
      for (const whole of [text, data])
        for (let at = 0; at < whole.length; at += PART_CHARS) {
          await this.#turns.next();
          await vault.set(partKey(handle, number), whole.slice(at, at + PART_CHARS), storedResultTtlSeconds);
          number += 1;
        }
      // The header is written last, so that any result that can be found is complete.
      const owner = ownerOf(request);
      const whose = owner === request.oneTimeOwner ? {} : { owner };
      const header = { ...whose, sharer, hasData, newLines };
      await vault.set(KEY + handle, header, storedResultTtlSeconds);
      this.#renewals.stored(sharer);
    } catch (error) {
      // Parts without a header would not be counted; if the vault cannot be reached, they expire.
      await discard(vault, handle).catch(() => undefined);
      throw error;
    }
    return handle;
  }

  /** @throws GatewayError TOOL_RESULT_GONE if it is gone or belongs to another owner, STORE_UNREACHABLE */
  async get(handle: string, request: InboundRequest): Promise<StoredResult> {
    const sizes = sizesIn(handle);
    const header = sizes && (await this.#vault().get(KEY + handle));
    if (!isObject(header) || !mayRead(header, request)) throw gone(handle);
    this.#renewals.used(sharerIn(header));
    const { newLines, hasData } = header as unknown as Pick<StoredView, 'newLines' | 'hasData'>;
    return {
      chars: sizes?.text ?? 0,
      newLines,
      hasData,
      part: (number) => this.#part(handle, number),
      withData: (use) => (hasData ? this.#counted(handle, request, use) : use(['""'])),
    };
  }

  /** The sharer of the request calls a tool: its results expire a lifetime later. */
  used(request: InboundRequest): void {
    if (!this.#renewals.isIdle) this.#renewals.used(sharerOf(request));
  }

  clear(): void {
    this.#read.clear();
    this.#renewals.stop();
  }

  async #renew(sharer: string): Promise<void> {
    const vault = this.#vault();
    for (const one of await this.#inOrder(vault))
      if (one.sharer === sharer) await this.#extend(vault, one.handle);
  }

  async #extend(vault: Vault, handle: string): Promise<void> {
    const { storedResultTtlSeconds } = this.#scope.config;
    for (const key of keysOf(handle)) {
      await this.#turns.next();
      const value = await vault.get(key);
      // What is deleted meanwhile stays deleted.
      const isThere = value !== undefined;
      if (!isThere || !(await vault.compareAndSwap(key, value, value, storedResultTtlSeconds))) return;
    }
  }

  /** @throws GatewayError MEMORY_FULL */
  async #counted<T>(
    handle: string,
    request: InboundRequest,
    use: (parts: AsyncIterable<string>) => Promise<T>,
  ): Promise<T> {
    const share = this.#scope.find(MemoryBudget)?.open('result', sharerOf(request));
    const { text, data } = sizesIn(handle) ?? NOTHING;
    try {
      if (share?.size(data || text) === false) await share.room();
      return await use(this.#dataOf(handle));
    } finally {
      share?.size(0);
    }
  }

  async *#dataOf(handle: string): AsyncGenerator<string, void> {
    const { text, data } = sizesIn(handle) ?? NOTHING;
    const first = data === 0 ? 0 : partsOf(text);
    for (let number = first; number < first + partsOf(data || text); number += 1) {
      yield await this.#part(handle, number);
      await this.#turns.next();
    }
  }

  async #part(handle: string, number: number): Promise<string> {
    const key = partKey(handle, number);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const text = await this.#vault().get(key);
    if (typeof text !== 'string') throw gone(handle);
    this.#read.set(key, text);
    return text;
  }

  #vault(): Vault {
    const vault = this.#scope.find(Vault);
    if (vault !== undefined) return vault;
    const fix = 'enable a plugin that provides Vault, or set aggregator.resultBudget to 0';
    throw new GatewayError('STORE_UNREACHABLE', `there is no vault to store a result in; ${fix}`);
  }

  /** Deletes the oldest results of the owner that stores most.
   *  @throws GatewayError STORE_FORBIDDEN if the new result is among them */
  async #makeRoom(vault: Vault, added: Kept): Promise<void> {
    const { maxStoredChars, maxStoredResults } = this.#scope.config;
    const all = [...(await this.#inOrder(vault)), added];
    const owner = ({ sharer }: Kept): string => sharer;
    const tooMany = surplus(all, maxStoredResults, { owner, weight: () => 1 });
    const others = all.filter((one) => !tooMany.includes(one));
    const tooMuch = surplus(others, maxStoredChars, { owner, weight: ({ handle }) => charsOf(handle) });
    if (tooMuch.includes(added)) {
      const theirs = others.filter(({ sharer }) => sharer !== added.sharer);
      const held = theirs.reduce((sum, { handle }) => sum + charsOf(handle), 0);
      const text = `the result has ${charsOf(added.handle)} characters, and others take ${held} of the ${maxStoredChars}`;
      const fix = 'ask for less, or raise plugins.metatools.config.maxStoredChars';
      throw new GatewayError('STORE_FORBIDDEN', `${text} allowed for all stored results; ${fix}`);
    }
    for (const { handle } of [...tooMany, ...tooMuch]) await discard(vault, handle);
  }

  /** All stored results, oldest first: a handle begins with the time. */
  async #inOrder(vault: Vault): Promise<readonly Kept[]> {
    const readAt = Date.now();
    const known = new Map(this.#kept.map((one) => [one.handle, one]));
    const kept: Kept[] = [];
    for (const key of await vault.list(KEY)) {
      const handle = key.slice(KEY.length);
      kept.push(known.get(handle) ?? { handle, sharer: sharerIn(await vault.get(key)) });
    }
    this.#renewals.hold(new Set(kept.map(({ sharer }) => sharer)), readAt);
    return (this.#kept = kept);
  }
}

/** @param header the value stored under a handle */
function mayRead({ owner }: JsonObject, request: InboundRequest): boolean {
  return owner === undefined || owner === ownerOf(request);
}

function sharerIn(header: unknown): string {
  return isObject(header) ? String(header['sharer']) : '';
}

function readCache({ readCacheBytes, storedResultTtlSeconds }: MetatoolsConfig): LRUCache<string, string> {
  return new LRUCache({
    maxSize: readCacheBytes,
    ttl: storedResultTtlSeconds * 1_000,
    // A character takes at most two bytes in memory.
    sizeCalculation: (text) => Math.max(text.length * 2, 1),
  });
}

function charsOf(handle: string): number {
  const { text, data } = sizesIn(handle) ?? NOTHING;
  return text + data;
}
const NOTHING: Sizes = { text: 0, data: 0 };

async function discard(vault: Vault, handle: string): Promise<void> {
  for (const key of keysOf(handle).reverse()) await vault.delete(key);
}

/** The keys of a result, its header last. */
function keysOf(handle: string): string[] {
  const { text, data } = sizesIn(handle) ?? NOTHING;
  const parts = Array.from({ length: partsOf(text) + partsOf(data) }, (_, number) => partKey(handle, number));
  return [...parts, KEY + handle];
}

function partKey(handle: string, number: number): string {
  return `${PART_KEY}${handle}:${number}`;
}

function gone(handle: string): GatewayError {
  const text = `no stored result ${handle}: it has expired, or another session made it; call the tool again`;
  return new GatewayError('TOOL_RESULT_GONE', text);
}
