import { setTimeout as pause } from 'node:timers/promises';

/** One rendering for all who ask before it begins. After each it rests as long as that took, so that scrapers together take at most
 *  half of the time of the process. */
export class SharedRendering<T> {
  readonly #render: () => Promise<T>;
  #next: Promise<T> | undefined;
  #restMs = 0;
  #endedAt = 0;

  constructor(render: () => Promise<T>) {
    this.#render = render;
  }

  /** What is rendered after this call. @throws what the rendering throws */
  get(): Promise<T> {
    return (this.#next ??= this.#begin());
  }

  async #begin(): Promise<T> {
    await pause(Math.max(0, this.#endedAt + this.#restMs - performance.now()));
    this.#next = undefined;
    const begunAt = performance.now();
    try {
      return await this.#render();
    } finally {
      this.#endedAt = performance.now();
      this.#restMs = this.#endedAt - begunAt;
    }
  }
}
