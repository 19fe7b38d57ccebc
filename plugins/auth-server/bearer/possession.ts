import type { InboundRequest } from 'pegboard';
import type { Access } from '../state/accessTokens.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import type { Proofs } from './proofs.ts';

/** Origins by which the client may have called. */
export type OriginsOf = (request: InboundRequest) => readonly string[];

/** Whether clients prove that they hold the key that their tokens are bound to. Source: RFC 9449 */
export class Possession {
  readonly #proofs: Proofs;
  readonly #originsOf: OriginsOf;

  constructor(proofs: Proofs, originsOf: OriginsOf) {
    this.#proofs = proofs;
    this.#originsOf = originsOf;
  }

  /** The thumbprint to bind new tokens to; undefined for a request without a proof. @throws OAuthError (400) */
  async forTokens(request: InboundRequest): Promise<string | undefined> {
    const proof = request.header('dpop');
    if (proof === undefined) return undefined;
    return (await this.#proofs.check(proof, this.#facts(request))).jkt;
  }

  /** @throws OAuthError (401) if the scheme, the proof or its key is not that of the token */
  async ofToken(
    request: InboundRequest,
    { jkt }: Access,
    accessToken: string,
    isDpop: boolean,
  ): Promise<void> {
    if (!isDpop && jkt === undefined) return;
    if (jkt === undefined || !isDpop)
      throw refusal('invalid_token', isDpop ? 'token-not-bound' : 'bound-token-as-bearer');
    const proof = request.header('dpop');
    if (proof === undefined) throw refusal('invalid_dpop_proof', 'dpop-missing');
    await this.#proofs.check(proof, { ...this.#facts(request), accessToken, jkt });
  }

  #facts(request: InboundRequest): { method: string; urls: readonly string[]; now: number } {
    const { method = '', path = '' } = request;
    return { method, urls: this.#originsOf(request).map((origin) => origin + path), now: Date.now() };
  }
}

function refusal(error: string, reason: string): OAuthError {
  const challenge = `DPoP error="${error}", algs="${SIGNATURE_ALGORITHMS.join(' ')}"`;
  return new OAuthError(error, 'Token validation failed', {
    status: 401,
    headers: { 'www-authenticate': challenge },
    reason,
  });
}
