import { CHANGING, coreTool, textResult } from 'pegboard';
import type { CallResult, InboundRequest, Tool } from 'pegboard';
import { isSingleSignOn } from '../../kit/oauth/authRules.ts';
import { NO_SERVER, NO_SESSION, SERVER_ARGUMENTS, serverIn } from './serverArgument.ts';
import type { SignInToolParts } from './signInToolParts.ts';

/** Discards what a caller has at a server; works for suspended servers too. Source: requirement signIn.logout */
export function logoutTool(parts: SignInToolParts): Tool {
  return coreTool({
    name: 'core_auth_logout',
    authority: 'use',
    description: 'Sign out from an MCP server: discards your stored grant for it',
    schema: SERVER_ARGUMENTS,
    hints: { ...CHANGING, destructiveHint: false },
    read: (args) => args,
    run: (args, { request }) => {
      const name = serverIn(args);
      if (name === undefined) return textResult(NO_SERVER, true);
      if (request.caller === undefined && parts.needsCaller()) return textResult(NO_SESSION, true);
      return logout(parts, name, request);
    },
  });
}

async function logout(parts: SignInToolParts, name: string, request: InboundRequest): Promise<CallResult> {
  const server = parts.servers()?.get(name);
  if (server === undefined) return textResult(`Server '${name}' not found.`, true);
  if (isSingleSignOn(server.auth))
    return textResult(
      `Server '${name}' uses SSO and is managed automatically.\n\nManual logout via core_auth_logout is not supported for SSO servers.\nTo disconnect, re-authenticate to Pegboard or contact your administrator.`,
      true,
    );
  await parts.signIn?.discard(server, request);
  return textResult(
    `Successfully logged out from '${name}'.\n\nThe server's tools are now hidden. Use core_auth_login with server='${name}' to re-authenticate.`,
  );
}
