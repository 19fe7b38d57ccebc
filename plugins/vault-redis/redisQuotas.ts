import type { VaultRedisConfig } from './config.ts';
import type { RedisConnection } from './redisConnection.ts';
import type { Draw, Drawn, Quota, Quotas } from '../contracts/processes.ts';

/** Below the key prefix. Quotes are escaped in the names of keys, so the vault does not list it. */
const KEY = '"quota":';
/** A process that has ended without giving its running calls back holds them for this time. */
const HELD_MS = 30_000;
const MINUTE_MS = 60_000;
/** KEYS: name. ARGV: process, ms a call (0: any rate), burst, calls, spare calls, calls given back, concurrent (0: any number),
 *  running calls to hold, ms to hold them. The clock is that of Redis, the same for all processes. `fullAt` is when the bucket is
 *  full again (generic cell rate algorithm); a field per process holds its running calls. */
const DRAW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local interval, burst, calls, spare, back = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local concurrent, hold, holdMs = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local granted, waitMs, lastsUntil = calls, 0, now + holdMs
if interval > 0 then
  local fullAt = tonumber(redis.call('HGET', KEYS[1], 'fullAt') or '0') - back * interval
  fullAt = math.min(math.max(fullAt, now), now + burst * interval)
  local free = math.floor((burst * interval - (fullAt - now)) / interval + 0.01)
  granted = math.min(calls, free)
  if granted < calls then waitMs = fullAt - now - (burst - 1 - granted) * interval end
  granted = granted + math.min(spare, math.floor((free - granted) / 2))
  fullAt = fullAt + granted * interval
  redis.call('HSET', KEYS[1], 'fullAt', string.format('%.3f', fullAt))
  lastsUntil = math.max(lastsUntil, fullAt)
end
if concurrent > 0 then
  local fields = redis.call('HGETALL', KEYS[1])
  for at = 1, #fields, 2 do
    local count, heldUntil = string.match(fields[at + 1], '^(%d+) (%d+)$')
    if count and fields[at] ~= ARGV[1] then
      if tonumber(heldUntil) > now then concurrent = concurrent - count else redis.call('HDEL', KEYS[1], fields[at]) end
    end
  end
  hold = math.max(math.min(hold, concurrent), 0)
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %d', hold, now + holdMs))
end
redis.call('PEXPIRE', KEYS[1], math.ceil(lastsUntil - now))
return {granted, hold, math.ceil(waitMs)}`;

/** Budgets of calls in Redis, a hash for each; numbers only, not sealed. */
export class RedisQuotas implements Quotas {
  readonly #connection: RedisConnection;
  readonly #config: () => VaultRedisConfig;
  readonly #own: string;

  /** @param own id of this process, under which its running calls are held */
  constructor(connection: RedisConnection, config: () => VaultRedisConfig, own: string) {
    this.#connection = connection;
    this.#config = config;
    this.#own = own;
  }

  async draw(name: string, { callsPerMinute, burst, concurrent }: Quota, draw: Draw): Promise<Drawn> {
    const key = this.#config().keyPrefix + KEY + name;
    const intervalMs = callsPerMinute === 0 ? 0 : MINUTE_MS / callsPerMinute;
    const { calls, spare, back, hold } = draw;
    const args = [this.#own, intervalMs, burst, calls, spare, back, concurrent, hold, HELD_MS];
    const drawn = await this.#connection.run((client) => client.eval(DRAW, 1, key, ...args));
    const [granted = 0, held = 0, waitMs = 0] = drawn as readonly number[];
    return { calls: granted, held, waitMs };
  }
}
