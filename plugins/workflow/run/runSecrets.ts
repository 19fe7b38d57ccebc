import { HIDDEN } from 'pegboard';
import { hiddenIn, hiderOf } from 'pegboard/kit';
import type { Hide } from 'pegboard/contracts';
import { replaced } from '../../kit/calls/exactNumbers.ts';
import { INTEGERS } from '../definition/integers.ts';

/** The name under which values are registered: it marks even short values as secret. */
const NAME = 'secret';

/** The values of sensitive arguments of a run, which must not be stored, logged or shown. */
export class RunSecrets {
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

  /** Masks secrets in a text; values too short to search for are masked only if they are the whole text. */
  text(text: string): string {
    return this.#values.has(text) ? HIDDEN : this.#hide(text);
  }

  /** A copy with all secrets masked; the value itself if there are no secrets. */
  mask<T>(value: T): T {
    return this.isEmpty
      ? value
      : (hiddenIn(replaced(value, INTEGERS.digitsOf), (text) => this.text(text)) as T);
  }
}
