import type { Call, KernelEvent, Log, LogData } from 'pegboard';
import { traceIdOf } from '../kit/calls/traceIdOf.ts';
import { outcomeOf } from '../kit/metrics/outcomeOf.ts';
import type { CallLogConfig } from './config.ts';

/** Writes a line about each slow call at the level info, about all others at debug. */
export class CallLog {
  readonly #log: Log;
  readonly #config: () => CallLogConfig;
  /** Meta-tools whose call of another tool has a line of its own. */
  readonly #told = new WeakSet<Call>();

  constructor(log: Log, config: () => CallLogConfig) {
    this.#log = log;
    this.#config = config;
  }

  settled(event: KernelEvent<'call.settled'>): void {
    const { call, ms } = event;
    const { parent, tool } = call;
    if (parent?.tool.kind === 'meta') this.#told.add(parent);
    // call_tool takes as long as what it calls.
    if (tool.kind === 'meta' && this.#told.has(call)) return;
    const { slowMs } = this.#config();
    if (slowMs > 0 && ms >= slowMs) this.#log.info('slow call', factsOf(event));
    else this.#log.debug('call', factsOf(event));
  }

  refused({ name, request, error, meta }: KernelEvent<'call.refused'>): void {
    this.#log.debug('call refused', {
      tool: name,
      code: outcomeOf({ outcome: 'error', error }),
      request: request.id,
      trace: traceIdOf(meta),
    });
  }
}

function factsOf({ call, ms, ...how }: KernelEvent<'call.settled'>): LogData {
  const { tool, request, meta } = call;
  return {
    tool: tool.name,
    server: tool.server,
    ms: Math.round(ms),
    outcome: how.outcome,
    ...(how.outcome === 'error' && { code: outcomeOf(how) }),
    request: request.id,
    trace: traceIdOf(meta),
  };
}
