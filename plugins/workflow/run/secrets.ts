const MASK = '[redacted]';
/** Shorter ones would mask what has nothing to do with them; they are masked where they are the whole value. */
const MIN_PART_CHARS = 4;

/** Values that must not be kept or told: those of sensitive arguments. */
export class Secrets {
  readonly #values = new Set<string>();

  add(values: readonly string[]): void {
    for (const value of values) this.#values.add(value);
  }

  text(text: string): string {
    if (this.#values.has(text)) return MASK;
    let masked = text;
    for (const value of this.#values) {
      if (value.length >= MIN_PART_CHARS) masked = masked.replaceAll(value, MASK);
    }
    return masked;
  }

  /** A copy without them; the value itself when there are none to look for. */
  mask<T>(value: T): T {
    return this.#values.size === 0 ? value : (this.#masked(value) as T);
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#values.has(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map((one) => this.#masked(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#masked(one)]));
  }
}
