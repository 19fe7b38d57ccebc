/** Sets a value as the newest entry, even if its key exists, and deletes the oldest entries beyond `max`. */
export function setNewest<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
