import type { Scope } from 'pegboard';
import type { GrantCell } from '../store/grantCell.ts';

/** The longest that Node.js can wait. */
const MAX_TIMER_MS = 2_147_483_647;

interface Planned {
  readonly token: string;
  readonly timer: NodeJS.Timeout;
}

/** When grants that are in use are refreshed ahead, one timer for each. They do not keep the process alive. */
export class RefreshTimers {
  readonly #signal: AbortSignal;
  readonly #planned = new Map<string, Planned>();

  constructor(scope: Pick<Scope<unknown>, 'signal' | 'onStop'>) {
    this.#signal = scope.signal;
    scope.onStop(() => {
      for (const { timer } of this.#planned.values()) clearTimeout(timer);
      this.#planned.clear();
    });
  }

  isPlanned(cell: GrantCell, token: string): boolean {
    return this.#planned.get(cell.id)?.token === token;
  }

  /** Replaces what was planned for the cell. @param at in ms since 1970 */
  plan(cell: GrantCell, token: string, at: number, run: () => void): void {
    clearTimeout(this.#planned.get(cell.id)?.timer);
    if (this.#signal.aborted) return;
    const waitMs = Math.min(Math.max(at - Date.now(), 0), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      this.#planned.delete(cell.id);
      run();
    }, waitMs);
    timer.unref();
    this.#planned.set(cell.id, { token, timer });
  }
}
