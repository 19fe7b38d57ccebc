/** What the vault keeps below `server-grant:<owner>:<server>`. All times are in ms since 1970 by the clock of the process that
 *  wrote them. */
export interface GrantRecord {
  readonly owner: string;
  readonly server: string;
  /** `callerKey` of the person who may see its events; absent for the local user. */
  readonly person?: string;
  /** The claim `sid` of the sign-in session that it belongs to; absent for those of persons, and in records of older versions. */
  readonly session?: string;
  /** The last link that was given out. */
  readonly asked?: AskedSignIn;
  /** Absent before the first sign-in. */
  readonly grant?: KeptGrant;
  /** The request for new tokens that is running, or whose process has ended. */
  readonly turn?: RefreshTurn | undefined;
  /** The last requests for new tokens have failed, and may succeed later. */
  readonly trouble?: Trouble | undefined;
  /** It is not used until a person signs in again. */
  readonly lost?: Lost;
  /** Scopes that calls have lacked since the sign-in. */
  readonly missingScopes?: readonly string[];
}

/** What an authorization server has granted one owner at one server. Never shown. */
export interface KeptGrant {
  /** URL of the server, as its definition had it. */
  readonly url: string;
  readonly issuer: string;
  /** The operator has pinned the issuer, so that its addresses may be private if it is. */
  readonly isPinned?: true | undefined;
  /** As in the `auth` of the server. */
  readonly isFar?: true | undefined;
  /** Named in each token request; absent: none was. Source: RFC 8707 */
  readonly resource?: string;
  /** Separated by spaces; absent: unknown. */
  readonly scope?: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly client: GrantClient;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly grantedAt: number;
  /** When the access token was asked for, in ms since 1970; the next two are also about that token. */
  readonly issuedAt: number;
  /** Absent: the authorization server has not said. */
  readonly expiresAt?: number | undefined;
  /** When to ask for the next one; absent: not before it is refused, or never. */
  readonly refreshAt?: number | undefined;
  /** `expires_in` was given, and not a number above 0. */
  readonly hasNoLifetime?: true | undefined;
  /** The server had refused the token before it. */
  readonly isAfterRefusal?: true | undefined;
}
export interface GrantClient {
  readonly id: string;
  readonly secret?: string;
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** Whether the client was registered by RFC 7591, so that this can be done again. */
  readonly isRegistered: boolean;
}
export interface AskedSignIn {
  readonly at: number;
  /** The link is of no use after it. */
  readonly until: number;
}
export interface RefreshTurn {
  /** Id of the process that has the turn: `own` of `Peers`, or a random one where no plugin provides them. */
  readonly process: string;
  readonly id: string;
  readonly since: number;
}
export interface Trouble {
  readonly since: number;
  /** Number of attempts that have failed. */
  readonly count: number;
  readonly retryAt: number;
  /** The reason in words for people. */
  readonly reason: string;
  /** The authorization server may have accepted the refresh token: its answer was lost. */
  readonly mayBeSpent: boolean;
}
export interface Lost {
  readonly at: number;
  readonly loss: Loss;
}
/** `revoked`: invalid_grant. `answer-lost`: invalid_grant after an answer that has not arrived. `client-unknown`: the authorization
 *  server does not know the client, or its secret. `refused`: the server refuses a fresh token. `no-lifetime`: so too, and
 *  `expires_in` of the token was not a number above 0. `expired`: there is no refresh token. `moved`: the definition has another url or issuer. `not-refreshable`: the authorization server refuses the request
 *  itself. `token-type`: it issues tokens that are not Bearer. */
export type Loss =
  | 'revoked'
  | 'answer-lost'
  | 'client-unknown'
  | 'refused'
  | 'no-lifetime'
  | 'expired'
  | 'moved'
  | 'not-refreshable'
  | 'token-type';
