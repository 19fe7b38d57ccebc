import { isThenable } from './bus.ts';
import type { TapRecord } from './bus.ts';
import type { Capability, CapabilityRegistry, Provision, Subscribed } from './capabilities.ts';
import type { Catalogue } from './catalogue.ts';
import { DecisionLayer } from './contracts/decision.ts';
import type { KernelEvent } from './contracts/events.ts';
import type { Plugin, Scope } from './contracts/plugin.ts';
import type { Tool } from './contracts/call.ts';
import { GatewayError, isGatewayError, messageOf } from './errors.ts';
import type { Handlers, HookName } from './contracts/handlers.ts';
import { STAGE } from './contracts/stage.ts';
import { HOOK_NAMES } from './hooks.ts';
import { didYouMean } from './lib/nearest.ts';
import type { Log } from './log.ts';
import { checkedAnswer } from './checkedAnswer.ts';
import { toolFault } from './toolFault.ts';

export interface ScopeParts {
  readonly registry: CapabilityRegistry;
  readonly catalogue: Catalogue;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  /** Receives what a tap throws in hooks where the others must still run. */
  readonly fault: (plugin: string, error: GatewayError) => void;
}
type Phase = 'staging' | 'live' | 'leaving' | 'stopped';
type Run = () => void | Promise<void>;

/** What a plugin may access, and everything it has registered. The kernel holds one per running plugin. */
export class PluginScope implements Scope<unknown> {
  readonly name: string;
  readonly log: Log;
  readonly taps: TapRecord[] = [];
  readonly provisions: Provision[] = [];
  /** Tools added before the swap; the swap adds them to the catalogue. */
  readonly stagedTools: Tool[] = [];
  #config: unknown;
  #phase: Phase = 'staging';
  #hasStarted = false;
  #take: Parameters<Scope<unknown>['onReload']>[0] | undefined;
  readonly #subscribing: (() => void)[] = [];
  readonly #subscribed: Subscribed[] = [];
  readonly #starts: Run[] = [];
  readonly #drains: Run[] = [];
  readonly #stops: Run[] = [];
  readonly #abort = new AbortController();
  readonly #plugin: Plugin;
  readonly #parts: ScopeParts;

  constructor(plugin: Plugin, config: unknown, parts: ScopeParts) {
    this.#plugin = plugin;
    this.#config = config;
    this.#parts = parts;
    this.name = plugin.name;
    this.log = parts.log.child({ plugin: plugin.name });
  }

  get config(): unknown {
    return this.#config;
  }
  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  get canReload(): boolean {
    return this.#take !== undefined;
  }
  get hasStarted(): boolean {
    return this.#hasStarted;
  }
  /** Whether it may refuse requests or calls; what wraps calls after those that admit them does something else. */
  get isGuard(): boolean {
    const guards = ({ hook, wraps, stage }: TapRecord): boolean =>
      hook === 'onRequest' || (hook === 'onCall' && !(wraps === true && stage >= STAGE.normal));
    return this.taps.some(guards) || this.provisions.some(({ id }) => id === DecisionLayer.id);
  }
  get mustDrain(): boolean {
    return this.#hasStarted && this.#drains.length > 0;
  }

  tap<K extends HookName>(hook: K, handler: Handlers[K], stage: number = STAGE.normal): void {
    this.#mustStage('tap');
    if (!HOOK_NAMES.includes(hook)) throw this.#contractFault(hookFault(hook));
    const wraps = hook === 'onCall' && handler.length > 1;
    this.taps.push({ owner: this.name, hook, stage, fn: this.#guarded(hook, handler), wraps });
  }

  provide<T>(capability: Capability<T>, value: T): void {
    this.#mustStage('provide');
    const { id } = capability;
    if (!this.#plugin.provides?.some((one) => one.id === id))
      throw this.#contractFault(`provides ${id} undeclared; add it to "provides" of its definition`);
    this.provisions.push({ owner: this.name, id, value });
  }

  get<T>(capability: Capability<T>): T {
    return this.#parts.registry.get(capability.id) as T;
  }
  find<T>(capability: Capability<T>): T | undefined {
    return this.all(capability)[0];
  }
  all<T>(capability: Capability<T>): readonly T[] {
    return this.#parts.registry.all(capability.id) as readonly T[];
  }
  each<T>(capability: Capability<T>, add: (value: T) => (() => void) | undefined): void {
    const subscribe = (): void =>
      void this.#subscribed.push(this.#parts.registry.each(capability.id, (value) => add(value as T)));
    if (this.#phase === 'staging') this.#subscribing.push(subscribe);
    else if (this.#phase === 'live') subscribe();
  }

  addTool(tool: Tool): () => void {
    const fault = toolFault(tool);
    if (fault !== undefined) throw this.#contractFault(`adds a tool that is not valid: ${fault}`);
    if (this.#phase === 'live') return this.#parts.catalogue.add(this.name, tool);
    if (this.#phase !== 'staging') return () => undefined;
    this.stagedTools.push(tool);
    return () => {
      const at = this.stagedTools.indexOf(tool);
      if (at >= 0) this.stagedTools.splice(at, 1);
      this.#parts.catalogue.remove(tool);
    };
  }

  emit(event: KernelEvent): void {
    this.#parts.emit(event);
  }
  onStart(run: Run): void {
    this.#starts.push(run);
  }
  onDrain(run: Run): void {
    this.#drains.push(run);
  }
  onStop(run: Run): void {
    this.#stops.unshift(run);
  }
  onReload(take: Parameters<Scope<unknown>['onReload']>[0]): void {
    this.#take = take;
  }

  /** Called in the swap, once the taps, capabilities and tools are registered. */
  goLive(): void {
    this.#phase = 'live';
    for (const subscribe of this.#subscribing) subscribe();
  }

  async start(): Promise<void> {
    for (const run of this.#starts) await run();
    this.#hasStarted = true;
  }

  /** Called before the swap that removes the plugin. */
  async drain(): Promise<void> {
    for (const run of this.#drains) await this.#logged(run, 'plugin did not drain cleanly');
  }

  /** Called in the swap that removes the plugin: from now on it adds nothing; what it registered still serves current runs. */
  leave(): void {
    this.#phase = 'leaving';
    for (const subscription of this.#subscribed) subscription.freeze();
  }

  /** @returns false if the plugin asks for a restart @throws what the plugin throws; the caller then restarts it */
  async reload(next: unknown): Promise<boolean> {
    const former = this.#config;
    this.#config = next;
    let isTaken = false;
    try {
      isTaken = (await this.#take?.(next)) !== false;
      return isTaken;
    } finally {
      if (!isTaken) this.#config = former;
    }
  }

  /** Ends the plugin. Failures of onStop are logged, because stopping must continue. */
  async stop(): Promise<void> {
    this.leave();
    this.#phase = 'stopped';
    this.#abort.abort();
    for (const subscription of this.#subscribed.splice(0)) subscription.end();
    for (const run of this.#stops) await this.#logged(run, 'plugin did not stop cleanly');
    this.#stops.length = 0;
  }

  async #logged(run: Run, failure: string): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error(failure, { error });
    }
  }

  /** A stopped guard refuses instead of being skipped; any other throw gets the names that tapable's stack lacks. */
  #guarded(hook: HookName, handler: TapRecord['fn']): TapRecord['fn'] {
    const gone = `plugin ${this.name} was stopped while it was needed; try again`;
    const checked = (value: unknown): unknown => checkedAnswer(this.name, hook, value);
    const failed = (error: unknown): unknown => {
      const text = `plugin ${this.name} failed in ${hook}: ${messageOf(error)}`;
      const named = isGatewayError(error)
        ? error
        : new GatewayError('PLUGIN_TAP', text, { cause: error, expose: false });
      // In these hooks a failing tap must not prevent the next from running.
      if (hook !== 'onEvent' && hook !== 'onConfigApply') throw named;
      this.#parts.fault(this.name, named);
      return undefined;
    };
    return (argument, next) => {
      try {
        if (this.#phase === 'stopped') throw new GatewayError('PLUGIN_STOPPED', gone);
        const value = handler(argument, next);
        return isThenable(value) ? value.then(checked, failed) : checked(value);
      } catch (error) {
        return failed(error);
      }
    };
  }

  #mustStage(what: string): void {
    if (this.#phase === 'staging') return;
    throw this.#contractFault(`calls ${what}() after apply(); move it into apply()`);
  }

  #contractFault(what: string): GatewayError {
    return new GatewayError('PLUGIN_CONTRACT', `plugin ${this.name} ${what}`);
  }
}

function hookFault(name: string): string {
  const fix = didYouMean(name, HOOK_NAMES, `there are ${HOOK_NAMES.join(', ')}`);
  return `taps the hook ${JSON.stringify(name)}, which does not exist; ${fix}`;
}
