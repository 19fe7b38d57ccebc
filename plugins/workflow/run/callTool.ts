import { Cancellation, GatewayError, isGatewayError } from 'pegboard';
import type { CallResult, JsonObject } from 'pegboard';
import type { Frame } from './state.ts';

const NOBODY = (): void => undefined;

/** A call of a step: ends with the run, or when its own time is over, whatever the tool does.
 *  @throws GatewayError TOOL_CANCELLED, UPSTREAM_TIMEOUT, or what the call throws */
export async function callTool(
  { run, cancel }: Frame,
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
    // The tools' own progress is not the run's: it would count backwards.
    return await Promise.race([ended, run.call.child(tool, args, { cancel: own, progress: NOBODY })]);
  } finally {
    clearTimeout(timer);
    inherit();
  }
}

/** Whether the run ended, and not only this call. */
export function isCancelled(error: unknown, { cancel }: Frame): boolean {
  return cancel.reason !== undefined && isGatewayError(error);
}

/** @throws GatewayError TOOL_CANCELLED when the run ends meanwhile */
export async function pause(ms: number, { cancel }: Frame): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let forget = NOBODY;
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
