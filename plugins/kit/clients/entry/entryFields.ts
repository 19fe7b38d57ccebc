import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isDecoration, reasonFor } from './leftBehind.ts';
import type { LeftBehind } from './leftBehind.ts';

/** The keys of an entry: what no one has read in the end is left behind, so that nothing is lost unsaid. */
export class EntryFields {
  readonly #value: JsonObject;
  readonly #prefix: string;
  readonly #unread: Set<string>;
  readonly #left: LeftBehind[] = [];
  readonly #inner = new Map<string, EntryFields>();

  constructor(value: JsonObject, prefix = '') {
    this.#value = value;
    this.#prefix = prefix;
    this.#unread = new Set(Object.keys(value).filter((key) => !isNothing(value[key], key)));
  }

  /** The value of the first of these keys that `read` understands; the others are left behind unless they say the same. */
  take<T>(keys: readonly string[], read: (value: unknown) => T | undefined): T | undefined {
    let used: { readonly key: string; readonly value: T } | undefined;
    for (const key of keys.filter((one) => this.#unread.has(one))) {
      const given = this.#value[key];
      const value = read(given);
      this.#unread.delete(key);
      if (value === undefined) {
        if (given !== false) this.leave(key, 'its value is not understood');
      } else if (used === undefined) used = { key, value };
      else if (!isDeepStrictEqual(used.value, value)) this.leave(key, `${used.key} is used`);
    }
    return used?.value;
  }

  /** All that these keys say. */
  takeAll<T>(keys: readonly string[], read: (value: unknown) => T | undefined): readonly T[] {
    return keys.flatMap((key) => {
      const value = this.take([key], read);
      return value === undefined ? [] : [value];
    });
  }

  /** The keys of an object below a key; none if it holds something else. */
  below(key: string): EntryFields {
    const value = this.#value[key];
    const inner =
      this.#inner.get(key) ?? new EntryFields(isObject(value) ? value : {}, `${this.#prefix}${key}.`);
    if (isObject(value)) this.#unread.delete(key);
    this.#inner.set(key, inner);
    return inner;
  }

  has(key: string): boolean {
    return this.#unread.has(key);
  }

  hasObject(key: string): boolean {
    return this.has(key) && isObject(this.#value[key]);
  }

  leave(key: string, reason: string): void {
    this.#left.push({ key: this.#prefix + key, reason });
  }

  /** What cannot be in a definition, and what no one has read. */
  left(): readonly LeftBehind[] {
    const unread = [...this.#unread].flatMap((key): readonly LeftBehind[] => {
      const reason = reasonFor(key, this.#value[key]);
      return isDecoration(key) || reason === undefined ? [] : [{ key: this.#prefix + key, reason }];
    });
    return [...this.#left, ...unread, ...[...this.#inner.values()].flatMap((one) => one.left())];
  }
}

/** An empty list of tools that are offered says that none is. */
const NONE_OFFERED = /^(tools|(include|enabled|allowed)_?tools)$/i;

function isNothing(value: unknown, key: string): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value) && NONE_OFFERED.test(key)) return false;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A switch, as people write it. */
export function flagIn(value: unknown): boolean | undefined {
  const said = typeof value === 'string' ? value.toLowerCase() : value;
  if ([true, 1, 'true', 'yes', 'on', '1'].includes(said as string)) return true;
  return [false, 0, 'false', 'no', 'off', '0'].includes(said as string) ? false : undefined;
}

/** A list of texts, or one text. */
export function textsIn(value: unknown): readonly string[] | undefined {
  const all = Array.isArray(value) ? (value as unknown[]) : [value];
  const texts = all.map(textIn).filter((one) => one !== undefined);
  return texts.length === all.length ? texts : undefined;
}
