import type { JsonObject } from 'pegboard';
import type { Session } from '../contract.ts';
import type { SessionKey } from './loadKeys.ts';
import { sealed, unsealed } from './sealed.ts';

type SessionFacts = Omit<Session, 'handle'>;
interface Sealed {
  readonly i: string;
  readonly r: string;
  readonly s?: string;
  readonly c: JsonObject;
  readonly t: number;
}

/** A session as an opaque handle. */
export function seal(
  { id, revision, subject, capabilities, createdAt }: SessionFacts,
  key: SessionKey,
): string {
  const facts: Sealed = {
    i: id,
    r: revision,
    c: capabilities,
    t: createdAt,
    ...(subject === undefined ? {} : { s: subject }),
  };
  return sealed(facts, 'session', key);
}

/** @returns undefined when no key opens it */
export function unseal(handle: string, keys: readonly SessionKey[]): Session | undefined {
  const facts = unsealed(handle, 'session', keys) as Sealed | undefined;
  if (facts === undefined) return undefined;
  const { i: id, r: revision, s: subject, c: capabilities, t: createdAt } = facts;
  return { id, handle, revision, subject, capabilities, createdAt };
}
