import type { Caller, JsonObject } from 'pegboard';
import type { ServerConfig } from '../config.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

/** The claims that each scope releases. Source: RFC 7662; https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims */
const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  profile: ['name'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
};

/** `GET` and `POST /oauth/userinfo`: what the identity provider said about the person of the access token. */
export function userinfo(config: () => ServerConfig): readonly OAuthEndpoint[] {
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: '/oauth/userinfo',
    access: 'caller',
    handle: ({ request: { caller } }) => ({
      status: 200,
      body: caller === undefined ? {} : released(caller, config().idp.scopes),
    }),
  }));
}

/** @param known scopes that clients can learn of: without `groups` among them, groups come with the profile */
function released({ subject: sub, claims = {} }: Caller, known: readonly string[]): JsonObject {
  const scopes = typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : Object.keys(CLAIMS);
  const asked = scopes.includes('profile') && !known.includes('groups') ? [...scopes, 'groups'] : scopes;
  const names = asked.flatMap((scope) => CLAIMS[scope] ?? []);
  return {
    sub,
    ...Object.fromEntries(names.filter((name) => name in claims).map((name) => [name, claims[name]])),
  };
}
