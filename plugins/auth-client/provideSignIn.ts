import type { SecureContext } from 'node:tls';
import type { Scope } from 'pegboard';
import type { AuthClientConfig } from './config.ts';
import { GrantNews } from './grants/grantNews.ts';
import { Grants } from './grants/grants.ts';

type Trust = () => SecureContext | undefined;
/** What routes and tools of sign-ins share. */
export interface SignInParts {
  readonly scope: Scope<AuthClientConfig>;
  readonly grants: Grants;
  readonly trust: Trust;
}

/** Wires the sign-in of callers at MCP servers: grants, then routes, then tools. In apply() only. */
export function provideSignIn(scope: Scope<AuthClientConfig>, trust: Trust): SignInParts {
  const { log } = scope;
  const news = new GrantNews({ log, emit: scope.emit.bind(scope) });
  const grants = new Grants(scope, news);
  const parts: SignInParts = { scope, grants, trust };

  // Routes: the start of a sign-in, its callback, the client metadata document.

  // Tools: core_auth_login and core_auth_logout.

  const { enabled } = scope.config.aggregator.oauth.mcpClient;
  const { extraCaFile } = scope.config.aggregator;
  scope.onReload((next) => {
    if (next.aggregator.oauth.mcpClient.enabled !== enabled) return false;
    return next.aggregator.extraCaFile === extraCaFile ? undefined : false;
  });
  return parts;
}
