import type { Redis } from 'ioredis';
import { GatewayError } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import { JsonVault } from '../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';
import type { VaultRedisConfig } from './config.ts';
import { mastersOf } from './connect.ts';
import type { RedisConnection } from './redisConnection.ts';
import { openValue, sealValue } from './sealedValue.ts';

const SCAN_COUNT = 1_000;
/** Ten years; Redis refuses times that do not fit 64 bits. */
const MAX_TTL_MS = 315_360_000_000;
/** KEYS: name. ARGV: condition, expected bytes, bytes, ms to live (empty: until it is deleted). */
const WRITE = `
local present = redis.call('GET', KEYS[1])
if ARGV[1] == 'absent' and present then return 0 end
if ARGV[1] == 'same' and present ~= ARGV[2] then return 0 end
if ARGV[4] == '' then redis.call('SET', KEYS[1], ARGV[3])
elseif tonumber(ARGV[4]) <= 0 then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
return 1`;

/** Keys and values in Redis 6.2 or newer, or in Valkey. Values are sealed before they leave; keys can be read there. */
export class RedisVault extends JsonVault {
  readonly #connection: RedisConnection;
  readonly #ring: () => KeyRing;
  readonly #config: () => VaultRedisConfig;

  constructor(connection: RedisConnection, ring: () => KeyRing, config: () => VaultRedisConfig) {
    super();
    this.#connection = connection;
    this.#ring = ring;
    this.#config = config;
  }

  async get(key: string): Promise<unknown> {
    return parsed(await this.#jsonOf(key));
  }

  async take(key: string): Promise<unknown> {
    const name = this.#nameOf(key);
    const bytes = await this.#connection.run((client) => client.getdelBuffer(name));
    return parsed(this.#open(key, bytes));
  }

  delete(key: string): Promise<boolean> {
    const name = this.#nameOf(key);
    return this.#connection.run(async (client) => (await client.del(name)) > 0);
  }

  async list(prefix: string): Promise<readonly string[]> {
    const masters = await this.#connection.run(mastersOf);
    const keys = await Promise.all(masters.map((node) => this.#keysAt(node, prefix)));
    return [...new Set(keys.flat())].sort();
  }

  protected async write(write: VaultWrite): Promise<boolean> {
    const { key, json, expected } = write;
    const bytes = Buffer.byteLength(json);
    if (bytes > this.#config().maxValueBytes) {
      const fix = 'raise plugins.vault-redis.config.maxValueBytes';
      throw new GatewayError('STORE_FORBIDDEN', `the value has ${bytes} bytes; ${fix}`);
    }
    if (expected === undefined) return this.#put(write, 'any');
    if (expected === null) return this.#put(write, 'absent');
    const name = this.#nameOf(key);
    for (;;) {
      const present = await this.#connection.run((client) => client.getBuffer(name));
      if (present === null || this.#open(key, present) !== expected) return false;
      // An equal value that was sealed again in between has other bytes.
      if (await this.#put(write, 'same', present)) return true;
    }
  }

  async #put(
    { key, json, ttlSeconds }: VaultWrite,
    condition: 'any' | 'absent' | 'same',
    expected: Buffer | string = '',
  ): Promise<boolean> {
    const value = sealValue(this.#ring(), key, json);
    const ttlMs = ttlSeconds === Infinity ? '' : Math.min(Math.round(ttlSeconds * 1_000), MAX_TTL_MS);
    const args = [condition, expected, value, ttlMs];
    const name = this.#nameOf(key);
    return (await this.#connection.run((client) => client.eval(WRITE, 1, name, ...args))) === 1;
  }

  async #jsonOf(key: string): Promise<string | undefined> {
    const name = this.#nameOf(key);
    return this.#open(key, await this.#connection.run((client) => client.getBuffer(name)));
  }

  #open(key: string, bytes: Buffer | null): string | undefined {
    if (bytes === null) return undefined;
    const json = openValue(this.#ring(), key, bytes);
    if (json !== undefined) return json;
    const text = `a value below ${this.#config().keyPrefix} was not sealed with the keys of this process`;
    const fix =
      'give all processes the same secret or PEGBOARD_KEYS_FILE, and other applications another keyPrefix';
    throw new GatewayError('STORE_UNREACHABLE', `${text}; ${fix}`);
  }

  async #keysAt(node: Redis, prefix: string): Promise<readonly string[]> {
    const { keyPrefix } = this.#config();
    // Half of a surrogate pair is written as an escape, which the name of a longer key does not begin with.
    const pattern = `${globbed(this.#nameOf(prefix.replace(/[\uD800-\uDBFF]$/, '')))}*`;
    const found: string[] = [];
    for (let cursor = '0'; ;) {
      const from = cursor;
      const scan = () => node.scan(from, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      const [next, names] = await this.#connection.run(scan);
      found.push(...names.flatMap((name) => keysIn(name.slice(keyPrefix.length))));
      if (next === '0') return found.filter((key) => key.startsWith(prefix));
      cursor = next;
    }
  }

  /** As JSON, because UTF-8 would map keys with lone surrogates to the same bytes. */
  #nameOf(key: string): string {
    return this.#config().keyPrefix + JSON.stringify(key).slice(1, -1);
  }
}

/** @returns the key of a name; none for names that no vault has written */
function keysIn(name: string): readonly string[] {
  try {
    return [JSON.parse(`"${name}"`) as string];
  } catch {
    return [];
  }
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}

/** Escapes what SCAN's patterns give a meaning. */
function globbed(text: string): string {
  return text.replace(/[*?[\]\\^-]/g, '\\$&');
}
