import { isGatewayError } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { GrantRelease } from '../../contracts/credentials.ts';
import type { ReleasedGrant } from '../../contracts/credentials.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { AuthorizationServer } from '../../contracts/oauth.ts';
import type { TrustedToken } from '../trust/trustedIssuers.ts';
import type { GrantTarget } from './targets.ts';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** Assumed life of a grant whose end is not known, in seconds. */
const UNKNOWN_LIFE_S = 60;
const NOT_NOW = ['UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT'];

/** Answers for targets of the grant form: the person's own grant. Source: requirement broker.grantRelease */
export class GrantReleases {
  readonly #source: () => GrantRelease | undefined;
  readonly #server: () => Pick<AuthorizationServer, 'providerIssuer'>;

  /** @param source undefined if no plugin provides it */
  constructor(
    source: () => GrantRelease | undefined,
    server: () => Pick<AuthorizationServer, 'providerIssuer'>,
  ) {
    this.#source = source;
    this.#server = server;
  }

  /** The response of the token endpoint. @param facts of the subject token
   *  @throws OAuthError invalid_target without a grant, temporarily_unavailable @throws GatewayError STORE_UNREACHABLE */
  async answer({ grantIssuer }: GrantTarget, facts: TrustedToken): Promise<JsonObject> {
    const released = await this.#released(grantIssuer, facts);
    const expiresIn = Math.floor(released?.expiresIn ?? UNKNOWN_LIFE_S);
    if (released === undefined || expiresIn < 1) throw withoutGrant('no-grant');
    const { accessToken, scope } = released;
    return {
      access_token: accessToken,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: expiresIn,
      ...(scope !== undefined && { scope }),
    };
  }

  async #released(grantIssuer: string, { issuer, claims }: TrustedToken): Promise<ReleasedGrant | undefined> {
    const provider = this.#server().providerIssuer();
    if (provider === undefined)
      throw OAuthError.unavailable('the identity provider is not known yet', 'provider-discovery');
    // An equal name at another issuer is another person; and grants are kept by `sub`, whatever subjectClaim names.
    const { sub: subject } = claims;
    if (issuer !== provider || typeof subject !== 'string') throw withoutGrant('subject-of-other-issuer');
    try {
      return await this.#source()?.release({ issuer, subject }, grantIssuer);
    } catch (error) {
      if (!isGatewayError(error) || !NOT_NOW.includes(error.code)) throw error;
      throw OAuthError.unavailable('the grant cannot be refreshed now', 'grant-refresh');
    }
  }
}

/** One text, so that other issuers' tokens tell nothing about who has a grant. */
function withoutGrant(reason: string): OAuthError {
  return new OAuthError('invalid_target', 'the person has no grant for the requested audience', { reason });
}
