import type { Caller } from 'pegboard';
import type { VerifiedPerson } from '../../contracts/oauth.ts';
import { callerOf } from '../state/callerOf.ts';
import { tag } from '../../kit/secrets/secrets.ts';
import { toPerson } from './personOf.ts';

/** Begins the session id of callers without a sign-in here. */
const EXTERNAL = 'ext-';

/** Callers without a sign-in here: they have a token of another party. */
export class ExternalCallers {
  readonly #key: () => Promise<string>;

  /** @param key makes session ids that cannot be computed from a token */
  constructor(key: () => Promise<string>) {
    this.#key = key;
  }

  async callerOf({ issuer, subject, claims, scope, clientId }: VerifiedPerson): Promise<Caller> {
    // The same for a renewed token, so that what belongs to the session stays.
    const session = [issuer, subject, clientId ?? null, claims['sid'] ?? null];
    return callerOf(toPerson({ ...claims, sub: subject }, issuer), {
      ...(scope !== undefined && { scope }),
      ...(clientId !== undefined && { client_id: clientId }),
      sid: `${EXTERNAL}${tag(await this.#key(), JSON.stringify(session))}`,
    });
  }
}

export function isExternal(caller: Caller | undefined): boolean {
  const sid = caller?.claims?.['sid'];
  return typeof sid === 'string' && isExternalSession(sid);
}

export function isExternalSession(sid: string): boolean {
  return sid.startsWith(EXTERNAL);
}
