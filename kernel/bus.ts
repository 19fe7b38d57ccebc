import { createHooks } from './hooks.ts';
import type { HookName, Hooks } from './hooks.ts';

/** A tap as data: plugins never touch a tapable hook, because a hook cannot give a tap back. */
export interface TapRecord {
  readonly owner: string;
  readonly hook: HookName;
  readonly stage: number;
  readonly fn: (argument: never) => unknown;
}

type Done = (error?: unknown, value?: unknown) => void;
interface Tappable {
  tap(options: { name: string; stage: number }, fn: (argument: never) => unknown): void;
  tapAsync(options: { name: string; stage: number }, fn: (argument: never, done: Done) => void): void;
}

/** Replays records onto fresh hooks, in the order given; runs under way finish on the hooks they began on. */
export function buildHooks(records: readonly TapRecord[]): Hooks {
  const hooks = createHooks();
  for (const { owner, hook, stage, fn } of records) {
    const target = hooks[hook] as unknown as Tappable;
    if (hook === 'onEvent' || hook === 'onToolRegister') target.tap({ name: owner, stage }, fn);
    else target.tapAsync({ name: owner, stage }, awaitOnlyThenables(fn));
  }
  return hooks;
}

/** tapPromise would demand a promise from every tap; a sync tap must stay free of one. */
function awaitOnlyThenables(fn: (argument: never) => unknown): (argument: never, done: Done) => void {
  return (argument, done) => {
    let value: unknown;
    try {
      value = fn(argument);
    } catch (error) {
      done(error);
      return;
    }
    if (value instanceof Promise) value.then((settled) => done(null, settled), done);
    else done(null, value);
  };
}

/** The hooks in force. */
export class Bus {
  #records: readonly TapRecord[] = [];
  #hooks: Hooks = createHooks();

  get hooks(): Hooks {
    return this.#hooks;
  }
  get records(): readonly TapRecord[] {
    return this.#records;
  }
  replace(records: readonly TapRecord[]): void {
    this.#records = records;
    this.#hooks = buildHooks(records);
  }
}
