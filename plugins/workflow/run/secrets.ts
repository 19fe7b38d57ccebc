import { HIDDEN, hiddenIn, hiderOf } from 'pegboard';
import type { Hide } from 'pegboard';

/** Says of each value that it is secret, however short. */
const NAME = 'secret';

/** Values that must not be kept or told: those of sensitive arguments. */
export class Secrets {
  readonly #values = new Set<string>();
  #hide: Hide = hiderOf([]);

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  add(values: readonly string[]): void {
    if (values.length === 0) return;
    for (const value of values) this.#values.add(value);
    this.#hide = hiderOf([...this.#values].map((text) => ({ name: NAME, text })));
  }

  /** Values too short to be found within texts are hidden where they are all of it. */
  text(text: string): string {
    return this.#values.has(text) ? HIDDEN : this.#hide(text);
  }

  /** A copy without them; the value itself when there are none to look for. */
  mask<T>(value: T): T {
    return this.isEmpty ? value : (hiddenIn(value, (text) => this.text(text)) as T);
  }
}
