import type { PinStep } from './pinRecord.ts';

type Steps = Map<string, PinStep[]>;

/** Steps that are not written yet, by server and key; those that are being written as well. */
export class UnwrittenSteps {
  readonly #waiting = new Map<string, Steps>();
  readonly #writing = new Map<string, Steps>();

  get servers(): readonly string[] {
    return [...this.#waiting.keys()];
  }
  add(server: string, step: PinStep): void {
    const steps = this.#waiting.get(server) ?? new Map<string, PinStep[]>();
    this.#waiting.set(server, steps.set(step.key, [...(steps.get(step.key) ?? []), step]));
  }
  of(server: string, key: string): readonly PinStep[] {
    return [this.#writing, this.#waiting].flatMap((all) => all.get(server)?.get(key) ?? []);
  }
  /** The step by which a declaration was accepted at first sight, if it is not written. */
  firstOf(server: string, key: string): PinStep | undefined {
    return this.of(server, key).find(({ text }) => text !== '');
  }

  /** @returns the steps of a server, which are being written until `end`: what is seen meanwhile is not among them */
  begin(server: string): readonly PinStep[] {
    const steps: Steps = this.#waiting.get(server) ?? new Map<string, PinStep[]>();
    this.#waiting.delete(server);
    this.#writing.set(server, steps);
    return [...steps.values()].flat();
  }
  end(server: string, isWritten: boolean): void {
    const steps = this.#writing.get(server);
    this.#writing.delete(server);
    // Undefined: it was forgotten meanwhile.
    if (isWritten || steps === undefined || steps.size === 0) return;
    for (const [key, then] of this.#waiting.get(server) ?? [])
      steps.set(key, [...(steps.get(key) ?? []), ...then]);
    this.#waiting.set(server, steps);
  }
  forget(server: string): void {
    this.#waiting.delete(server);
    this.#writing.delete(server);
  }
}
