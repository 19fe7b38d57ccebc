import type { Wrapper } from './callHook.ts';
import type { HookName } from './contracts/handlers.ts';
import { createHooks, type Hooks } from './hooks.ts';
import { waitAtMost } from './lib/waitAtMost.ts';

/** A tap as data. Plugins never tap a hook themselves, because tapable cannot remove a tap. */
export interface TapRecord {
  readonly owner: string;
  readonly hook: HookName;
  readonly stage: number;
  readonly fn: (argument: never, next: never) => unknown;
  /** A tap of onCall that wraps those after it. */
  readonly wraps?: boolean;
}

type Done = (error?: unknown, value?: unknown) => void;
type Tapped = (argument: never) => unknown;
interface Tappable {
  tap(name: string, fn: Tapped): void;
  tapAsync(name: string, fn: (argument: never, done: Done) => void): void;
}

/** Replays records onto fresh hooks, by stage and else in the order given. */
export function buildHooks(records: readonly TapRecord[]): Hooks {
  const hooks = createHooks();
  for (const { owner, hook, fn, wraps } of [...records].sort((a, b) => a.stage - b.stage)) {
    const target = hooks[hook] as unknown as Tappable;
    if (wraps === true) hooks.onCall.wrap(fn as Wrapper);
    else if (hook === 'onEvent' || hook === 'onToolRegister') target.tap(owner, fn as Tapped);
    else target.tapAsync(owner, awaitOnlyThenables(fn as Tapped));
  }
  return hooks;
}

/** tapPromise would require a promise from every tap; with tapAsync a sync tap stays free of one.
 *  null counts as undefined: a tap without an answer must not end a bail hook before the next guard. */
function awaitOnlyThenables(fn: Tapped): (argument: never, done: Done) => void {
  return (argument, done) => {
    let value: unknown;
    try {
      value = fn(argument);
    } catch (error) {
      done(error);
      return;
    }
    if (isThenable(value)) value.then((settled) => done(null, settled ?? undefined), done);
    else done(null, value ?? undefined);
  };
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';
}

/** One set of hooks and the runs on it. A run finishes on the hooks it began on, so their taps must outlive it. */
export class Generation {
  readonly hooks: Hooks;
  #running = 0;
  #idle: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(records: readonly TapRecord[]) {
    this.hooks = buildHooks(records);
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }
  enter(): void {
    this.#running += 1;
  }
  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#whenIdle?.();
  }

  /** Resolves when no run is left, or after `atMostMs`. */
  drained(atMostMs: number): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#idle ??= new Promise((resolve) => (this.#whenIdle = resolve));
    return waitAtMost(atMostMs, this.#idle);
  }
}

/** The current hooks, and the former ones that still have runs. */
export class Bus {
  #generation = new Generation([]);
  #former: readonly Generation[] = [];

  get hooks(): Hooks {
    return this.#generation.hooks;
  }
  get generation(): Generation {
    return this.#generation;
  }

  replace(records: readonly TapRecord[]): void {
    this.#former = [...this.#former, this.#generation].filter(({ isIdle }) => !isIdle);
    this.#generation = new Generation(records);
  }

  /** Resolves when no run is left on any former hooks, or after `atMostMs`. */
  async drained(atMostMs: number): Promise<void> {
    await Promise.all(this.#former.map((generation) => generation.drained(atMostMs)));
  }
}
