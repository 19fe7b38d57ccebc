import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';

/** The forms of what the fake of Dex says and takes; fakeDex.ts names their sources. */
export const AUDIENCE = 'audience:server:client_id:';
const SCOPES = ['openid', 'offline_access', 'email', 'profile', 'groups', 'federated:id'];

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SigningKey {
  readonly published: JsonWebKey & { readonly kid: string };
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let pair: Pick<SigningKey, 'publicKey' | 'privateKey'> | undefined;

/** A new id for the same key in all of this process: creating one takes a quarter of a second. */
export function newKey(): SigningKey {
  pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(20).toString('hex');
  return {
    published: { use: 'sig', kid, alg: 'RS256', ...pair.publicKey.export({ format: 'jwk' }) },
    ...pair,
  };
}

export function scopeFault(
  scopes: readonly string[],
  isTrusted: (peer: string) => boolean,
): string | undefined {
  const listed = (list: readonly string[]): string => `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;
  if (!scopes.includes('openid')) return 'Missing required scope(s) ["openid"].';
  const others = scopes.filter((scope) => !SCOPES.includes(scope));
  const unknown = others.filter((scope) => !scope.startsWith(AUDIENCE));
  if (unknown.length > 0) return `Unrecognized scope(s) ${listed(unknown)}`;
  const untrusted = others.filter((scope) => !isTrusted(scope.slice(AUDIENCE.length)));
  return untrusted.length > 0 ? `Client can't request scope(s) ${listed(untrusted)}` : undefined;
}

export function discoveryOf(issuer: string, hasSessions: boolean): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    device_authorization_endpoint: `${issuer}/device/code`,
    introspection_endpoint: `${issuer}/token/introspect`,
    ...(hasSessions && {
      end_session_endpoint: `${issuer}/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }),
    grant_types_supported: [
      ...['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256', 'plain'],
    scopes_supported: ['openid', 'email', 'groups', 'profile', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'iat', 'exp', 'email', 'email_verified', 'locale', 'name'],
      ...['preferred_username', 'at_hash', 'groups', 'federated_claims', ...(hasSessions ? ['sid'] : [])],
    ],
  };
}

export function refusal(status: number, error: string, description?: string): Answer {
  return { status, body: JSON.stringify({ error, error_description: description }) };
}

/** Two short texts as the fields 1 and 2 of a protobuf message. */
export function message(...fields: readonly [string, string]): string {
  const bytes = fields.flatMap((field, at) => [(at + 1) * 8 + 2, field.length, ...Buffer.from(field)]);
  return Buffer.from(bytes).toString('base64url');
}
export function fieldsOf(sent: string): readonly string[] {
  const bytes = Buffer.from(sent, 'base64url');
  const length = bytes[1] ?? 0;
  return [bytes.toString('utf8', 2, 2 + length), bytes.toString('utf8', 4 + length)];
}

/** 25 characters, as those of Dex. */
export function newId(): string {
  return `i${randomBytes(12).toString('hex')}`;
}
export function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
export function halfHashOf(value: string): string {
  return createHash('sha256').update(value).digest().subarray(0, 16).toString('base64url');
}
