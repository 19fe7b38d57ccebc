import type { Log } from 'pegboard';

/** Failures of exports: one line when they begin, and one when they end. */
export class ExportFaults {
  readonly #log: Log;
  #isFailing = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** @param problem without secrets: of the SDK or the system */
  failed(problem: string): void {
    if (!this.#isFailing) this.#log.warn('metrics could not be exported; this is tried again', { problem });
    this.#isFailing = true;
  }

  worked(): void {
    if (this.#isFailing) this.#log.info('metrics are exported again');
    this.#isFailing = false;
  }
}
