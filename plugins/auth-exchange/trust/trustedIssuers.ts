import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { JWTPayload } from 'jose';
import { messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import { compileGlob } from '../../kit/text/glob.ts';
import type { Glob } from '../../kit/text/glob.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import type { VerifiedPerson } from '../../contracts/oauth.ts';
import type { TrustedIssuer } from '../config.ts';
import { KeysUnavailable } from './keySet.ts';
import type { KeySet } from './keySet.ts';

const MAX_TOKEN_CHARS = 32_768;
const MAX_SUBJECT_CHARS = 256;
const CLOCK_TOLERANCE_S = 5;
const MAX_EARLY_S = 60;
const ID_JAG = 'oauth-id-jag+jwt';

/** What a token is presented as; it decides which `typ` and which audience it must have. */
export type TokenUse = 'id_token' | 'access_token' | 'jwt' | 'bearer' | 'assertion';

/** A verified token of a trusted issuer; the scope is cut down to its allowedScopes. */
export interface TrustedToken extends VerifiedPerson {
  /** Time in ms since 1970. */
  readonly expiresAt: number;
}
export interface TrustedIssuersParts {
  readonly issuers: readonly TrustedIssuer[];
  readonly keysOf: (issuer: TrustedIssuer) => KeySet;
  /** This gateway's own issuer, the only audience that an assertion may have. */
  readonly ownIssuer: () => string;
  readonly isOwn: (resource: string) => boolean;
  readonly log: Log;
}
interface Entry {
  readonly config: TrustedIssuer;
  /** Entries with the same keys share it, so that these are read once. */
  readonly keys: KeySet;
  readonly claims: readonly (readonly [string, Glob])[];
  /** Values of `typ`. */
  readonly accepted: readonly string[];
}

/** Verifies tokens of the issuers in `trustedIssuers`. Source: RFC 8725 */
export class TrustedIssuers {
  readonly #parts: TrustedIssuersParts;
  readonly #entries: readonly Entry[];

  constructor(parts: TrustedIssuersParts) {
    this.#parts = parts;
    const keySets = new Map<string, KeySet>();
    this.#entries = parts.issuers.map((config) => {
      const { issuer, jwksUrl, allowPrivateIPJWKS, allowedClaims, acceptedTypHeaders } = config;
      const id = JSON.stringify([issuer, jwksUrl, allowPrivateIPJWKS]);
      const keys = keySets.get(id) ?? parts.keysOf(config);
      keySets.set(id, keys);
      return {
        config,
        keys,
        claims: Object.entries(allowedClaims).map(([name, pattern]) => [name, claimGlob(pattern)]),
        accepted: acceptedTypHeaders.map(plainType),
      };
    });
  }

  /** Whether it says that it is of one of them. */
  names(token: string): boolean {
    const issuer = issuerIn(token);
    return this.#entries.some(({ config }) => config.issuer === issuer);
  }

  /** Accepts a token if one of the entries with its issuer does.
   *  @throws OAuthError invalid_grant; temporarily_unavailable (503) if keys cannot be read */
  async verify(token: string, use: TokenUse): Promise<TrustedToken> {
    const issuer = issuerIn(token);
    const entries = this.#entries.filter(({ config }) => config.issuer === issuer);
    const payloads = new Map<KeySet, Promise<JWTPayload>>();
    let reason = 'issuer';
    let isUnavailable = false;
    for (const entry of entries) {
      try {
        if (use === 'assertion' && !entry.config.allowIdentityAssertions)
          throw new Untrusted('assertions-not-allowed');
        const verified = payloads.get(entry.keys) ?? this.#payloadOf(token, entry);
        payloads.set(entry.keys, verified);
        return this.#accepted(entry, { token, use, payload: await verified });
      } catch (error) {
        if (error instanceof Untrusted) ({ reason } = error);
        else if (error instanceof KeysUnavailable) isUnavailable = true;
        else throw error;
      }
    }
    if (isUnavailable)
      throw OAuthError.unavailable('the keys of the issuer cannot be read', 'issuer-keys-unavailable');
    // One text, so that nothing can be learnt about the configuration.
    const what = use === 'assertion' ? 'assertion' : 'subject token';
    throw new OAuthError('invalid_grant', `${what} invalid or rejected`, { reason: `subject-${reason}` });
  }

  /** @throws Untrusted, KeysUnavailable */
  async #payloadOf(token: string, { config: { issuer }, keys }: Entry): Promise<JWTPayload> {
    try {
      const { payload } = await keys.verify(token, {
        issuer,
        algorithms: [...SIGNATURE_ALGORITHMS],
        clockTolerance: CLOCK_TOLERANCE_S,
        // The clock of the other checks.
        currentDate: new Date(Date.now()),
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      this.#parts.log.debug('a token was not verified', { issuer, reason: messageOf(error) });
      throw new Untrusted('not-verified');
    }
  }

  /** @throws Untrusted */
  #accepted({ config, claims, accepted }: Entry, { token, use, payload }: Verified): TrustedToken {
    const { issuer } = config;
    const { iat = 0, exp = 0 } = payload;
    if (iat * 1_000 > Date.now() + MAX_EARLY_S * 1_000) throw new Untrusted('from-the-future');
    const type = typeOf(token);
    if (type === undefined || !typesFor(use, accepted).includes(type)) throw new Untrusted('typ');
    if (!this.#hasAudience(payload, use, config)) throw new Untrusted('audience');
    if (payload['cnf'] !== undefined) throw new Untrusted('bound-to-a-key');
    if (!claims.every(([name, matches]) => isMatch(payload[name], matches))) throw new Untrusted('claims');
    const subject = subjectOf(payload, config.subjectClaim);
    const reliesOnEmail = config.subjectClaim === 'email' || claims.some(([name]) => name === 'email');
    if (reliesOnEmail && isUnverifiedEmail(payload)) throw new Untrusted('email-not-verified');
    const scope = scopeOf(payload, config.allowedScopes);
    const clientId = payload['client_id'] ?? payload['azp'];
    return {
      issuer,
      subject,
      claims: payload,
      expiresAt: exp * 1_000,
      ...(scope !== undefined && { scope }),
      ...(typeof clientId === 'string' && { clientId }),
    };
  }

  #hasAudience({ aud }: JWTPayload, use: TokenUse, { allowedAudiences }: TrustedIssuer): boolean {
    const audiences: readonly unknown[] = [aud].flat();
    const texts = audiences.filter((one) => typeof one === 'string');
    const { isOwn, ownIssuer } = this.#parts;
    // Clients and providers differ about the slash after a host.
    if (use === 'assertion') return audiences.length === 1 && texts[0]?.replace(/\/$/, '') === ownIssuer();
    if (allowedAudiences.length > 0) return texts.some((one) => allowedAudiences.includes(one));
    return use !== 'bearer' || texts.some(isOwn);
  }
}

/** A token, and what it says according to its signature. */
interface Verified {
  readonly token: string;
  readonly use: TokenUse;
  readonly payload: JWTPayload;
}

/** Why a token is not accepted. */
class Untrusted extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Undefined for what is not a JWT. */
function issuerIn(token: string): string | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Empty if it is absent; undefined if it is not a text. */
function typeOf(token: string): string | undefined {
  const { typ = '' }: { readonly typ?: unknown } = decodeProtectedHeader(token);
  return typeof typ === 'string' ? plainType(typ) : undefined;
}

/** The type in lower case, without `application/`. Source: RFC 7515 §4.1.9 */
function plainType(typ: string): string {
  return typ.toLowerCase().replace(/^application\/(?=.)/, '');
}

function typesFor(use: TokenUse, accepted: readonly string[]): readonly string[] {
  const plain = ['', 'jwt'];
  if (use === 'assertion') return [ID_JAG];
  if (use === 'id_token') return plain;
  return use === 'jwt' ? [...plain, ...accepted] : accepted;
}

/** `*` and `?` only: all other characters are literal. */
function claimGlob(pattern: string): Glob {
  return compileGlob(pattern.replaceAll(/[\\[]/g, '\\$&'));
}

function isMatch(value: unknown, matches: Glob): boolean {
  return typeof value === 'string' && matches(value);
}

/** @throws Untrusted */
function subjectOf(payload: JsonObject, claim: string): string {
  const subject = payload[claim];
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT_CHARS)
    throw new Untrusted('subject-claim');
  return subject;
}

/** Anyone can claim an address that is not verified. Some providers write the claim as a text, others leave it out. */
function isUnverifiedEmail({ email_verified: isVerified }: JsonObject): boolean {
  return isVerified !== undefined && isVerified !== true && isVerified !== 'true';
}

function scopeOf(payload: JsonObject, allowed: readonly string[] | null): string | undefined {
  const given = payload['scope'] ?? payload['scp'];
  const list: readonly unknown[] =
    typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  const scopes = list.filter((one): one is string => typeof one === 'string' && one !== '');
  if (given === undefined && allowed === null) return undefined;
  return scopes.filter((one) => allowed === null || allowed.includes(one)).join(' ');
}
