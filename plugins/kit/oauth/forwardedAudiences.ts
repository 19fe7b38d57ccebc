import type { AuthRules } from '../../contracts/credentials.ts';

/** The audiences that the tokens of people shall have, because servers want them. */
export function forwardedAudiences(servers: readonly { readonly auth: AuthRules }[]): readonly string[] {
  const forwarding = servers.filter(({ auth }) => auth.forwardToken && auth.tokenExchange === undefined);
  return [...new Set(forwarding.flatMap(({ auth }) => auth.requiredAudiences))].sort();
}
