import { ConfigControl } from 'pegboard';
import type { Scope, Settings } from 'pegboard';
import { HttpListener } from '../../contracts/http.ts';
import { AuthorizationServer } from '../../contracts/oauth.ts';
import { signInSettings } from '../../kit/http/signInSettings.ts';

/** Where clients reach the gateway, and what they need there. */
export interface ClientAddress {
  /** Undefined while clients reach it over stdio or SSE only, or not at all. */
  readonly url?: string;
  /** Whether people sign in with their clients. */
  readonly asksSignIn: boolean;
  /** Whether clients send the token of `aggregator.localToken`, which is shown nowhere. */
  readonly asksLocalToken: boolean;
  /** Whether the host of the URL is a guess: the gateway listens at every address of its machine. */
  readonly isGuess: boolean;
}

const WILDCARDS = ['0.0.0.0', '[::]'];

export function clientAddress(scope: Scope<unknown>): ClientAddress {
  const settings = scope.get(ConfigControl).settings();
  const { aggregator } = settings;
  const server = scope.find(AuthorizationServer);
  const listener = scope.find(HttpListener)?.url();
  const given = server?.issuer() ?? publicUrl(settings);
  const base = given ?? listener;
  const { hostname = '' } = base === undefined ? {} : new URL(base);
  const isGuess = WILDCARDS.includes(hostname);
  const isServed = listener !== undefined && aggregator.transport === 'streamable-http';
  return {
    ...(isServed && { url: `${(isGuess ? base?.replace(hostname, 'localhost') : base) ?? ''}/mcp` }),
    asksSignIn: server !== undefined,
    asksLocalToken: aggregator['localToken'] === true,
    isGuess,
  };
}

/** The address for browsers, which clients reach, too. */
function publicUrl(settings: Settings): string | undefined {
  const { enabled, publicUrl: url } = signInSettings(settings).mcpClient ?? {};
  return enabled === true && typeof url === 'string' && url !== '' ? url : undefined;
}
