import type { Call, CallOutcome, KernelEvent, ReloadReport } from 'pegboard';
import type { Metric } from '../../contracts/metrics.ts';
import { BYTES_PER_TOKEN, estimatedTokens } from '../../kit/metrics/estimatedTokens.ts';
import { Histogram } from '../../kit/metrics/histogram.ts';
import { outcomeOf } from '../../kit/metrics/outcomeOf.ts';
import { Tally } from '../../kit/metrics/tally.ts';
import { TopTools } from './topTools.ts';
import type { OutcomeLabel } from './topTools.ts';

const SERVER_KEY = 'MCPServer/';

/** Calls, counted as the kernel reports them. */
export class CallMetrics {
  readonly #tools: TopTools;
  readonly #durations = new Histogram();
  readonly #metaDurations = new Histogram();
  readonly #answers = new Map<string, { bytes: number; readonly labels: { readonly tool: string } }>();
  readonly #errors = new Tally();
  readonly #refusals = new Tally();
  /** Servers whose definitions were removed: calls may end after that. */
  readonly #removed = new Set<string>();

  constructor(maxTools: () => number) {
    this.#tools = new TopTools(maxTools);
  }

  take(event: KernelEvent): void {
    if (event.type === 'call.settled') this.#settled(event.call, event.ms / 1_000, event);
    else if (event.type === 'call.refused')
      this.#refusals.add({ code: outcomeOf({ outcome: 'error', error: event.error }) });
    else if (event.type === 'config.applied') this.#configured(event.report.diff);
  }

  get metrics(): readonly Metric[] {
    return [
      ...this.#tools.metrics,
      {
        name: 'pegboard.tool.duration',
        kind: 'histogram',
        unit: 's',
        description: 'Time of calls, by server, kind and outcome.',
        read: () => this.#durations.samples(),
      },
      {
        name: 'pegboard.metatool.duration',
        kind: 'histogram',
        unit: 's',
        description:
          'Time of what clients call: meta-tools, resources/read, prompts/get, completion/complete.',
        read: () => this.#metaDurations.samples(),
      },
      {
        name: 'pegboard.metatool.answer.size',
        kind: 'counter',
        unit: 'By',
        description: 'JSON of their answers.',
        read: () => this.#answered((bytes) => bytes),
      },
      {
        name: 'pegboard.metatool.answer.tokens',
        kind: 'counter',
        unit: '{token}',
        description: `What their answers take of an agent's context: a token for ${BYTES_PER_TOKEN} bytes, as an estimate.`,
        read: () => this.#answered(estimatedTokens),
      },
      {
        name: 'pegboard.call.errors',
        kind: 'counter',
        unit: '{call}',
        description: 'Calls that ended in an error, by its code.',
        read: () => this.#errors.samples(),
      },
      {
        name: 'pegboard.call.refusals',
        kind: 'counter',
        unit: '{call}',
        description: 'Calls that never ran: unknown tools, toolsets, deny rules; by the code of the refusal.',
        read: () => this.#refusals.samples(),
      },
    ];
  }

  /** What a removed server had ends with it. */
  #configured({ added, removed }: ReloadReport['diff']): void {
    for (const server of serversIn(added)) this.#removed.delete(server);
    for (const server of serversIn(removed)) {
      this.#removed.add(server);
      this.#tools.forget(server);
      this.#durations.keep((labels) => labels['server'] !== server);
    }
  }

  #settled({ tool: { name, kind, server = '' } }: Call, seconds: number, how: CallOutcome): void {
    const code = outcomeOf(how);
    const outcome: OutcomeLabel = code === 'ok' || code === 'tool_error' ? code : 'error';
    if (outcome === 'error') this.#errors.add({ code });
    const bytes = how.outcome === 'ok' ? Buffer.byteLength(how.result.json) : 0;
    if (kind !== 'meta') {
      if (this.#removed.has(server)) return;
      this.#durations.record({ server, kind, outcome }, seconds);
      this.#tools.add({ labels: { tool: name, kind, server }, outcome, seconds, bytes });
      return;
    }
    this.#metaDurations.record({ tool: name, outcome }, seconds);
    const known = this.#answers.get(name);
    if (known === undefined) this.#answers.set(name, { bytes, labels: { tool: name } });
    else known.bytes += bytes;
  }

  *#answered(measure: (bytes: number) => number) {
    for (const { bytes, labels } of this.#answers.values()) yield { value: measure(bytes), labels };
  }
}

function serversIn(keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => (key.startsWith(SERVER_KEY) ? key.slice(SERVER_KEY.length) : []));
}
