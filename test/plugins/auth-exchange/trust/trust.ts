import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { validate } from '../../../../kernel/config/validate.ts';
import { readSchema } from '../../../../kernel/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { guardedFetch } from '../../../../plugins/kit/net/index.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { NETWORK_BOUNDS } from '../../../../plugins/kit/oauth/networkBounds.ts';
import type { AuthExchangeConfig, TrustedIssuer } from '../../../../plugins/auth-exchange/config.ts';
import { KeySet } from '../../../../plugins/auth-exchange/trust/keySet.ts';
import { TrustedIssuers } from '../../../../plugins/auth-exchange/trust/trustedIssuers.ts';
import type { TokenUse, TrustedToken } from '../../../../plugins/auth-exchange/trust/trustedIssuers.ts';
import { defer } from '../../../support/cleanup.ts';
import { captureLog } from '../../../support/log.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';

/** Read once: a schema is compiled by its object. */
const SCHEMA = readSchema('config/auth-exchange');

/** The issuer and the audience that the gateway of these tests has. */
export const OWN = 'https://gateway.example.com';
export const TEXT = 'subject token invalid or rejected';

/** `trustedIssuers` as the schema completes them. @throws Error with its findings */
export function completed(entries: readonly JsonObject[]): readonly TrustedIssuer[] {
  const given = { aggregator: { oauth: { server: { trustedIssuers: entries } } } };
  const { value, findings } = validate(SCHEMA, given);
  if (findings.length > 0) throw new Error(findings.map(({ message }) => message).join());
  return (value as AuthExchangeConfig).aggregator.oauth.server.trustedIssuers;
}

/** Trust in these issuers. @param keysOf default: the published keys, over the network */
export function trusting(entries: readonly JsonObject[], keysOf?: (issuer: TrustedIssuer) => KeySet) {
  const log = captureLog();
  const end = new AbortController();
  defer(() => end.abort());
  const published = ({ jwksUrl: url, allowPrivateIPJWKS: allowPrivate }: TrustedIssuer): KeySet =>
    new KeySet({
      url,
      signal: end.signal,
      coolDownMs: 20,
      fetch: guardedFetch({ ...NETWORK_BOUNDS, allowPrivate }),
      failed: (error) => log.warn('keys not read', { reason: String(error) }),
    });
  const issuers = new TrustedIssuers({
    issuers: completed(entries),
    keysOf: keysOf ?? published,
    ownIssuer: () => OWN,
    isOwn: (resource) => resource === OWN || resource === `${OWN}/mcp`,
    log,
  });
  return {
    issuers,
    log,
    end: () => end.abort(),
    accept: (token: string, use: TokenUse = 'access_token'): Promise<TrustedToken> =>
      issuers.verify(token, use),
    /** Why a token is refused, as the log says; clients get one text for all reasons. */
    refusal: async (token: string, use: TokenUse = 'access_token'): Promise<string> => {
      const { status, error, message, reason } = await fault(issuers.verify(token, use));
      expect({ status, error, message }).deep.equal({
        status: 400,
        error: 'invalid_grant',
        message: use === 'assertion' ? 'assertion invalid or rejected' : TEXT,
      });
      expect(JSON.stringify(log.records)).not.include(token.split('.')[1] || 'a token');
      return reason.replace('subject-', '');
    },
    /** The refusal of a token that cannot be checked now. */
    unavailable: (token: string, use: TokenUse = 'access_token'): Promise<OAuthError> =>
      fault(issuers.verify(token, use)),
  };
}

async function fault(verified: Promise<TrustedToken>): Promise<OAuthError> {
  try {
    await verified;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
  throw new Error('the token was accepted');
}

export type SignAny = (claims: object, header?: object) => string;

/** Signs a token of alice with any claims and any `typ`, also such that SignJWT refuses. */
export async function signAny(issuer: TokenIssuer): Promise<SignAny> {
  const { kid } = decodeProtectedHeader(await issuer.sign());
  return (claims, header = { typ: 'at+jwt' }) => {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer.url, sub: 'alice', aud: OWN, iat: now, exp: now + 600, ...claims };
    return rawToken({ alg: 'ES256', kid, ...header }, payload, issuer.privateKey());
  };
}

/** A JWT with any header and payload, signed by a key of ES256. */
export function rawToken(header: unknown, payload: unknown, key: KeyObject): string {
  const input = [header, payload].map(encoded).join('.');
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** One part of a JWT. @param part bytes and texts as they are, else an object */
export function encoded(part: unknown): string {
  if (part instanceof Buffer) return part.toString('base64url');
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}
