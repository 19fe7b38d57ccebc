import { ConfigControl, GatewayError, waitAtMost } from 'pegboard';
import type { Call, KernelEvent, RefusedCall, Scope, SettledCall } from 'pegboard';
import { InFlight } from '../kit/limits/inFlight.ts';
import type { AuditConfig } from './config.ts';
import { digestOf, shortName } from './digest.ts';
import { outcomeOf } from '../kit/metrics/outcomeOf.ts';
import { factsOf, refusedFacts } from './facts.ts';
import type { TrailEvent } from './line.ts';
import { KnownDigests } from './knownDigests.ts';

type Append = (event: TrailEvent, isUrgent: boolean) => Promise<void>;

/** It only calls another tool, whose line comes after its own: that line is waited for, and both are written together. */
const DISPATCHER = 'call_tool';

/** Records calls and changes of the configuration. */
export class TrailRecorder {
  readonly #scope: Scope<AuditConfig>;
  readonly #append: Append;
  readonly #digests = new KnownDigests();
  /** Stages of the calls that this plugin has seen from their beginning; others began before it started. */
  readonly #stages = new InFlight<{ hasBegun: boolean }>();
  #policy: { readonly of: unknown; readonly digest: string | null } | undefined;
  #configured = '';

  constructor(scope: Scope<AuditConfig>, append: Append) {
    this.#scope = scope;
    this.#append = append;
  }

  /** Digest of the settings in force. */
  policy(): string | null {
    const settings = this.#scope.get(ConfigControl).settings();
    if (this.#policy?.of !== settings) this.#policy = { of: settings, digest: digestOf(settings) };
    return this.#policy.digest;
  }

  /** Runs before the taps of other plugins. */
  see(call: Call): undefined {
    this.#stages.put(call.id, { hasBegun: false });
  }

  /** Runs after all guards have let the call pass. @throws GatewayError STORE_UNREACHABLE, TOOL_ARGUMENTS */
  async begin(call: Call): Promise<undefined> {
    const facts = factsOf(call, this.#digests);
    if (facts.arguments === null) {
      const text = `the arguments of ${facts.tool} are nested too deeply to be recorded; send flatter ones`;
      throw new GatewayError('TOOL_ARGUMENTS', text);
    }
    const event = { type: 'begun', ...facts, policy: this.policy() };
    if (call.tool.kind === 'meta' && call.tool.name === DISPATCHER) {
      this.#tell(event);
      this.#markBegun(call);
      return undefined;
    }
    try {
      await this.#inTime(this.#append(event, true));
    } catch (error) {
      if (this.#scope.config.onFailure === 'refuse') throw error;
      this.#complain('begun', error);
    }
    this.#markBegun(call);
  }

  #markBegun({ id }: Call): void {
    const stage = this.#stages.get(id);
    if (stage !== undefined) stage.hasBegun = true;
  }

  hear(event: KernelEvent): void {
    if (event.type === 'call.settled') this.#settle(event);
    if (event.type === 'call.refused') this.#refuse(event);
    if (event.type === 'config.applied') this.#configure();
  }

  #settle(settled: SettledCall): void {
    const { call, ms } = settled;
    const stage = this.#stages.get(call.id);
    if (stage === undefined) return;
    this.#stages.delete(call.id);
    const outcome = outcomeOf(settled);
    if (stage.hasBegun) {
      this.#tell({
        type: 'ended',
        call: call.id,
        tool: shortName(call.tool.name),
        outcome,
        ms: Math.round(ms),
      });
      return;
    }
    const type = settled.outcome === 'error' ? 'refused' : 'answered';
    this.#tell({ type, ...factsOf(call, this.#digests), outcome, policy: this.policy() });
  }

  #refuse(refused: RefusedCall): void {
    const outcome = outcomeOf({ outcome: 'error', error: refused.error });
    this.#tell({ type: 'refused', ...refusedFacts(refused, this.#digests), outcome, policy: this.policy() });
  }

  /** Called after every reload; writes a line only if settings or definitions have changed. */
  #configure(): void {
    const control = this.#scope.get(ConfigControl);
    const definitions = control
      .kinds()
      .flatMap((kind) => control.resources(kind.name))
      .map(({ kind, name, labels, spec }) => ({ kind, name, labels, spec }));
    const facts = { policy: this.policy(), definitions: digestOf(definitions) };
    const text = JSON.stringify(facts);
    if (text === this.#configured) return;
    this.#configured = text;
    this.#tell({ type: 'configured', ...facts });
  }

  /** Appends without waiting: no call depends on the line. */
  #tell(event: TrailEvent): void {
    this.#append(event, false).catch((error: unknown) => this.#complain(event.type, error));
  }

  #complain(type: string, error: unknown): void {
    this.#scope.log.error('a line is missing in the audit trail', { type, error });
  }

  async #inTime(writing: Promise<void>): Promise<void> {
    const wait = { isOver: false };
    const end = (): boolean => (wait.isOver = true);
    await waitAtMost(this.#scope.config.writeTimeoutMs, writing.then(end, end));
    if (wait.isOver) return writing;
    const text =
      'the audit trail was not written in time; check its disk, or raise writeTimeoutMs of plugin audit';
    throw new GatewayError('STORE_UNREACHABLE', text);
  }
}
