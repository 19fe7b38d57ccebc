import { messageOf } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { Access } from '../state/accessTokens.ts';
import { isOther } from './issuing.ts';
import type { Issuing } from './issuing.ts';
import type { ProviderTurns } from './providerTurns.ts';

const AHEAD_MS = 300_000;
/** Time before a refresh that did not help is tried again. */
const PAUSE_MS = 60_000;
const MAX_TRIED = 10_000;

/** Refreshes the identity provider's tokens five minutes before they end, while the person's requests continue. */
export class ProviderAhead {
  readonly #issuing: Pick<Issuing, 'signIns' | 'accessTokens' | 'attempts' | 'changed' | 'log'>;
  readonly #turns: ProviderTurns;
  readonly #running = new Map<string, Promise<void>>();
  readonly #tried = recentlyUsed<true>(MAX_TRIED, PAUSE_MS);

  constructor(
    issuing: Pick<Issuing, 'signIns' | 'accessTokens' | 'attempts' | 'changed' | 'log'>,
    turns: ProviderTurns,
  ) {
    this.#issuing = issuing;
    this.#turns = turns;
  }

  /** Begins a refresh if it is due. */
  used({ signIn: id, providerExpiresAt }: Access): void {
    if (id === undefined || providerExpiresAt === undefined || providerExpiresAt - Date.now() > AHEAD_MS)
      return;
    if (this.#running.has(id) || this.#tried.has(id)) return;
    this.#tried.set(id, true);
    this.refresh(id).catch((error: unknown) => {
      this.#issuing.log.info('the tokens of the identity provider were not refreshed in advance', {
        signIn: id,
        reason: messageOf(error),
      });
    });
  }

  /** Refreshes now; together with a refresh of that sign-in that runs here. Does nothing without a refresh token.
   *  @throws OAuthError as ProviderTurns.take() @throws GatewayError STORE_UNREACHABLE */
  refresh(id: string): Promise<void> {
    const running = this.#running.get(id) ?? this.#refresh(id).finally(() => this.#running.delete(id));
    this.#running.set(id, running);
    return running;
  }

  /** Resolves once no refresh in advance of that sign-in runs here. */
  async settled(id: string): Promise<void> {
    await this.#running.get(id)?.catch(() => undefined);
  }

  async #refresh(id: string): Promise<void> {
    const { signIns, accessTokens, attempts } = this.#issuing;
    const signIn = await signIns.find(id);
    if (signIn?.provider.refreshToken === undefined) return;
    const { running, identity } = await this.#turns.take(signIn, '');
    try {
      // The turn before it is kept: its answer may still not have arrived.
      const next = { ...running, ...identity, usedAt: Date.now(), turn: signIn.turn };
      const isKept = await signIns.replace(running, next);
      this.#turns.stored(signIn.provider);
      accessTokens.forget(id);
      if (isKept && isOther(signIn, next)) this.#issuing.changed(next);
    } finally {
      attempts.forget(running.turn.attempt);
    }
  }
}
