import type { Bus } from './bus.ts';
import type { Catalogue } from './catalogue.ts';
import type { Call, CallOptions, CallPath, CallResult, ClientMeta, Target, Tool } from './contracts/call.ts';
import type { CallOutcome, KernelEvent } from './contracts/events.ts';
import type { JsonObject } from './contracts/json.ts';
import type { InboundRequest } from './contracts/request.ts';
import { GatewayError, isGatewayError, messageOf } from './errors.ts';
import { Cancellation } from './lib/cancellation.ts';
import { once } from './lib/once.ts';

/** What a call inherits from its caller. */
type Lineage = Omit<Call, 'id' | 'child' | keyof Target>;

function lineageOf(request: InboundRequest, options: CallOptions = {}, parent?: Call): Lineage {
  const { cancel = parent?.cancel ?? new Cancellation(), progress = parent?.progress } = options;
  const { client = parent?.client, meta = parent?.meta, idempotencyKey } = options;
  return { request, parent, cancel, progress, client, meta, idempotencyKey };
}

/** The only place where a tool is invoked. */
export class CallRunner implements CallPath {
  readonly #bus: Bus;
  readonly #catalogue: Catalogue;
  readonly #emit: (event: KernelEvent) => void;
  #lastId = 0;

  constructor(bus: Bus, catalogue: Catalogue, emit: (event: KernelEvent) => void) {
    this.#bus = bus;
    this.#catalogue = catalogue;
    this.#emit = emit;
  }

  call(name: string, args: JsonObject, request: InboundRequest, options?: CallOptions): Promise<CallResult> {
    const running = this.#run(name, args, lineageOf(request, options));
    const tool = this.#catalogue.shared(name);
    return tool?.failed === undefined
      ? running
      : running.catch((error: unknown) => answerTo(error, tool, options?.meta));
  }

  run(tool: Tool, args: JsonObject, request: InboundRequest, options?: CallOptions): Promise<CallResult> {
    return this.#run(tool, args, lineageOf(request, options));
  }

  /** @param what a name, which is looked up and admitted first, or a tool */
  async #run(what: string | Tool, args: JsonObject, lineage: Lineage): Promise<CallResult> {
    const target = this.#target(what, args, lineage);
    const call: Call = {
      id: ++this.#lastId,
      ...target,
      ...lineage,
      child: (other, given, options) => this.#run(other, given, lineageOf(call.request, options, call)),
    };
    if (!this.#bus.hooks.onEvent.isUsed()) return this.#invoke(call);
    const startedAt = performance.now();
    try {
      const result = await this.#invoke(call);
      this.#settled(call, startedAt, { outcome: 'ok', result });
      return result;
    } catch (error) {
      this.#settled(call, startedAt, { outcome: 'error', error });
      throw error;
    }
  }

  #invoke(call: Call): Promise<CallResult> {
    return this.#bus.hooks.onCall.isUsed() ? this.#tapped(call) : this.#tool(call);
  }

  /** A swap waits for the taps before the tool, not for the tool: core_config_reload would wait for itself. */
  async #tapped(call: Call): Promise<CallResult> {
    const { generation } = this.#bus;
    let isBefore = true;
    const leave = (): void => {
      if (isBefore) generation.leave();
      isBefore = false;
    };
    generation.enter();
    try {
      const answer = await generation.hooks.onCall.promise(call, () => (leave(), this.#tool(call)));
      if (answer !== undefined) return answer;
    } finally {
      leave();
    }
    return this.#tool(call);
  }

  async #tool(call: Call): Promise<CallResult> {
    if (call.cancel.reason !== undefined)
      throw new GatewayError('TOOL_CANCELLED', `the call was cancelled: ${call.cancel.reason}`);
    try {
      return this.#checked(await call.tool.invoke(call.args, call), call);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      const text = `tool ${call.tool.name} failed: ${messageOf(error)}`;
      throw new GatewayError('PLUGIN_TAP', text, { cause: error, expose: false });
    }
  }

  /** @throws GatewayError PLUGIN_CONTRACT naming the plugin whose tool returned something other than a CallResult */
  #checked(result: CallResult, { tool }: Call): CallResult {
    if (typeof (result as CallResult | undefined)?.value === 'function') return result;
    const owner =
      this.#catalogue.owned.find(({ registered }) => registered?.name === tool.name)?.owner ?? 'unknown';
    const text = `tool ${tool.name} of plugin ${owner} returned a value of type ${typeof result} instead of a result`;
    const fix = 'return textResult(text), jsonResult(value) or resultOf({ content }) of pegboard';
    throw new GatewayError('PLUGIN_CONTRACT', `${text}; ${fix}`);
  }

  /** @throws GatewayError why no call is made, also emitted as call.refused */
  #target(what: string | Tool, args: JsonObject, { request, parent, meta }: Lineage): Target {
    try {
      const tool = typeof what === 'string' ? this.#admitted(what, request, parent) : what;
      const target = tool.resolve?.(args);
      if (target === undefined) return { tool, args };
      this.#judge(tool.name, target.tool, request, parent);
      return target;
    } catch (error) {
      const name = typeof what === 'string' ? what : what.name;
      this.#emit({ type: 'call.refused', name, args, request, parent, meta, error });
      throw error;
    }
  }

  /** Clients call meta-tools only, and meta-tools call all others: this comparison is rule 2 of the interface. */
  #admitted(name: string, request: InboundRequest, parent: Call | undefined): Tool {
    const tool = this.#catalogue[isStep(parent) ? 'declared' : 'find'](name, request);
    if ((tool?.kind === 'meta') !== (parent === undefined)) throw misplaced(name, parent);
    this.#judge(name, tool, request, parent);
    if (tool !== undefined) return tool;
    // Searched for when it is read: call_tool looks for other names instead.
    const get = once(() => this.#catalogue.near(name, request));
    const details = Object.defineProperty({ near: [], direct: false }, 'near', { get, enumerable: true });
    throw new GatewayError('TOOL_NOT_FOUND', `tool not found: ${name}`, { details });
  }

  /** @throws GatewayError */
  #judge(name: string, tool: Tool | undefined, request: InboundRequest, parent: Call | undefined): void {
    if (!isStep(parent)) this.#catalogue.admit(name, tool, request);
  }

  #settled(call: Call, startedAt: number, how: CallOutcome): void {
    this.#emit({ type: 'call.settled', call, ms: performance.now() - startedAt, ...how });
  }
}

/** A toolset limits what a client calls, not the steps of a workflow (decision D9). */
function isStep(parent: Call | undefined): boolean {
  return parent !== undefined && parent.tool.kind !== 'meta';
}

function misplaced(name: string, parent: Call | undefined): GatewayError {
  const details = { near: [], direct: true };
  if (parent === undefined) return new GatewayError('TOOL_NOT_FOUND', `tool not found: ${name}`, { details });
  const text = `tool not found: ${name} is not in the catalogue; it is a meta-tool, so call it directly`;
  return new GatewayError('TOOL_NOT_FOUND', text);
}

/** @throws `error` if the tool does not turn it into a result */
function answerTo(error: unknown, tool: Tool, meta: ClientMeta | undefined): CallResult {
  const answer = tool.failed?.(error, meta);
  if (answer === undefined) throw error;
  return answer;
}
