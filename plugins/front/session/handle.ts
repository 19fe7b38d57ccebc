import type { JsonObject } from 'pegboard';
import type { KeyRing } from '../../contracts/vault.ts';
import type { Session } from '../../contracts/sessions.ts';
import { sealed, unsealed } from './sealed.ts';

type SessionFacts = Omit<Session, 'handle'>;
interface Sealed {
  readonly i: string;
  readonly r: string;
  readonly s?: string;
  readonly c: JsonObject;
  readonly p?: string | undefined;
  readonly t: number;
}

/** Seals a session into an opaque handle. */
export function sealSession(
  { id, revision, subject, capabilities, program, createdAt }: SessionFacts,
  keys: KeyRing,
): string {
  const facts: Sealed = {
    i: id,
    r: revision,
    c: capabilities,
    p: program,
    t: createdAt,
    ...(subject === undefined ? {} : { s: subject }),
  };
  return sealed(facts, 'session', keys);
}

/** @returns undefined if no key opens it */
export function unseal(handle: string, keys: KeyRing): Session | undefined {
  const facts = unsealed(handle, 'session', keys) as Sealed | undefined;
  if (facts === undefined) return undefined;
  const { i: id, r: revision, s: subject, c: capabilities, p: program, t: createdAt } = facts;
  const named = program === undefined ? {} : { program };
  return { id, handle, revision, subject, capabilities, createdAt, ...named };
}
