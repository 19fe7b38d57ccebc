import { randomUUID } from 'node:crypto';
import type { Scope } from 'pegboard';
import { Peers } from '../../contracts/processes.ts';

/** A request that changes a code or a sign-in: the process that serves it, and its number there. */
export interface Attempt {
  readonly process: string;
  readonly number: number;
}
/** `failed`: no answer has reached the client, and none will. `unclear`: another process knows, unless it has ended. */
export type AttemptState = 'open' | 'answered' | 'failed' | 'unclear';

/** Tells requests that were answered from those that a fault has cut off: only the latter may be repeated. */
export class Attempts {
  readonly #scope: Scope<unknown>;
  readonly #alone = randomUUID();
  /** Those of this process that a record may name. */
  readonly #states = new Map<number, 'open' | 'answered'>();
  #last = 0;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  begin(): Attempt {
    this.#last += 1;
    this.#states.set(this.#last, 'open');
    return { process: this.#own, number: this.#last };
  }

  answered({ number }: Attempt): void {
    this.#states.set(number, 'answered');
  }

  /** It has failed, or no record names it any more. */
  forget({ number }: Attempt): void {
    this.#states.delete(number);
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async stateOf({ process, number }: Attempt): Promise<AttemptState> {
    if (process === this.#own) return this.#states.get(number) ?? 'failed';
    return (await this.#scope.find(Peers)?.isAlive(process)) === true ? 'unclear' : 'failed';
  }

  get #own(): string {
    return this.#scope.find(Peers)?.own ?? this.#alone;
  }
}
