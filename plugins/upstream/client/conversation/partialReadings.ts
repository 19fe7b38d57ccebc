import { isGatewayError, isObject } from 'pegboard';
import { LISTS, newReading } from './readList.ts';
import type { ListName, ReadList, ListReading } from './readList.ts';

/** Lists of which some pages have arrived, and the next one has failed. */
export class PartialReadings {
  readonly #byName = new Map<ListName, ListReading>();

  /** Reads a list from where it failed the last time; from its beginning if the server refuses the cursor.
   *  @throws what `read` throws */
  async goOn(name: ListName, read: (reading: ListReading) => Promise<ReadList>): Promise<ReadList> {
    const reading = this.#byName.get(name) ?? newReading();
    const { pages } = reading;
    this.#byName.set(name, reading);
    try {
      const list = await read(reading);
      this.#byName.delete(name);
      return list;
    } catch (error) {
      const isStuck = pages > 0 && reading.pages === pages && isRefusal(error);
      if (isStuck && this.#byName.get(name) === reading) this.#byName.delete(name);
      throw error;
    }
  }

  /** The pages that have arrived, then what was known before and is not among them. */
  merged(name: ListName, known: readonly unknown[]): readonly unknown[] {
    const items = this.#byName.get(name)?.items ?? [];
    const key = (item: unknown): unknown => (isObject(item) ? item[LISTS[name].key] : undefined);
    const arrived = new Set(items.map(key));
    return items.length === 0 ? known : [...items, ...known.filter((item) => !arrived.has(key(item)))];
  }

  /** The lists have changed, or belong to another session. */
  forget(names: readonly ListName[]): void {
    for (const name of names) this.#byName.delete(name);
  }
}

/** Whether the server itself has answered with an error, not a proxy or a limit of requests. */
function isRefusal(error: unknown): boolean {
  return isGatewayError(error) && error.code === 'UPSTREAM_ERROR';
}
