/** A budget per second; requests beyond it are counted. */
export class PerSecond {
  readonly #max: () => number;
  readonly #tellLeftOut: (count: number) => void;
  #second = 0;
  #spent = 0;
  #leftOut = 0;

  /** @param tellLeftOut receives the count of refused requests, with the first request of a later second */
  constructor(max: () => number, tellLeftOut: (count: number) => void) {
    this.#max = max;
    this.#tellLeftOut = tellLeftOut;
  }

  /** Whether budget is left; if not, the request is counted as left out. */
  mayGo(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#begin(second);
    const isRoom = this.#spent < this.#max();
    if (!isRoom) this.#leftOut += 1;
    return isRoom;
  }

  spend(count: number): void {
    this.#spent += count;
  }

  #begin(second: number): void {
    this.#second = second;
    this.#spent = 0;
    if (this.#leftOut > 0) this.#tellLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }
}
