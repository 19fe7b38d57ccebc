import { hash } from 'node:crypto';
import type { Log } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type {
  AuthorizationServer,
  Grant,
  GrantAnswer,
  GrantRequest,
  OAuthClient,
  TokenForm,
} from '../../contracts/oauth.ts';
import type { Vault } from '../../contracts/vault.ts';
import { JWT_BEARER } from '../../kit/oauth/grantTypes.ts';
import type { TrustedIssuers, TrustedToken } from '../trust/trustedIssuers.ts';

/** Longer lives would keep each assertion in the vault, and a stolen one good. */
const MAX_LIFE_MS = 3_600_000;
/** Clocks of processes differ, and an expired assertion is accepted for some seconds. */
const MARGIN_S = 60;

/** `grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer` with an identity assertion (ID-JAG): the company's identity provider says
 *  that a client may act here for a person, once, and no one is asked.
 *  Source: https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
export class AssertionGrant implements Grant {
  readonly type = JWT_BEARER;
  readonly metadata = {
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  };
  readonly #issuers: TrustedIssuers;
  readonly #server: () => AuthorizationServer;
  readonly #vault: () => Vault;
  readonly #log: Log;

  constructor(issuers: TrustedIssuers, server: () => AuthorizationServer, vault: () => Vault, log: Log) {
    this.#issuers = issuers;
    this.#server = server;
    this.#vault = vault;
    this.#log = log;
  }

  async redeem({ form, client, jkt }: GrantRequest): Promise<GrantAnswer> {
    if (client.secretHash === undefined)
      throw new OAuthError('unauthorized_client', 'only clients with a secret may use assertions', {
        reason: 'client-has-no-secret',
      });
    const assertion = form.need('assertion');
    if (form.all('resource').some((resource) => !this.#server().isOwn(resource)))
      throw new OAuthError('invalid_target', 'resource is not this gateway', { reason: 'resource-not-ours' });
    const person = await this.#issuers.verify(assertion, 'assertion');
    this.#check(person, client);
    const scope = scopeOf(form, person);
    const key = await jkt();
    // Last, so that an assertion is used up only if a token is issued for it.
    await this.#use(person);
    const body = await this.#server().issue({ person, client, scope, jkt: key });
    this.#log.info('identity assertion accepted', { client: client.id, issuer: person.issuer });
    return { body };
  }

  #check({ claims, expiresAt }: TrustedToken, client: OAuthClient): void {
    const server = this.#server();
    if (claims['client_id'] !== client.id) throw refused('client');
    const resources = [claims['resource']].flat();
    if (!resources.every((one) => typeof one === 'string' && server.isOwn(one))) throw refused('resource');
    const { iat } = claims;
    const issuedAt = typeof iat === 'number' ? iat * 1_000 : -Infinity;
    if (expiresAt - issuedAt > MAX_LIFE_MS) throw refused('too-long');
  }

  /** @throws OAuthError if it was used before, here or at another process */
  async #use({ issuer, claims, expiresAt }: TrustedToken): Promise<void> {
    const { jti } = claims;
    if (typeof jti !== 'string' || jti === '') throw refused('no-jti');
    const id = hash('sha256', JSON.stringify([issuer, jti]), 'base64url');
    const seconds = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000)) + MARGIN_S;
    if (!(await this.#vault().putIfAbsent(`oauth-assertion:${id}`, 1, seconds))) throw refused('reused');
  }
}

/** What the assertion allows, and of it what the client asks for. @throws OAuthError invalid_scope */
function scopeOf(form: TokenForm, { scope = '' }: TrustedToken): string {
  const asked = form.get('scope');
  if (asked === undefined) return scope;
  const allowed = scope.split(' ');
  if (asked.split(' ').every((one) => allowed.includes(one))) return asked;
  throw new OAuthError('invalid_scope', 'the assertion does not allow this scope', {
    reason: 'assertion-scope',
  });
}

function refused(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'assertion invalid or rejected', { reason: `assertion-${reason}` });
}
