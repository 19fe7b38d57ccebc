import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { Access } from '../state/accessTokens.ts';
import type { TokenSet } from '../state/tokenSets.ts';
import type { TokenSetRefresh } from './tokenSetRefresh.ts';

const AHEAD_MS = 300_000;
/** Time before a refresh that did not help is tried again. */
const PAUSE_MS = 60_000;
const MAX_TRIED = 10_000;

type ProviderUse = Pick<Access, 'signIn' | 'tokenSet' | 'providerExpiresAt'>;

/** Refreshes the identity provider's tokens five minutes before they end, while the person's requests continue. */
export class ProviderAhead {
  readonly #refresh: TokenSetRefresh;
  readonly #log: Log;
  readonly #tried = recentlyUsed<true>(MAX_TRIED, PAUSE_MS);

  constructor(refresh: TokenSetRefresh, log: Log) {
    this.#refresh = refresh;
    this.#log = log;
  }

  /** Begins a refresh if it is due. */
  used({ signIn, tokenSet, providerExpiresAt = Infinity }: ProviderUse): void {
    if (tokenSet === undefined || providerExpiresAt - Date.now() > AHEAD_MS || this.#tried.has(tokenSet))
      return;
    this.#tried.set(tokenSet, true);
    this.#refresh.refreshed(tokenSet, isLasting, 0).catch((error: unknown) => {
      this.#log.info('the tokens of the identity provider were not refreshed in advance', {
        signIn,
        reason: messageOf(error),
      });
    });
  }
}

/** Whether they were refreshed since the access token was checked, or cannot be. */
function isLasting({ tokens: { refreshToken, expiresAt = Infinity } }: TokenSet): boolean {
  return refreshToken === undefined || expiresAt - Date.now() > AHEAD_MS;
}
