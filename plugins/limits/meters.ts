import { Meter } from './meter.ts';

/** Meters by key, `max` at most; the least recently used is dropped first, but never one with running calls. */
export class Meters<M extends Meter = Meter> {
  readonly #meterByKey = new Map<string, M>();
  readonly #make: () => M;
  /** The most recently used meter, which need not be moved to the end. */
  #newest: M | undefined;

  constructor(make: () => M) {
    this.#make = make;
  }

  get size(): number {
    return this.#meterByKey.size;
  }

  /** Returns the key's meter, created if missing, and marks it as the most recently used. */
  use(key: string, max: number): M {
    const known = this.#meterByKey.get(key);
    if (known !== undefined && known === this.#newest) return known;
    const meter = known ?? this.#make();
    if (known === undefined) this.drop(() => this.#meterByKey.size >= max);
    else this.#meterByKey.delete(key);
    this.#meterByKey.set(key, meter);
    this.#newest = meter;
    return meter;
  }

  /** Drops the least recently used meters while `isOver` is true; a meter with running calls counts as just used. */
  drop(isOver: (meter: M) => boolean): void {
    for (let left = this.#meterByKey.size; left > 0; left -= 1) {
      const [oldest] = this.#meterByKey;
      if (oldest === undefined || !isOver(oldest[1])) return;
      const [key, meter] = oldest;
      this.#meterByKey.delete(key);
      if (meter.running > 0) this.#meterByKey.set(key, meter);
    }
  }
}
