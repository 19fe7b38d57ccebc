export interface ResumeWaits {
  /** When the server names none; doubles with every stream in a row that brings nothing. */
  readonly resumeMs: number;
  readonly maxResumeMs: number;
  /** Whatever the server names: with `retry: 0` it would be asked without a pause. */
  readonly minResumeMs: number;
}

/** How long to wait before a broken stream is taken up again. @param retryMs what its server has named
 *  @param empty how many in a row have brought nothing and did not last */
export function resumeWait(retryMs: number | undefined, waits: ResumeWaits, empty = 0): number {
  const { resumeMs, maxResumeMs, minResumeMs } = waits;
  const ownMs = Math.min(resumeMs * 2 ** Math.min(empty, 30), Math.max(maxResumeMs, resumeMs));
  return Math.max(retryMs ?? ownMs, minResumeMs);
}
