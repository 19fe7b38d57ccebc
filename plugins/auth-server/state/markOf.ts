import type { Caller } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { digest } from '../../kit/secrets/secrets.ts';

/** A text of 22 characters that keys of a person's records begin with, so that they can be listed. */
export function markOf(person: Caller): string {
  return digest(callerKey(person)).slice(0, 22);
}
