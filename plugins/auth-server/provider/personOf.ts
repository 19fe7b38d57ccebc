import * as client from 'openid-client';
import { isObject } from 'pegboard';
import type { Person } from '../state/signIn.ts';

export const MAX_GROUPS = 100;
const MAX_CHARS = 256;

export type Claims = Readonly<Record<string, unknown>>;
/** A verified answer of the provider's token endpoint. */
export type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

/** What the verified id token of an answer says about a person, and the userinfo endpoint where the token has no groups or no address.
 *  @param subject the person @param groupsClaim as in toPerson()
 *  @returns undefined if neither says anything
 *  @throws client.ClientError if the userinfo endpoint answers for another person (OIDC Core §5.3.2) */
export async function claimsOf(
  configuration: client.Configuration,
  tokens: Tokens,
  subject: string,
  groupsClaim: string,
): Promise<Claims | undefined> {
  const claims: Claims | undefined = tokens.claims();
  const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
  const isComplete = claims?.['email'] !== undefined && claimAt(claims, groupsClaim) !== undefined;
  if (isComplete || userinfo === undefined) return claims;
  const more: Claims = await client.fetchUserInfo(configuration, tokens.access_token, subject);
  return { ...more, ...claims };
}

/** The claim of that name, else the one below others by a path: `realm_access.roles`. A name may have dots: `https://example.com/roles`. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      claims,
    );
}

/** Bounded: a provider's claims are kept for every sign-in. @param groupsClaim name or path of the claim with the groups, a list or a text */
export function toPerson(claims: Claims, issuer: string, groupsClaim = 'groups'): Person {
  const email = text(claims['email']);
  const name = text(claims['name']);
  const isVerified = claims['email_verified'];
  const groups: readonly unknown[] = [claimAt(claims, groupsClaim)].flat();
  return {
    subject: String(claims['sub']),
    issuer,
    ...(email !== undefined && { email }),
    ...(typeof isVerified === 'boolean' && { emailVerified: isVerified }),
    ...(name !== undefined && { name }),
    groups: groups.flatMap((group) => text(group) ?? []).slice(0, MAX_GROUPS),
  };
}

/** A person as described again: name and address stay where they are left out, groups that are left out end. */
export function personAfter({ email, emailVerified, name }: Person, now: Person): Person {
  return {
    ...(email !== undefined && now.email === undefined && { email }),
    ...(emailVerified !== undefined && now.email === undefined && { emailVerified }),
    ...(name !== undefined && { name }),
    ...now,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARS ? value : undefined;
}
