import type { CallResult } from 'pegboard';
import type { RunningSpan } from '../../contracts/tracing.ts';

/** Runs a call within a span, with the meta of the span. @throws what `run` throws */
export async function inSpan(span: RunningSpan, run: () => Promise<CallResult>): Promise<CallResult> {
  try {
    const result = await run();
    span.end(result);
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}
