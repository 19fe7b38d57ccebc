import { JsonVault } from '../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';

/** The vault of the first process, in a worker. */
export class AskedVault extends JsonVault {
  readonly #ask: (topic: string, question: unknown) => Promise<unknown>;

  constructor(ask: (topic: string, question: unknown) => Promise<unknown>) {
    super();
    this.#ask = ask;
  }

  get(key: string): Promise<unknown> {
    return this.#ask('get', key);
  }
  take(key: string): Promise<unknown> {
    return this.#ask('take', key);
  }
  delete(key: string): Promise<boolean> {
    return this.#ask('delete', key) as Promise<boolean>;
  }
  list(prefix: string): Promise<readonly string[]> {
    return this.#ask('list', prefix) as Promise<readonly string[]>;
  }
  protected write(write: VaultWrite): Promise<boolean> {
    return this.#ask('write', write) as Promise<boolean>;
  }
}
