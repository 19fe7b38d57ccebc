import type { Log } from 'pegboard';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { Attempts } from '../state/attempts.ts';
import type { SignIns } from '../state/signIns.ts';
import type { Addresses } from '../web/addresses.ts';

/** What tokens of sign-ins are issued from. */
export interface Issuing {
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly attempts: Attempts;
  readonly addresses: Pick<Addresses, 'isOwn'>;
  readonly sessionMs: () => number;
  readonly log: Log;
}
