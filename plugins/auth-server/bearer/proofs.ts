import { createHmac } from 'node:crypto';
import { EmbeddedJWK, calculateJwkThumbprint, errors, jwtVerify } from 'jose';
import type { JWK, JWTPayload } from 'jose';
import { isObject } from 'pegboard';
import type { Vault } from '../../contracts/vault.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import { sharedKey } from '../state/sharedKey.ts';

/** The request that a proof is for. */
export interface ProofRequest {
  readonly method: string;
  /** Absolute URLs by which the client may have called it; the proof names one of them. */
  readonly urls: readonly string[];
  /** The access token beside the proof; absent at the token endpoint. */
  readonly accessToken?: string;
  /** The thumbprint that the access or refresh token is bound to; absent: any key. */
  readonly jkt?: string | undefined;
  /** ms since the epoch */
  readonly now: number;
}

/** Checks proofs that a client holds a key, each only once. Source: RFC 9449. */
export class Proofs {
  readonly #vault: () => Vault;
  readonly #requireNonce: () => boolean;
  #nonces: { readonly slot: number; readonly accepted: Promise<readonly [string, string]> } | undefined;

  /** @param vault asked at each use, because the plugin that provides it can change
   *  @param requireNonce whether proofs must hold a nonce of ours */
  constructor(vault: () => Vault, requireNonce = (): boolean => false) {
    this.#vault = vault;
    this.#requireNonce = requireNonce;
  }

  /** @param proof the header `DPoP` @returns the thumbprint of the proof's key (RFC 7638, SHA-256)
   *  @throws OAuthError invalid_dpop_proof or use_dpop_nonce: 401 with a challenge beside an access token, otherwise 400
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN over a limit of the vault */
  async check(proof: string, request: ProofRequest): Promise<{ readonly jkt: string }> {
    const status = request.accessToken === undefined ? 400 : 401;
    try {
      const { jwk, claims } = await verified(proof, request.now);
      refuseOtherRequest(claims, request);
      const jkt = await calculateJwkThumbprint(jwk);
      if (request.jkt !== undefined && jkt !== request.jkt)
        throw refusal('dpop-other-key', 'the token is bound to another key than the one of the DPoP proof');
      if (this.#requireNonce()) await this.#refuseWithoutNonce(claims, request.now);
      // Last, so that only proofs that would be accepted fill the vault.
      await this.#refuseReplay(jkt, claims);
      return { jkt };
    } catch (error) {
      throw error instanceof OAuthError ? withStatus(error, status) : error;
    }
  }

  /** The nonce for the header `DPoP-Nonce`, good for one to two slots in every process. @param now ms since the epoch
   *  @throws GatewayError as check() */
  async nonce(now: number): Promise<string> {
    return (await this.#accepted(now))[0];
  }

  async #refuseWithoutNonce(claims: JWTPayload, now: number): Promise<void> {
    const [current, former] = await this.#accepted(now);
    const { nonce } = claims;
    if (nonce === current || nonce === former) return;
    throw new OAuthError('use_dpop_nonce', 'the DPoP proof must hold the nonce of the header DPoP-Nonce', {
      headers: { 'dpop-nonce': current },
      reason: nonce === undefined ? 'dpop-nonce-missing' : 'dpop-nonce-unknown',
    });
  }

  async #refuseReplay(jkt: string, { jti }: JWTPayload): Promise<void> {
    const key = `oauth-proof:${jkt}:${digest(jti ?? '')}`;
    if (!(await this.#vault().putIfAbsent(key, 1, REPLAY_SECONDS)))
      throw refusal('dpop-replayed', 'the DPoP proof was used before; make one for each request');
  }

  /** The current nonce and the former. The key is read again in each slot, so that processes agree after the vault was emptied. */
  #accepted(now: number): Promise<readonly [string, string]> {
    const slot = Math.floor(now / 1000 / NONCE_SECONDS);
    if (this.#nonces?.slot !== slot) {
      const accepted = sharedKey(this.#vault(), 'nonce').then(
        (key) => [nonceOf(key, slot), nonceOf(key, slot - 1)] as const,
      );
      this.#nonces = { slot, accepted };
      accepted.catch(() => (this.#nonces = undefined));
    }
    return this.#nonces.accepted;
  }
}

const WINDOW_SECONDS = 300;
/** A proof that is 300 s early is good for 600 s; one minute more for clocks of processes that differ. */
const REPLAY_SECONDS = 2 * WINDOW_SECONDS + 60;
const NONCE_SECONDS = 300;

function nonceOf(key: string, slot: number): string {
  return createHmac('sha256', key).update(`dpop-nonce ${slot}`).digest('base64url').slice(0, 22);
}

interface Verified {
  readonly jwk: JWK;
  readonly claims: JWTPayload;
}

/** Signature, type, time and the presence of claims. @throws OAuthError */
async function verified(proof: string, now: number): Promise<Verified> {
  if (proof.includes(',')) throw refusal('dpop-several', 'send the header DPoP once');
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, publicKey, {
      typ: 'dpop+jwt',
      algorithms: [...SIGNATURE_ALGORITHMS],
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
      currentDate: new Date(now),
      maxTokenAge: 0,
      clockTolerance: WINDOW_SECONDS,
    });
    return { jwk: protectedHeader.jwk as JWK, claims: payload };
  } catch (error) {
    throw error instanceof OAuthError ? error : toRefusal(error);
  }
}

/** The key in the header, refused with its private members or if it is not asymmetric. */
const publicKey: typeof EmbeddedJWK = (header, token) => {
  const { jwk } = header ?? {};
  if (isObject(jwk) && PRIVATE_MEMBERS.some((member) => member in jwk))
    throw refusal('dpop-key', 'the jwk of the DPoP proof must be a public key, without private members');
  return EmbeddedJWK(header, token);
};

/** Source: RFC 7518 §6.2.2, §6.3.2, §6.4 */
const PRIVATE_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** What jose throws, also Web Crypto's errors on a key, is about the proof: nothing else is used there. */
function toRefusal(error: unknown): OAuthError {
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refusal('dpop-signature', 'the DPoP proof is not signed with its jwk');
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refusal(
      'dpop-algorithm',
      `the alg of the DPoP proof must be one of ${SIGNATURE_ALGORITHMS.join(', ')}`,
    );
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
    return claimRefusal(error);
  return refusal('dpop-malformed', 'the DPoP proof must be a JWS of typ dpop+jwt with a public key as jwk');
}

function claimRefusal({ claim, reason }: errors.JWTExpired | errors.JWTClaimValidationFailed): OAuthError {
  if (claim === 'typ') return refusal('dpop-type', 'the typ of the DPoP proof must be dpop+jwt');
  if (reason === 'missing') return refusal('dpop-claim-missing', `the DPoP proof has no claim ${claim}`);
  return refusal('dpop-time', `the ${claim} of the DPoP proof is more than ${WINDOW_SECONDS} s off`);
}

/** @throws OAuthError if the proof is for another request, or for another access token */
function refuseOtherRequest(claims: JWTPayload, { method, urls, accessToken }: ProofRequest): void {
  const { jti, htm, htu, ath } = claims;
  if (typeof jti !== 'string' || jti === '')
    throw refusal('dpop-malformed', 'the jti of the DPoP proof must be a text');
  if (htm !== method) throw refusal('dpop-method', `the htm of the DPoP proof must be ${method}`);
  const url = normalUrl(htu);
  if (url === undefined || !urls.some((known) => normalUrl(known) === url))
    throw refusal('dpop-url', 'the htu of the DPoP proof must be the URL of the request');
  if (accessToken !== undefined && ath !== digest(accessToken))
    throw refusal('dpop-token-hash', 'the ath of the DPoP proof must be the hash of the access token');
}

/** The address without query and fragment. @returns undefined if it is not an absolute web address. Source: RFC 3986 §6.2.2 and §6.2.3 */
function normalUrl(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username + password !== '') return undefined;
  return origin + pathname.replace(/%[\da-f]{2}/gi, normalEscape);
}

function normalEscape(escape: string): string {
  const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(char) ? char : escape.toUpperCase();
}

function refusal(reason: string, description: string): OAuthError {
  return new OAuthError('invalid_dpop_proof', description, { reason });
}

/** Beside an access token the answer is a challenge. Source: RFC 9449 §7.1 */
function withStatus({ error, message, headers, reason }: OAuthError, status: number): OAuthError {
  if (status !== 401) return new OAuthError(error, message, { status, headers, reason });
  const challenge = `DPoP error="${error}", error_description="${message}", algs="${SIGNATURE_ALGORITHMS.join(' ')}"`;
  return new OAuthError(error, message, {
    status,
    headers: { ...headers, 'www-authenticate': challenge },
    reason,
  });
}
