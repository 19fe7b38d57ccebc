/** So much in each second, and no more; the rest is counted. */
export class PerSecond {
  readonly #max: () => number;
  readonly #tellLeftOut: (count: number) => void;
  #second = 0;
  #spent = 0;
  #leftOut = 0;

  /** @param tellLeftOut is told in a later second, with the next that comes */
  constructor(max: () => number, tellLeftOut: (count: number) => void) {
    this.#max = max;
    this.#tellLeftOut = tellLeftOut;
  }

  /** Whether the next one may go; else it is left out. */
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
