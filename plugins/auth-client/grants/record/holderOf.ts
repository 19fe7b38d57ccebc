import type { InboundRequest } from 'pegboard';
import { digest } from '../../../kit/secrets/secrets.ts';
import { callerKey } from '../../../kit/authority/ownerOf.ts';
import type { AuthRules } from '../../../contracts/credentials.ts';

/** The owner of grants or secrets. */
export interface Holder {
  /** A key of vault and connections, without anything secret: `local`, `person.<hash>`, or `<hash of the session>.<hash>`. */
  readonly owner: string;
  /** `callerKey` of the person; absent for the local user. */
  readonly person?: string;
  /** The claim `sid` of the sign-in session that it is; absent for a person and the local user. */
  readonly session?: string;
}

const LOCAL: Holder = { owner: 'local' };
const PERSONS = 'person.';

/** The holder of the grant that a request uses: its sign-in session, or its person. Without a caller it is the local user. */
export function holderOf({ grantScope }: Pick<AuthRules, 'grantScope'>, request: InboundRequest): Holder {
  const { caller } = request;
  if (caller === undefined) return LOCAL;
  const sid = caller.claims?.['sid'];
  const person = callerKey(caller);
  if (grantScope === 'subject' || typeof sid !== 'string') return personHolder(request);
  return { owner: sessionPrefix(sid) + digest(person), person, session: sid };
}

/** The person, whatever the session. */
export function personHolder({ caller }: Pick<InboundRequest, 'caller'>): Holder {
  if (caller === undefined) return LOCAL;
  const person = callerKey(caller);
  return { owner: PERSONS + digest(person), person };
}

/** The prefix of the owners that belong to a session. */
export function sessionPrefix(sid: string): string {
  return `${digest(sid)}.`;
}
