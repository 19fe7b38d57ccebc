import * as client from 'openid-client';
import type { Person } from '../state/signIn.ts';

const MAX_GROUPS = 100;
const MAX_CHARS = 256;

type Claims = Readonly<Record<string, unknown>>;

/** The person of a verified id token; the userinfo endpoint only adds what it does not say.
 *  @throws client.ClientError if the userinfo endpoint answers for another person (OIDC Core §5.3.2) */
export async function personOf(
  configuration: client.Configuration,
  tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
): Promise<Person> {
  const claims: Claims & { readonly sub?: string } = tokens.claims() ?? {};
  const { issuer, userinfo_endpoint: userinfo } = configuration.serverMetadata();
  const isComplete = claims['email'] !== undefined && claims['groups'] !== undefined;
  const more: Claims =
    isComplete || userinfo === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub ?? '');
  return toPerson({ ...more, ...claims }, issuer);
}

/** Bounded: a provider's claims are kept for every sign-in. */
export function toPerson(claims: Claims, issuer: string): Person {
  const email = text(claims['email']);
  const name = text(claims['name']);
  const isVerified = claims['email_verified'];
  const groups = Array.isArray(claims['groups']) ? (claims['groups'] as readonly unknown[]) : [];
  return {
    subject: String(claims['sub']),
    issuer,
    ...(email !== undefined && { email }),
    ...(typeof isVerified === 'boolean' && { emailVerified: isVerified }),
    ...(name !== undefined && { name }),
    groups: groups.flatMap((group) => text(group) ?? []).slice(0, MAX_GROUPS),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARS ? value : undefined;
}
