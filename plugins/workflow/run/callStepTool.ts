import { Cancellation, GatewayError, isGatewayError } from 'pegboard';
import type { CallResult, JsonObject } from 'pegboard';
import { sentArguments } from '../../kit/calls/exactNumbers.ts';
import { INTEGERS } from '../definition/integers.ts';
import type { Frame } from './state.ts';

const noop = (): void => undefined;

/** Calls the tool of a step; ends when the run is cancelled or the timeout expires, even if the tool does not return.
 *  @throws GatewayError TOOL_CANCELLED, UPSTREAM_TIMEOUT, or the error of the call */
export async function callStepTool(
  { run, cancel, meta }: Frame,
  tool: string,
  args: JsonObject,
  timeoutMs: number | undefined,
): Promise<CallResult> {
  const own = new Cancellation();
  const inherit = cancel.onCancel((reason) => own.cancel(reason));
  let isLate = false;
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          own.cancel(`timed out after ${timeoutMs} ms`);
        }, timeoutMs);
  const ended = new Promise<never>((_, reject) => {
    own.onCancel((reason) => {
      const late = `tool ${tool} timed out after ${timeoutMs ?? 0} ms; raise the step's timeout`;
      reject(
        isLate ? new GatewayError('UPSTREAM_TIMEOUT', late) : new GatewayError('TOOL_CANCELLED', reason),
      );
    });
  });
  try {
    // Progress of a tool is not forwarded: each call would restart the count of the run.
    return await Promise.race([
      ended,
      run.call.child(tool, sentArguments(args, INTEGERS), { cancel: own, progress: noop, meta }),
    ]);
  } finally {
    clearTimeout(timer);
    inherit();
  }
}

/** Whether the whole run was cancelled, not only this call. */
export function isCancelled(error: unknown, { cancel }: Frame): boolean {
  return cancel.reason !== undefined && isGatewayError(error);
}

/** @throws GatewayError TOOL_CANCELLED when the run ends meanwhile */
export async function pauseRun(ms: number, { cancel }: Frame): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let forget = noop;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(resolve, ms);
      forget = cancel.onCancel((reason) => reject(new GatewayError('TOOL_CANCELLED', reason)));
    });
  } finally {
    clearTimeout(timer);
    forget();
  }
}
