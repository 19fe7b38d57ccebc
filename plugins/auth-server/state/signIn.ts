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

/** What the identity provider issued for a person. */
export interface IssuedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** End of the access token, in ms since 1970; absent if the provider does not say. */
  readonly expiresAt?: number;
}

/** What a person has granted to a client: the family of all tokens that follow from one authorization. */
export interface SignIn {
  readonly id: string;
  readonly clientId: string;
  /** As the client called itself; absent: it did not. */
  readonly clientName?: string;
  readonly person: Person;
  readonly scope: string;
  /** Thumbprint of the key that all tokens are bound to (RFC 9449). */
  readonly jkt?: string;
  readonly provider: IssuedTokens;
  /** Session at the provider, the claim `sid` of the first id token; absent: it named none. */
  readonly providerSession?: string;
  /** When the person signed in, in ms since 1970. */
  readonly signedInAt: number;
  /** When the provider's tokens were last refreshed, in ms since 1970; absent: not yet. */
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
}

/** The refresh token before the current one. */
export interface Rotated {
  /** Digest of its secret. */
  readonly secret: string;
  /** Time in ms since 1970. */
  readonly at: number;
}

/** A change of the refresh token that is under way, or whose answer may not have reached the client. If it failed, the client may
 *  repeat its request. */
export interface TokenChange {
  /** `running`: nothing has changed yet; `unanswered`: the token has; `lost`: it has, but its answer cannot have arrived. */
  readonly state: 'running' | 'unanswered' | 'lost';
  readonly attempt: Attempt;
  /** Time in ms since 1970. */
  readonly since: number;
  /** Digest of the secret, or of the code, that the client sent. */
  readonly from: string;
}

/** What remains of a revoked sign-in. */
export interface Ended {
  readonly id: string;
  readonly endedAt: number;
  readonly reason: string;
}
