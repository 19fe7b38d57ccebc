import { messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import { sharedState } from '../../kit/vault/sharedTable.ts';
import type { End } from './endedSessions.ts';

const PREFIX = 'ended-session:';

/** The ends of sessions in the vault that processes share, until their handles expire. All facts are in the key,
 *  `ended-session:<id>:<createdAt>:<owner>`, so that a list reads them all. */
export class ReplicaEnds {
  readonly #scope: Scope<unknown>;

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** @returns false if this process is alone @throws GatewayError STORE_UNREACHABLE */
  async add({ id, createdAt, owner }: End, ttlSeconds: number): Promise<boolean> {
    const shared = sharedState(this.#scope);
    if (shared === undefined) return false;
    await shared.vault.set(`${PREFIX}${id}:${createdAt}:${owner}`, true, ttlSeconds);
    return true;
  }

  /** Stores the ends that this process knows, after the vault has lost its entries.
   *  @returns false if some could not be stored; every one is tried */
  async putBack(ends: Iterable<readonly [end: End, ttlSeconds: number]>): Promise<boolean> {
    const stored = [...ends].map(([end, ttlSeconds]) => this.add(end, ttlSeconds));
    const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected') return true;
    const text = 'ended sessions could not be put back; that is tried again after the next connection';
    this.#scope.log.warn(text, { reason: messageOf(failed.reason) });
    return false;
  }

  /** Reports every stored end: at the start, and after messages may have been lost. */
  async read(ended: (end: End) => void): Promise<void> {
    try {
      for (const key of (await sharedState(this.#scope)?.vault.list(PREFIX)) ?? []) {
        const [id = '', createdAt, owner = ''] = key.slice(PREFIX.length).split(':');
        ended({ id, createdAt: Number(createdAt), owner });
      }
    } catch (error) {
      const text =
        'ended sessions of other processes could not be read; they are read after the next connection';
      this.#scope.log.warn(text, { reason: messageOf(error) });
    }
  }
}
