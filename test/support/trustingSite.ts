import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startGuardedSite } from './guardedSite.ts';
import type { GuardedSite } from './guardedSite.ts';
import type { ServerIssuer } from './serverIssuer.ts';

export interface TrustingSite extends GuardedSite {
  /** Each token that it was sent, once, valid or not. */
  readonly tokens: () => readonly string[];
}

/** The issuer whose tokens a site accepts. */
export interface Trusted {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** That tokens must be for. Default: any. */
  readonly audience?: string;
}

export function trustedOf({ url }: { readonly url: string }): Trusted {
  return { issuer: url, jwksUrl: `${url}/jwks` };
}

/** A guarded site that accepts the id_tokens of a provider, by issuer and published keys: it has no sign-in of its own.
 *  @param trusted asked with each token */
export async function startTrustingSite(trusted: () => Trusted): Promise<TrustingSite> {
  const tokens = new Set<string>();
  const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  const keysAt = (url: string): ReturnType<typeof createRemoteJWKSet> => {
    const found = keys.get(url) ?? createRemoteJWKSet(new URL(url));
    keys.set(url, found);
    return found;
  };
  const trusting: Pick<ServerIssuer, 'issuer' | 'protect' | 'check'> = {
    get issuer() {
      return trusted().issuer;
    },
    protect: () => undefined,
    check: async (token) => {
      tokens.add(token);
      const { jwksUrl, ...checks } = trusted();
      const currentDate = new Date(Date.now());
      const verified = await jwtVerify(token, keysAt(jwksUrl), { ...checks, currentDate }).catch(
        () => undefined,
      );
      if (verified === undefined) return undefined;
      const { sub: account = '', aud } = verified.payload;
      return { account, scopes: ['mcp'], clientId: String(aud), grant: account };
    },
  };
  const site = await startGuardedSite({ issuer: trusting as ServerIssuer });
  return Object.assign(site, { tokens: () => [...tokens] });
}
