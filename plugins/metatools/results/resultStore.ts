import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GatewayError, isObject, ownerOf, rawResult } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import type { InboundRequest, Scope } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';
import { viewOf } from './stored.ts';
import type { StoredView } from './stored.ts';

/** What a result is kept under: `result:<when>.<length>.<random>`; its text in parts, `resultpart:<the same>:<number>`. */
const KEY = 'result:';
const PART_KEY = 'resultpart:';
const HANDLE = /^[0-9a-z]{9}\.([0-9a-z]+)\.[\w-]{22}$/;
/** One value of the vault holds so many characters; escaped at worst, they are six times as many bytes. */
const PART_CHARS = 1_048_576;

interface Read {
  readonly owner: string;
  readonly view: StoredView;
}

/** Oversized results in the vault, bounded in number, size and time; each is readable by the one who made the call only. */
export class ResultStore {
  readonly #scope: Scope<MetatoolsConfig>;
  #read: LRUCache<string, Read>;

  constructor(scope: Scope<MetatoolsConfig>) {
    this.#scope = scope;
    this.#read = readCache(scope.config);
  }

  /** Takes new limits; what is kept stays. */
  resize(limits: MetatoolsConfig): void {
    this.#read = readCache(limits);
  }

  /** @param json the result @returns its handle
   *  @throws GatewayError STORE_FORBIDDEN for what is larger than all the room; STORE_UNREACHABLE without a vault */
  async put(json: string, request: InboundRequest): Promise<string> {
    const vault = this.#vault();
    const { maxStoredChars, storedResultTtlSeconds } = this.#scope.config;
    if (json.length > maxStoredChars) {
      const fix = 'ask for less, or raise plugins.metatools.config.maxStoredChars';
      throw new GatewayError('STORE_FORBIDDEN', `the result has ${json.length} characters; ${fix}`);
    }
    await this.#makeRoom(vault, json.length);
    const handle = handleFor(json.length);
    try {
      for (let part = 0; part < partsOf(handle); part += 1) {
        const text = json.slice(part * PART_CHARS, (part + 1) * PART_CHARS);
        await vault.set(partKey(handle, part), text, storedResultTtlSeconds);
      }
      // Last, so that what can be found is complete.
      await vault.set(KEY + handle, { owner: ownerOf(request) }, storedResultTtlSeconds);
    } catch (error) {
      // Parts without a header are counted by nobody; a vault that is away lets them expire.
      await discard(vault, handle).catch(() => undefined);
      throw error;
    }
    return handle;
  }

  /** @returns undefined when it is gone or another one's @throws GatewayError STORE_UNREACHABLE */
  async get(handle: string, request: InboundRequest): Promise<StoredView | undefined> {
    if (!HANDLE.test(handle)) return undefined;
    const vault = this.#vault();
    const header = await vault.get(KEY + handle);
    if (!isObject(header) || header['owner'] !== ownerOf(request)) return undefined;
    const known = this.#read.get(handle);
    if (known !== undefined) return known.view;
    const parts: string[] = [];
    for (let part = 0; part < partsOf(handle); part += 1) {
      const text = await vault.get(partKey(handle, part));
      if (typeof text !== 'string') return undefined;
      parts.push(text);
    }
    const view = viewOf(rawResult(parts.join('')));
    this.#read.set(handle, { owner: ownerOf(request), view });
    return view;
  }

  clear(): void {
    this.#read.clear();
  }

  #vault(): Vault {
    const [vault] = this.#scope.all(Vault);
    if (vault !== undefined) return vault;
    const fix = 'enable a plugin that provides Vault, or set aggregator.resultBudget to 0';
    throw new GatewayError('STORE_UNREACHABLE', `there is no vault to keep a result in; ${fix}`);
  }

  /** The oldest go first: a handle begins with the time. */
  async #makeRoom(vault: Vault, chars: number): Promise<void> {
    const { maxStoredChars, maxStoredResults } = this.#scope.config;
    const kept = (await vault.list(KEY)).map((key) => key.slice(KEY.length));
    let total = chars + kept.reduce((sum, handle) => sum + charsOf(handle), 0);
    for (const [at, handle] of kept.entries()) {
      if (kept.length - at < maxStoredResults && total <= maxStoredChars) return;
      total -= charsOf(handle);
      await discard(vault, handle);
    }
  }
}

function readCache({ readCacheBytes, storedResultTtlSeconds }: MetatoolsConfig): LRUCache<string, Read> {
  return new LRUCache({
    maxSize: readCacheBytes,
    ttl: storedResultTtlSeconds * 1_000,
    // Two bytes a character, for the text and for what is parsed from it.
    sizeCalculation: ({ view }) => Math.max(view.text.length * 4, 1),
  });
}

function handleFor(chars: number): string {
  const when = Date.now().toString(36).padStart(9, '0');
  return `${when}.${chars.toString(36)}.${randomBytes(16).toString('base64url')}`;
}

function charsOf(handle: string): number {
  return parseInt(HANDLE.exec(handle)?.[1] ?? '0', 36);
}

function partsOf(handle: string): number {
  return Math.ceil(charsOf(handle) / PART_CHARS);
}

async function discard(vault: Vault, handle: string): Promise<void> {
  await vault.delete(KEY + handle);
  for (let part = 0; part < partsOf(handle); part += 1) await vault.delete(partKey(handle, part));
}

function partKey(handle: string, part: number): string {
  return `${PART_KEY}${handle}:${part}`;
}
