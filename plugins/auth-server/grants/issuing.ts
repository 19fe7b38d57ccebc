import { isDeepStrictEqual } from 'node:util';
import type { Log } from 'pegboard';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { Attempts } from '../state/attempts.ts';
import type { SignIn } from '../state/signIn.ts';
import type { SignIns } from '../state/signIns.ts';
import type { Addresses } from '../web/addresses.ts';

/** What a client is told that wants a token for another resource than at the authorization. */
export const OTHER_RESOURCE = 'resource is not the one that the authorization was for';

/** What tokens of sign-ins are issued from. */
export interface Issuing {
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly attempts: Attempts;
  readonly addresses: Pick<Addresses, 'isOwn'>;
  readonly sessionMs: () => number;
  /** Called when the identity provider describes the person of a sign-in otherwise than before. */
  readonly changed: (signIn: SignIn) => void;
  readonly log: Log;
}

/** Whether the identity provider describes the person otherwise than before. */
export function isOther(before: SignIn, after: SignIn): boolean {
  return !isDeepStrictEqual(before.person, after.person);
}
