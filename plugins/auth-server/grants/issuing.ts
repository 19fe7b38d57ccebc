import type { Log } from 'pegboard';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { Attempts } from '../state/attempts.ts';
import type { SignIns } from '../state/signIns.ts';
import type { TokenSets } from '../state/tokenSets.ts';
import type { Addresses } from '../web/addresses.ts';

/** What a client is told that wants a token for another resource than at the authorization. */
export const OTHER_RESOURCE = 'resource is not the one that the authorization was for';

/** What tokens of sign-ins are issued from. */
export interface Issuing {
  readonly signIns: SignIns;
  readonly tokenSets: TokenSets;
  readonly accessTokens: AccessTokens;
  readonly attempts: Attempts;
  readonly addresses: Pick<Addresses, 'isOwn'>;
  readonly sessionMs: () => number;
  readonly log: Log;
}
