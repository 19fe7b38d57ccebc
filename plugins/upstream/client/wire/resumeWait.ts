import { doubledMs } from '../../../kit/limits/doubledMs.ts';

export interface ResumeWaits {
  /** The wait if the server sends no `retry`; doubles with every consecutive stream without a message. */
  readonly resumeMs: number;
  readonly maxResumeMs: number;
  /** The minimum, even if the server sends less: `retry: 0` would reconnect without a pause. */
  readonly minResumeMs: number;
}

/** How long to wait before a broken stream is resumed. @param retryMs from the server
 *  @param empty number of consecutive short streams without a message */
export function resumeWait(retryMs: number | undefined, waits: ResumeWaits, empty = 0): number {
  const { resumeMs, maxResumeMs, minResumeMs } = waits;
  const ownMs = doubledMs(empty + 1, resumeMs, Math.max(maxResumeMs, resumeMs));
  return Math.max(retryMs ?? ownMs, minResumeMs);
}
