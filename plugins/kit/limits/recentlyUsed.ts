import { LRUCache } from 'lru-cache';

/** A map that drops what was used longest ago once it holds more than `max` entries. Unlike the `max` of lru-cache, this
 *  bound reserves no room ahead: 1 ms of work and 300 kB for 10,000 entries that mostly never come.
 *  @param ttlMs life of an entry; 0 is without end */
export function recentlyUsed<Value extends object | string | number | true>(
  max: number,
  ttlMs = 0,
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: ttlMs });
}
