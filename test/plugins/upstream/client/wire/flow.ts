import { SocketFlow } from '../../../../../plugins/upstream/client/wire/socketFlow.ts';
import type { FlowLimits } from '../../../../../plugins/upstream/client/wire/unaskedFlow.ts';
import { defer } from '../../../../support/cleanup.ts';

const LIMITS: FlowLimits = { maxUnaskedPerSecond: 1_000, unaskedSliceMs: 1_000, floodMs: 0 };

/** A flow for one part, without flood reports. Ended after the test. */
export function flowOf(limits: Partial<FlowLimits> = {}): SocketFlow {
  const unheard = { flooding: () => undefined, flooded: () => undefined };
  const flow = new SocketFlow(() => ({ ...LIMITS, ...limits }), unheard);
  defer(() => flow.end());
  return flow;
}
