import { setTimeout as pause } from 'node:timers/promises';
import type { Cancellation } from 'pegboard';
import { Channel } from '../../contracts/processes.ts';
import type { RunStatus } from '../run/state.ts';
import type { ToolParts } from './toolParts.ts';

const TOPIC = 'workflow.cancel';
export const CANCELLED = 'cancelled with core_workflow_execution_cancel';
const POLL_MS = 200;
const MAX_POLLS = 50;

/** Cancels runs of this process for other processes, which have checked that the caller may. A gap means that the vault was
 *  away too. @returns the function that unsubscribes */
export function answerCancels(channel: Channel, { runs, executions }: ToolParts): () => void {
  // A run that fails with an internal error is reported where it was started.
  const cancel = (id: string): void => void runs.cancel(id, CANCELLED).catch(() => undefined);
  const gap = (): void => void executions.writeLate();
  return channel.subscribe(TOPIC, { message: ({ id }) => cancel(String(id)), gap });
}

/** Asks the other processes to cancel a run, again at each look at its record because messages can be lost, and waits at most
 *  ten seconds for its end. @returns false if this process is alone @throws GatewayError STORE_UNREACHABLE */
export async function cancelElsewhere(
  id: string,
  { executions, scope }: ToolParts,
  cancel: Cancellation,
): Promise<boolean> {
  for (let poll = 0; poll < MAX_POLLS && cancel.reason === undefined; poll += 1) {
    const channel = scope.find(Channel);
    if (channel === undefined) return false;
    channel.publish(TOPIC, { id });
    await pause(POLL_MS);
    if ((await executions.get(id))?.status !== 'running') break;
  }
  return true;
}

export function cancelledElsewhere(id: string, status: RunStatus, error: string): string {
  if (status === 'running') {
    const why = 'its process was told to cancel it, and is cleaning up or has ended';
    return `execution ${id} is still running: ${why}; see core_workflow_execution_get in a minute`;
  }
  return `execution ${id} is ${status}${status === 'failed' ? `: ${error}` : ''}`;
}
