import type { Cancellation } from 'pegboard';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';

/** Waits for a sign-in. @throws Failure (exit code 3) after `ms` and if it is cancelled, and what `done` rejects with */
export async function inTime(done: Promise<void>, ms: number, cancel: Cancellation): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let forget: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`no answer within ${ms / 1_000} s`, SIGN_IN_FAILED)), ms);
    forget = cancel.onCancel(() => reject(new Failure('interrupted', SIGN_IN_FAILED)));
  });
  try {
    await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
    forget?.();
  }
}
