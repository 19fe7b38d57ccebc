import type { Caller } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import type { Attempt } from './attempts.ts';

/** A person as the identity provider describes them. */
export interface Person {
  readonly subject: string;
  /** The identity provider. */
  readonly issuer: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly name?: string;
  readonly groups: readonly string[];
}

/** Where a sign-in finds the identity provider's tokens. */
export interface TokenSetPlace {
  /** Key of the token set. */
  readonly tokenSet: string;
  /** Session at the provider, the claim `sid` of the first id token; absent: it named none. */
  readonly providerSession?: string;
}

/** What the identity provider issued for a person. */
export interface IssuedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** End of the access token, in ms since 1970; absent if the provider does not say. */
  readonly expiresAt?: number;
}

/** Who a person is at the identity provider, and what it has issued for them. */
export interface Identity {
  readonly person: Person;
  readonly provider: IssuedTokens;
}

/** What a person has granted to a client: the family of all tokens that follow from one authorization. Its
 *  identity is that of the token set. */
export interface SignIn extends TokenSetPlace, Identity {
  readonly id: string;
  readonly clientId: string;
  /** As the client called itself; absent: it did not. */
  readonly clientName?: string;
  readonly scope: string;
  /** Thumbprint of the key that all tokens are bound to (RFC 9449). */
  readonly jkt?: string;
  /** When the person signed in, in ms since 1970. */
  readonly signedInAt: number;
  /** When the client last refreshed its tokens, in ms since 1970; absent: not yet. */
  readonly usedAt?: number;
  /** Where the client has asked for tokens from; absent in records of older versions. */
  readonly address?: string;
  /** When the refresh token expires, in ms since 1970. */
  readonly expiresAt: number;
  /** Digest of the secret in the current refresh token. */
  readonly current: string;
  /** Marks secrets that were issued here, so that a rotated one is told from an invented one. */
  readonly tagKey: string;
  readonly turn?: TokenChange | undefined;
  readonly rotated?: Rotated;
  /** Former refresh tokens that got an access token alone: their clients keep them (RFC 6749 §6). */
  readonly kept?: readonly Kept[] | undefined;
}

/** A refresh token that a client keeps although it was rotated. */
export interface Kept {
  /** Digest of its secret. */
  readonly secret: string;
  /** When it was used last, in ms since 1970. */
  readonly at: number;
  /** Number of access tokens that it got alone. */
  readonly uses: number;
}

/** The last rotation. */
export interface Rotated {
  /** Digest of the secret in the refresh token that the client sent. */
  readonly secret: string;
  /** Digest of that in the current one, if the client sent one that it kept. */
  readonly replaced?: string;
  /** Time in ms since 1970. */
  readonly at: number;
}

/** A change of the refresh token whose answer may not have reached the client. If it has not, the client may repeat its request. */
export interface TokenChange {
  /** `lost`: the answer cannot have arrived. */
  readonly state: 'unanswered' | 'lost';
  readonly attempt: Attempt;
  /** Digest of the secret, or of the code, that the client sent. */
  readonly from: string;
}

/** What remains of a revoked sign-in. */
export interface Ended {
  readonly id: string;
  readonly endedAt: number;
  readonly reason: string;
}

/** How long the vault keeps a record that ends then. */
export function secondsLeft({ expiresAt }: { readonly expiresAt: number }): number {
  return Math.ceil((expiresAt - Date.now()) / 1_000);
}

/** A text of 22 characters that keys of a person's records begin with, so that they can be listed. */
export function markOf(person: Caller): string {
  return digest(callerKey(person)).slice(0, 22);
}
