/** After a change, others usually follow at once: they share a reload. */
const QUIET_MS = 25;
/** No change waits longer. */
const MAX_WAIT_MS = 250;

/** Reloads after changes: soon after the last of a burst, and during a long one again and again. */
export class Reloads {
  readonly #reload: () => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;
  #isStopped = false;

  /** @param reload never rejects */
  constructor(reload: () => Promise<unknown>) {
    this.#reload = reload;
  }

  request(): void {
    if (this.#isStopped) return;
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), Math.min(QUIET_MS, this.#since + MAX_WAIT_MS - now));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#since = undefined;
    void this.#reload();
  }
}
