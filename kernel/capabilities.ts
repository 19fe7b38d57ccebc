import { GatewayError } from './errors.ts';

/** A token for a value that plugins provide to one another. Compared by `id`, so a token of a second copy of this module
 *  matches. Type and token share one name: `export const Vault = one<Vault>('vault')`. */
export interface Capability<T> {
  readonly id: string;
  readonly cardinality: 'one' | 'many';
  /** Never set; carries the type T. */
  readonly type?: T;
}
/** A capability with at most one provider at a time. @param id kebab-case; third parties prefix it with their name: `acme/pool` */
export function one<T>(id: string): Capability<T> {
  return { id, cardinality: 'one' };
}
/** Any number of providers. */
export function many<T>(id: string): Capability<T> {
  return { id, cardinality: 'many' };
}

export interface Provision {
  readonly owner: string;
  readonly id: string;
  readonly value: unknown;
}
interface Subscription {
  readonly id: string;
  readonly add: (value: unknown) => (() => void) | undefined;
  readonly removers: Map<unknown, (() => void) | undefined>;
}

export interface Subscribed {
  /** Stops further changes; values already added stay. */
  freeze(): void;
  /** Runs the remove function of every value added. */
  end(): void;
}

/** The values that running plugins provide; every swap replaces them all. */
export class CapabilityRegistry {
  #valuesById = new Map<string, readonly unknown[]>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #onFailure: (id: string, error: unknown) => void;

  constructor(onFailure: (id: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  all(id: string): readonly unknown[] {
    return this.#valuesById.get(id) ?? [];
  }

  get(id: string): unknown {
    const values = this.#valuesById.get(id);
    if (values !== undefined) return values[0];
    throw new GatewayError('PLUGIN_MISSING', `no running plugin provides ${id}; enable one that does`);
  }

  replace(provisions: readonly Provision[]): void {
    const byId = new Map<string, unknown[]>();
    for (const { id, value } of provisions) byId.set(id, [...(byId.get(id) ?? []), value]);
    this.#valuesById = byId;
    for (const subscription of this.#subscriptions) this.#refresh(subscription);
  }

  each(id: string, add: (value: unknown) => (() => void) | undefined): Subscribed {
    const subscription: Subscription = { id, add, removers: new Map() };
    this.#subscriptions.add(subscription);
    this.#refresh(subscription);
    const freeze = (): void => void this.#subscriptions.delete(subscription);
    const end = (): void => {
      freeze();
      for (const remove of subscription.removers.values()) this.#guard(id, remove);
    };
    return { freeze, end };
  }

  #refresh({ id, add, removers }: Subscription): void {
    const values = this.all(id);
    for (const [value, remove] of removers) {
      if (values.includes(value)) continue;
      removers.delete(value);
      this.#guard(id, remove);
    }
    for (const value of values) {
      if (removers.has(value)) continue;
      removers.set(value, undefined);
      this.#guard(id, () => removers.set(value, add(value)));
    }
  }

  #guard(id: string, run: (() => unknown) | undefined): void {
    try {
      run?.();
    } catch (error) {
      this.#onFailure(id, error);
    }
  }
}
