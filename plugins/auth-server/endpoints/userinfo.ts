import type { Caller, JsonObject } from 'pegboard';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

/** The claims that each scope releases. Source: RFC 7662; https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims */
const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  profile: ['name'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
};

/** `GET` and `POST /oauth/userinfo`: what the identity provider said about the person of the access token. */
export function userinfo(): readonly OAuthEndpoint[] {
  return (['GET', 'POST'] as const).map((method) => ({
    method,
    path: '/oauth/userinfo',
    access: 'caller',
    handle: ({ request: { caller } }) => ({
      status: 200,
      body: caller === undefined ? {} : released(caller),
    }),
  }));
}

function released({ subject: sub, claims = {} }: Caller): JsonObject {
  const scopes = typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : Object.keys(CLAIMS);
  const names = scopes.flatMap((scope) => CLAIMS[scope] ?? []);
  return {
    sub,
    ...Object.fromEntries(names.filter((name) => name in claims).map((name) => [name, claims[name]])),
  };
}
