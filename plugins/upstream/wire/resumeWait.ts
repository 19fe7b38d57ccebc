export interface ResumeWaits {
  /** When the server names none. */
  readonly resumeMs: number;
  /** Whatever the server names: with `retry: 0` it would be asked without a pause. */
  readonly minResumeMs: number;
}

/** How long to wait before a broken stream is taken up again. @param retryMs what its server has named */
export function resumeWait(retryMs: number | undefined, { resumeMs, minResumeMs }: ResumeWaits): number {
  return Math.max(retryMs ?? resumeMs, minResumeMs);
}
