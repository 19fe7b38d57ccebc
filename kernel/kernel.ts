import { Bus } from './bus.ts';
import type { TapRecord } from './bus.ts';
import { CallRunner } from './callRunner.ts';
import { CapabilityRegistry } from './capabilities.ts';
import type { Capability, Provision } from './capabilities.ts';
import { Catalogue } from './catalogue.ts';
import { CallPath } from './contracts/call.ts';
import type { PluginAction } from './contracts/config.ts';
import { DecisionLayer, ToolSource, ToolTable } from './contracts/decision.ts';
import type { KernelEvent } from './contracts/events.ts';
import { RequestGate } from './contracts/request.ts';
import type { Plugin, Wanted } from './contracts/plugin.ts';
import type { Tool } from './contracts/call.ts';
import { GatewayError, isGatewayError, messageOf } from './errors.ts';
import { planMove } from './plan.ts';
import { Gate } from './gate.ts';
import { waitAtMost } from './lib/waitAtMost.ts';
import type { Log } from './log.ts';
import { PluginScope } from './pluginScope.ts';

/** What serves clients says itself how long it does in a stop: load balancers take up to a minute to look elsewhere. */
const MAX_EDGE_DRAIN_MS = 60_000;

interface Running extends Wanted {
  readonly scope: PluginScope;
}
export interface KernelOptions {
  readonly log: Log;
  /** Values the embedding program provides besides the kernel's own. */
  readonly provisions?: readonly Omit<Provision, 'owner'>[];
  /** How long, in ms, a move waits for the running taps of plugins that leave. */
  readonly drainMs?: number;
  /** Receives throws in onConfigApply and onEvent, where the others still run. */
  readonly onFault?: (plugin: string, error: GatewayError) => void;
}
export type Actions = ReadonlyMap<string, PluginAction>;

/** Holds the running plugins and moves from one wanted set to the next. The pipeline runs one move at a time. */
export class Kernel {
  readonly bus = new Bus();
  readonly registry: CapabilityRegistry;
  readonly catalogue: Catalogue;
  readonly calls: CallRunner;
  readonly gate: Gate;
  #running = new Map<string, Running>();
  /** What the taps made of tools; null if one refused. */
  #registeredByTool = new WeakMap<Tool, Tool | null>();
  /** Whether edges wait for open(). */
  #isHeld = false;
  readonly #log: Log;
  readonly #own: readonly Provision[];
  readonly #provided: ReadonlySet<string>;
  readonly #drainMs: number;
  readonly #fault: (plugin: string, error: GatewayError) => void;

  constructor({ log, provisions = [], drainMs = 5_000, onFault }: KernelOptions) {
    this.#fault = onFault ?? ((plugin, error) => log.error('plugin failed in a hook', { plugin, error }));
    this.#log = log;
    this.#drainMs = drainMs;
    this.registry = new CapabilityRegistry((id, error) =>
      this.#log.error('capability subscriber failed', { id, error }),
    );
    this.catalogue = new Catalogue(
      (tool) => this.#register(tool),
      (error) => this.#log.error('tool refused', { error }),
      () => this.emit({ type: 'catalogue.changed' }),
    );
    this.calls = new CallRunner(this.bus, this.catalogue, (event) => this.emit(event));
    this.gate = new Gate(this.bus);
    const own = [
      { id: CallPath.id, value: this.calls },
      { id: RequestGate.id, value: this.gate },
      { id: ToolTable.id, value: this.catalogue },
      ...provisions,
    ];
    this.#own = own.map((provision) => ({ owner: 'kernel', ...provision }));
    this.#provided = new Set(own.map(({ id }) => id));
    this.registry.replace(this.#own);
  }

  /** The wanted set in force, in start order. */
  get running(): readonly Wanted[] {
    return [...this.#running.values()];
  }

  emit(event: KernelEvent): void {
    this.bus.hooks.onEvent.call(event);
  }

  /** From now on, edges are wired but not started before open(). */
  hold(): void {
    this.#isHeld = true;
  }

  /** Starts the edges, once everything they serve is running. @throws if one does not start */
  async open(): Promise<void> {
    this.#isHeld = false;
    for (const { plugin, scope } of this.#running.values())
      if (!scope.hasStarted) await this.#start(plugin.name);
  }

  /** Plan, stage, swap, settle; a failing start moves back once.
   *  @throws GatewayError CONFIG_REFERENCE, PLUGIN_CONTRACT, PLUGIN_START; the old set then keeps running */
  async move(wanted: readonly Wanted[]): Promise<Actions> {
    const before = this.running;
    try {
      return await this.#transition(wanted);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      const facts = { plugin: error.plugin, error: error.cause };
      // At the first start there is no former set, and the caller reports the error.
      if (before.length > 0) this.#log.error('plugin did not start; going back', facts);
      throw await this.#moveBack(before, error);
    }
  }

  async #moveBack(before: readonly Wanted[], failure: StartFailure): Promise<GatewayError> {
    try {
      await (before.length === 0 ? this.stop() : this.#transition(before));
      return new GatewayError('PLUGIN_START', failure.message, { cause: failure.cause });
    } catch (error) {
      const text = `${failure.message}; going back failed too: ${messageOf(error)}`;
      return new GatewayError('PLUGIN_START', text, { cause: failure.cause });
    }
  }

  /** Wires a set without starting it, so that `pegboard check` can read and check definitions. */
  async rehearse(wanted: readonly Wanted[]): Promise<void> {
    const { order, actions } = planMove(this.#running, wanted, this.#provided);
    this.#swap(await this.#stage(order, actions));
  }

  /** Stops the edges first, so that requests they have accepted are still served, then all others. Later requests fail. */
  async stop(): Promise<void> {
    const inner = [...this.#running].filter(([, { plugin }]) => !plugin.edge);
    await this.#exchange(new Map(inner));
    await this.#exchange(new Map(), [CLOSED_GATE]);
  }

  async #transition(wanted: readonly Wanted[], force: ReadonlySet<string> = new Set()): Promise<Actions> {
    const { order, actions } = planMove(this.#running, wanted, this.#provided, force);
    const next = await this.#stage(order, actions);
    const guards = [...this.#running.values()].filter(
      ({ plugin, scope }) => actions.get(plugin.name) === 'stop' && scope.isGuard,
    );
    await this.#exchange(next);
    for (const { plugin } of guards)
      this.#log.warn('a plugin that guards requests or calls was switched off', { plugin: plugin.name });
    const stubborn = await this.#reload(order, actions);
    for (const { plugin } of order) {
      const action = actions.get(plugin.name);
      const mayStart = !this.#isHeld || plugin.edge !== true;
      if (mayStart && (action === 'start' || action === 'restart')) await this.#start(plugin.name);
    }
    if (stubborn.size === 0) return actions;
    const restarted = await this.#transition(wanted, stubborn);
    return new Map([...actions, ...[...restarted].filter(([, action]) => action !== 'keep')]);
  }

  /** Drains, swaps, waits for the runs on former hooks, and stops the plugins that left, last started first. */
  async #exchange(next: Map<string, Running>, taps: readonly TapRecord[] = []): Promise<void> {
    const leaving = [...this.#running.values()].filter(
      ({ plugin, scope }) => next.get(plugin.name)?.scope !== scope,
    );
    const drains = leaving.filter(({ scope }) => scope.mustDrain).map(({ scope }) => scope.drain());
    const atMostMs = leaving.some(({ plugin }) => plugin.edge) ? MAX_EDGE_DRAIN_MS : this.#drainMs;
    if (drains.length > 0) await waitAtMost(atMostMs, Promise.all(drains));
    this.#swap(next, taps);
    if (leaving.length > 0) await this.bus.drained(this.#drainMs);
    for (const { scope } of leaving.reverse()) await scope.stop();
  }

  async #stage(order: readonly Wanted[], actions: Actions): Promise<Map<string, Running>> {
    const next = new Map<string, Running>();
    for (const { plugin, config } of order) {
      const action = actions.get(plugin.name);
      const current = this.#running.get(plugin.name);
      if (current !== undefined && (action === 'keep' || action === 'reload')) {
        next.set(plugin.name, current);
        continue;
      }
      next.set(plugin.name, { plugin, config, scope: await this.#applied(plugin, config) });
    }
    return next;
  }

  async #applied(plugin: Plugin, config: unknown): Promise<PluginScope> {
    const scope = new PluginScope(plugin, config, {
      registry: this.registry,
      catalogue: this.catalogue,
      log: this.#log,
      emit: (event) => this.emit(event),
      fault: this.#fault,
    });
    try {
      await plugin.apply(scope);
      return scope;
    } catch (error) {
      const failure = `plugin ${plugin.name} failed in apply(): ${messageOf(error)}`;
      const { code = 'PLUGIN_START', message: text = failure } = isGatewayError(error) ? error : {};
      throw new GatewayError(code, text, { cause: error, details: { plugins: [plugin.name] } });
    }
  }

  /** One synchronous step: a restarting guard or its tools are never missing, not even briefly. */
  #swap(next: Map<string, Running>, taps: readonly TapRecord[] = []): void {
    const scopes = [...next.values()].map(({ scope }) => scope);
    const isFresh = (scope: PluginScope): boolean => this.#running.get(scope.name)?.scope !== scope;
    const fresh = scopes.filter(isFresh);
    const held = this.catalogue.owned;
    const tools = scopes.flatMap((scope) =>
      isFresh(scope)
        ? scope.stagedTools.map((tool) => ({ owner: scope.name, tool }))
        : held.filter(({ owner }) => owner === scope.name),
    );
    for (const [name, { scope }] of this.#running) if (next.get(name)?.scope !== scope) scope.leave();
    this.#running = next;
    const provisions = [...this.#own, ...scopes.flatMap((scope) => scope.provisions)];
    const provided = <T>({ id }: Capability<T>): T[] =>
      provisions.flatMap((one) => (one.id === id ? [one.value as T] : []));
    this.bus.replace([...taps, ...scopes.flatMap((scope) => scope.taps)]);
    this.#registeredByTool = new WeakMap();
    // Capabilities last: their subscribers may add and remove tools.
    this.catalogue.replace(tools, provided(DecisionLayer), ...provided(ToolSource));
    this.registry.replace(provisions);
    for (const scope of fresh) scope.goLive();
  }

  async #reload(order: readonly Wanted[], actions: Actions): Promise<Set<string>> {
    const stubborn = new Set<string>();
    for (const { plugin, config } of order) {
      const current = this.#running.get(plugin.name);
      if (current === undefined || actions.get(plugin.name) !== 'reload') continue;
      try {
        if (await current.scope.reload(config)) this.#running.set(plugin.name, { ...current, config });
        else stubborn.add(plugin.name);
      } catch (error) {
        if (isGatewayError(error) && error.code === 'PLUGIN_START')
          throw new StartFailure(plugin.name, error);
        this.#log.warn('plugin could not absorb its new configuration; restarting it', {
          plugin: plugin.name,
          error,
        });
        stubborn.add(plugin.name);
      }
    }
    return stubborn;
  }

  async #start(name: string): Promise<void> {
    try {
      await this.#running.get(name)?.scope.start();
    } catch (error) {
      throw new StartFailure(name, error);
    }
  }

  #register(tool: Tool): Tool | undefined {
    if (!this.bus.hooks.onToolRegister.isUsed()) return tool;
    let known = this.#registeredByTool.get(tool);
    if (known === undefined) this.#registeredByTool.set(tool, (known = this.#tapped(tool)));
    return known ?? undefined;
  }
  #tapped(tool: Tool): Tool | null {
    try {
      return this.bus.hooks.onToolRegister.call(tool);
    } catch (error) {
      this.#log.error('tool refused', { tool: tool.name, error });
      return null;
    }
  }
}

/** Without plugins there are no guards, so every request is refused. */
const CLOSED_GATE: TapRecord = {
  owner: 'kernel',
  hook: 'onRequest',
  stage: 0,
  fn: () => {
    throw new GatewayError('PLUGIN_STOPPED', 'pegboard is stopping; try again');
  },
};

class StartFailure extends Error {
  readonly plugin: string;
  constructor(plugin: string, cause: unknown) {
    super(`plugin ${plugin} did not start: ${messageOf(cause)}`, { cause });
    this.plugin = plugin;
  }
}
