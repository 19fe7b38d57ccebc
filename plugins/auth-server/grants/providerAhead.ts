import { LRUCache } from 'lru-cache';
import type { Log } from 'pegboard';
import { messageOf } from 'pegboard';
import type { Access, AccessTokens } from '../state/accessTokens.ts';
import type { Attempts } from '../state/attempts.ts';
import type { SignIns } from '../state/signIns.ts';
import type { ProviderTurns } from './providerTurns.ts';

const AHEAD_MS = 300_000;
/** Time before a refresh that did not help is tried again. */
const PAUSE_MS = 60_000;
const MAX_TRIED = 10_000;

export interface ProviderAheadParts {
  readonly signIns: SignIns;
  readonly accessTokens: AccessTokens;
  readonly attempts: Attempts;
  readonly turns: ProviderTurns;
  readonly log: Log;
}

/** Refreshes the identity provider's tokens five minutes before they end, while the person's requests continue. */
export class ProviderAhead {
  readonly #parts: ProviderAheadParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #tried = new LRUCache<string, true>({ max: MAX_TRIED, ttl: PAUSE_MS });

  constructor(parts: ProviderAheadParts) {
    this.#parts = parts;
  }

  /** Begins a refresh if it is due. */
  used({ signIn: id, providerExpiresAt }: Access): void {
    if (id === undefined || providerExpiresAt === undefined || providerExpiresAt - Date.now() > AHEAD_MS)
      return;
    if (this.#running.has(id) || this.#tried.has(id)) return;
    this.#tried.set(id, true);
    this.refresh(id).catch((error: unknown) => {
      this.#parts.log.info('the tokens of the identity provider were not refreshed in advance', {
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
    const { signIns, accessTokens, attempts, turns } = this.#parts;
    const signIn = await signIns.find(id);
    if (signIn?.provider.refreshToken === undefined) return;
    const { running, tokens } = await turns.take(signIn, '');
    try {
      // The turn before it is kept: its answer may still not have arrived.
      await signIns.replace(running, { ...running, provider: tokens, turn: signIn.turn });
      turns.stored(signIn.provider);
      accessTokens.forget(id);
    } finally {
      attempts.forget(running.turn.attempt);
    }
  }
}
