import type { JsonObject, Log } from 'pegboard';
import { loggedSubject } from '../../kit/oauth/loggedSubject.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Grant, GrantAnswer, GrantRequest, TokenForm } from '../../contracts/oauth.ts';
import { TOKEN_EXCHANGE } from '../../kit/oauth/grantTypes.ts';
import { requestedTypeOf } from '../../kit/oauth/exchangeTarget.ts';
import type { ExchangeTarget } from '../../kit/oauth/exchangeTarget.ts';
import type { DownstreamToken } from '../../kit/oauth/downstream.ts';
import type { TokenUse, TrustedIssuers } from '../trust/trustedIssuers.ts';
import type { DownstreamTokens } from './downstreamTokens.ts';
import type { GrantReleases } from './grantReleases.ts';
import type { UsableTarget, Targets } from './targets.ts';

const PREFIX = 'urn:ietf:params:oauth:token-type:';
const SUBJECT_TYPES: readonly TokenUse[] = ['id_token', 'access_token', 'jwt'];
/** A grant's access token may be anything. */
const GRANTED_TYPES = ['access_token'];

export interface ExchangeGrantParts {
  readonly issuers: TrustedIssuers;
  readonly targets: Targets;
  readonly tokens: DownstreamTokens;
  readonly releases: GrantReleases;
  readonly log: Log;
}

/** `grant_type=urn:ietf:params:oauth:grant-type:token-exchange`: a confidential client gets the token of a downstream provider, or
 *  a person's own grant, for a person whose token it holds. Source: RFC 8693, requirement broker.client */
export class ExchangeGrant implements Grant {
  readonly type = TOKEN_EXCHANGE;
  readonly #parts: ExchangeGrantParts;

  constructor(parts: ExchangeGrantParts) {
    this.#parts = parts;
  }

  async redeem({ form, client, hasProof }: GrantRequest): Promise<GrantAnswer> {
    if (client.secretHash === undefined)
      throw new OAuthError('unauthorized_client', 'only clients with a secret may exchange tokens', {
        reason: 'client-has-no-secret',
      });
    if (hasProof) throw invalid('DPoP is not supported for brokered exchange', 'dpop-in-exchange');
    const token = form.need('subject_token');
    const type = form.need('subject_token_type');
    refuseOthers(form);
    // Before the subject token is looked at: it would cost a signature, or a request to its issuer.
    const target = this.#target(form, client.id);
    const isGrant = 'grantIssuer' in target;
    refuseOtherTypes(form, 'grantIssuer' in target ? GRANTED_TYPES : issuedTypes(target));
    const taken = 'grantIssuer' in target ? undefined : target.subjectTokenType;
    const types = taken === undefined ? SUBJECT_TYPES : [taken];
    const use = types.find((one) => PREFIX + one === type);
    if (use === undefined)
      throw invalid(`subject_token_type must be ${typesText(types)}`, 'subject-token-type');
    const facts = await this.#parts.issuers.verify(token, use);
    const { tokens, releases, log } = this.#parts;
    const body =
      'grantIssuer' in target
        ? await releases.answer(target, facts)
        : bodyOf(await tokens.get(target, { token, type, facts }));
    log.info(isGrant ? 'grant released' : 'token exchanged', {
      client: client.id,
      target: target.name,
      issuer: facts.issuer,
      subject: loggedSubject(facts.subject),
    });
    return { body };
  }

  /** @throws OAuthError invalid_target, with one text, so that names of targets cannot be learnt */
  #target(form: TokenForm, clientId: string): UsableTarget {
    const names = new Set([form.get('audience') ?? [], form.all('resource')].flat());
    if (names.size > 1)
      throw invalid('name one target: one audience, or the same resource', 'several-targets');
    const [name] = names;
    if (name === undefined)
      throw new OAuthError(
        'invalid_grant',
        'audience is required: this server exchanges no token for one of its own',
        {
          reason: 'exchange-without-audience',
        },
      );
    const target = this.#parts.targets.find(clientId, name);
    if (target !== undefined) return target;
    throw new OAuthError('invalid_target', 'the requested audience cannot be served', {
      reason: 'target-not-allowed',
    });
  }
}

/** @throws OAuthError invalid_request for parameters that would be ignored otherwise; `scope` is, by requirement broker.scope */
function refuseOthers(form: TokenForm): void {
  for (const name of ['actor_token', 'actor_token_type'])
    if (form.get(name) !== undefined) throw invalid(`${name} is not supported`, 'actor-token');
}

/** @throws OAuthError invalid_request for a type that the target does not give */
function refuseOtherTypes(form: TokenForm, issued: readonly string[]): void {
  const requested = form.get('requested_token_type');
  if (requested !== undefined && !issued.some((type) => PREFIX + type === requested))
    throw invalid(`requested_token_type must be ${typesText(issued)}`, 'requested-token-type');
}

/** What clients may ask a target for: an id token is a JWT. */
function issuedTypes(target: ExchangeTarget): readonly string[] {
  const type = requestedTypeOf(target);
  return type === 'id_token' ? [type, 'jwt'] : [type];
}

/** Source: RFC 8693 §2.2.1 */
function bodyOf({ token, type, scope, expiresAt }: DownstreamToken): JsonObject {
  return {
    access_token: token,
    issued_token_type: type,
    token_type: 'Bearer',
    expires_in: Math.max(1, Math.floor((expiresAt - Date.now()) / 1_000)),
    scope,
  };
}

function typesText(types: readonly string[]): string {
  return types.map((type) => PREFIX + type).join(' or ');
}

function invalid(description: string, reason: string): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
