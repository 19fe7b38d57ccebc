/** Puts a value behind all others, also one whose key is there, and lets the oldest go while there are more than `max`. */
export function setNewest<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
