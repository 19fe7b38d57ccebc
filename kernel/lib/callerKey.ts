import type { Caller } from '../contracts/request.ts';

/** Text that two callers share exactly when they are one: a subject is unique within its issuer only. */
export function callerKey({ issuer, subject }: Caller): string {
  return JSON.stringify([issuer ?? null, subject]);
}
