import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { Tally } from '../../kit/metrics/tally.ts';
import type { KubeOutcome } from './kubeApi.ts';
import { KubeError } from './kubeError.ts';

/** Counts requests to the API server, and says once when it accepts our credentials no longer, and once when it does again. */
export class OwnAccess {
  readonly requests = new Tally();
  readonly #log: Log;
  #isLost = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param cure what to do when they are not accepted */
  ended({ verb, status, error, isOwn }: KubeOutcome, cure: string): void {
    this.requests.add({ verb, code: status === undefined ? 'none' : String(status) });
    if (!isOwn) return;
    const isRefused = status === 401;
    if (isRefused || isWithoutCredentials(error)) {
      if (this.#isLost) return;
      this.#isLost = true;
      const reason = isRefused ? 'the API server answers 401 Unauthorized' : messageOf(error);
      this.#log.error(
        'the Kubernetes API is closed to Pegboard: what is in force stays, no change of definitions is seen',
        { reason, fix: cure },
      );
    } else if (this.#isLost && status !== undefined && status < 300) {
      this.#isLost = false;
      this.#log.info('the Kubernetes API is open to Pegboard again');
    }
  }
}

/** Whether OwnAccess has logged it, so that others need not. */
export function isToldAlready(error: unknown): boolean {
  return isWithoutCredentials(error) || (error instanceof KubeError && error.status === 401);
}

function isWithoutCredentials(error: unknown): boolean {
  return error instanceof KubeError && error.kind === 'credentials';
}
