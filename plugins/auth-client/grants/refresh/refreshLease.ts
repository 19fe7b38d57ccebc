import { randomUUID } from 'node:crypto';
import type { Peers } from '../../../contracts/processes.ts';
import type { RefreshTurn } from '../record/grantRecord.ts';

/** The lease under which one of several replicas refreshes a grant: a turn in its record counts while its process lives and works
 *  on it. */
export class RefreshLease {
  readonly #peers: () => Peers | undefined;
  /** Tells this object from a former one of the same process. */
  readonly #own = randomUUID();
  readonly #held = new Set<string>();

  constructor(peers: () => Peers | undefined) {
    this.#peers = peers;
  }

  /** Works under a turn of its own, which ends with the work. */
  async within<T>(work: (turn: RefreshTurn) => Promise<T>): Promise<T> {
    const process = this.#peers()?.own ?? this.#own;
    const turn: RefreshTurn = { process, id: `${this.#own}/${randomUUID()}`, since: Date.now() };
    this.#held.add(turn.id);
    try {
      return await work(turn);
    } finally {
      this.#held.delete(turn.id);
    }
  }

  /** Whether that turn still runs, here or at another process. @throws GatewayError STORE_UNREACHABLE */
  async isHeld({ process, id }: RefreshTurn): Promise<boolean> {
    if (id.startsWith(`${this.#own}/`)) return this.#held.has(id);
    return (await this.#peers()?.isAlive(process)) === true;
  }
}
