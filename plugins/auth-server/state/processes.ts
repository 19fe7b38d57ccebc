import { randomUUID } from 'node:crypto';
import type { Scope } from 'pegboard';
import { Peers } from '../../vault-redis/contract.ts';

/** Which process has begun something that another one finds unfinished. */
export class Processes {
  readonly #scope: Scope<unknown>;
  readonly #alone = randomUUID();

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  get own(): string {
    return this.#scope.all(Peers)[0]?.own ?? this.#alone;
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async isAlive(id: string): Promise<boolean> {
    if (id === this.own) return true;
    return (await this.#scope.all(Peers)[0]?.isAlive(id)) ?? false;
  }
}
