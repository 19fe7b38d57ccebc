import type { Cancellation } from 'pegboard';

/** Waits; ends early when it is cancelled. */
export function pauseFor(ms: number, cancel: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    const forget = cancel.onCancel(done);
    function done(): void {
      clearTimeout(timer);
      forget();
      resolve();
    }
  });
}
