import { AsyncSeriesBailHook } from 'tapable';
import type { Call, CallResult, Next } from './contracts/call.ts';

type Guard = Parameters<AsyncSeriesBailHook<[Call], CallResult | undefined>['tapAsync']>[1];
export type Wrapper = (
  call: Call,
  next: Next,
) => CallResult | undefined | PromiseLike<CallResult | undefined>;

/** The hook onCall. Taps that pass or answer are one hook of tapable up to the first that wraps; that one wraps the rest. */
export class CallHook {
  readonly #guards = new AsyncSeriesBailHook<[Call], CallResult | undefined>(['call']);
  #wrapper: Wrapper | undefined;
  #within: CallHook | undefined;

  isUsed(): boolean {
    return this.#wrapper !== undefined || this.#guards.isUsed();
  }

  /** Taps are added in the order in which they run. */
  tapAsync(name: string, guard: Guard): void {
    if (this.#within === undefined) this.#guards.tapAsync(name, guard);
    else this.#within.tapAsync(name, guard);
  }
  wrap(wrapper: Wrapper): void {
    if (this.#within !== undefined) this.#within.wrap(wrapper);
    else [this.#wrapper, this.#within] = [wrapper, new CallHook()];
  }

  /** @param tool runs the tool for a tap that wraps it
   *  @returns the answer; undefined if all taps passed and none has wrapped the tool */
  promise(call: Call, tool: Next): Promise<CallResult | undefined> {
    const wrapper = this.#wrapper;
    return wrapper === undefined ? this.#guards.promise(call) : this.#wrapped(call, tool, wrapper);
  }

  async #wrapped(call: Call, tool: Next, wrapper: Wrapper): Promise<CallResult> {
    const early = this.#guards.isUsed() ? await this.#guards.promise(call) : undefined;
    if (early !== undefined) return early;
    let last: Promise<CallResult> | undefined;
    const rest: Next = () => (this.#within?.isUsed() === true ? this.#within.#rest(call, tool) : tool());
    const next: Next = () => {
      // A wrapper that does not await it must not end the process by an unhandled rejection.
      (last = rest()).catch(ignore);
      return last;
    };
    const value = wrapper(call, next);
    // Awaiting undefined would cost each call a turn.
    return (value === undefined ? value : await value) ?? last ?? rest();
  }

  async #rest(call: Call, tool: Next): Promise<CallResult> {
    return (await this.promise(call, tool)) ?? tool();
  }
}

const ignore = (): void => undefined;
