import { READING, coreTool, isGatewayError, messageOf, resultOf, textResult } from 'pegboard';
import type { Call, CallResult, InboundRequest, Log, Tool } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { ENABLE_SIGN_INS } from '../../kit/oauth/signInCall.ts';
import { isSingleSignOn } from '../../kit/oauth/authRules.ts';
import type { GuardedServer, OwnOffer } from '../../contracts/credentials.ts';
import { SignInFault } from '../discovery/network.ts';
import { DiscoveryFault } from '../flows/discoveryFault.ts';
import { serverWords } from '../flows/serverRequest.ts';
import type { OwnSignIn } from './ownSignIn.ts';
import { NO_SERVER, NO_SESSION, SERVER_ARGUMENTS, serverIn } from './serverArgument.ts';
import { SignInAttempts } from './signInAttempts.ts';
import type { SignInToolParts } from './signInToolParts.ts';

const UP: readonly string[] = ['running', 'connected', 'idle'];

/** The link by which a caller signs in at a server. Source: requirement signIn.login */
export function loginTool(parts: SignInToolParts): Tool {
  const attempts = new SignInAttempts();
  return coreTool({
    name: 'core_auth_login',
    authority: 'use',
    description: 'Get a link to sign in at an MCP server that requires it; changes nothing on the platform',
    schema: SERVER_ARGUMENTS,
    hints: { ...READING, openWorldHint: true },
    read: (args) => args,
    run: async (args, call) => {
      const name = serverIn(args);
      if (name === undefined) return textResult(NO_SERVER, true);
      const { caller } = call.request;
      if (caller === undefined && parts.needsCaller()) return textResult(NO_SESSION, true);
      const person = callerKey(caller) ?? 'local';
      const retryAfter = attempts.secondsToWait(person, name);
      if (retryAfter !== undefined) return tooMany(retryAfter);
      const answer = await login(parts, name, call);
      if (!('offer' in answer)) return answer.result;
      attempts.reset(person);
      return textResult(connectedText(name, answer.offer));
    },
  });
}

type Answer = { readonly result: CallResult } | { readonly offer: OwnOffer };

/** The order of the checks is that of the interface. */
async function login(parts: SignInToolParts, name: string, call: Call): Promise<Answer> {
  const { request } = call;
  const server = parts.servers()?.get(name);
  if (server === undefined)
    return refused(`Server '${name}' not found. Use list_tools to see available servers.`);
  if (server.isSuspended)
    return refused(
      `Server '${name}' is deactivated (spec.suspended=true); activate it with core_service_start before signing in`,
    );
  if (!server.isPersonal && UP.includes(server.state))
    return told(`Server '${name}' is already authenticated and connected.`);
  if (!server.isPersonal && !server.wantsSignIns && server.state === 'auth_required')
    return refused(
      `Server '${name}' refuses the request, and callers cannot sign in there: ${parts.faultOf(name) ?? 'set headers in its definition'}. If people sign in there by OAuth, set auth: { type: oauth } and no Authorization in headers.`,
    );
  if (!server.isPersonal && !server.wantsSignIns)
    return told(`Server '${name}' does not require authentication.`);
  const isSso = isSingleSignOn(server.auth);
  if (isSso && (await parts.statuses()?.of(name, request))?.status === 'connected')
    return told(`Server '${name}' is already authenticated.`);
  const { signIn } = parts;
  if (signIn === undefined)
    return refused(
      `OAuth is not configured. Server '${name}' requires authentication but OAuth proxy is not enabled. Enable OAuth proxy in the configuration to authenticate to remote MCP servers: ${ENABLE_SIGN_INS}.`,
    );
  if (isSso)
    return refused(
      `Server '${name}' uses SSO and is connected automatically.\n\nManual login via core_auth_login is not supported for SSO servers.\nTo connect again, sign in to this gateway again, or ask its administrator.`,
    );
  return (
    (await withGrant(signIn, server, request)) ?? {
      result: await withLink(signIn, server, call, parts.log),
    }
  );
}

/** @returns undefined if a person has to sign in */
async function withGrant(
  signIn: OwnSignIn,
  server: GuardedServer,
  request: InboundRequest,
): Promise<Answer | undefined> {
  try {
    const connected = await signIn.connect(server, request);
    if (connected === undefined) return undefined;
    const { offer, isNew } = connected;
    return isNew ? { offer } : told(`Server '${server.name}' is already authenticated.`);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    if (error.code === 'UPSTREAM_AUTH_REQUIRED') return undefined;
    return refused(
      `Failed to connect to '${server.name}': ${error.message}\n\nPlease try again or check the server status.`,
    );
  }
}

async function withLink(signIn: OwnSignIn, server: GuardedServer, call: Call, log: Log): Promise<CallResult> {
  const { name } = server;
  try {
    const { url: authUrl, ifUnknown } = await signIn.link(server, call);
    const note =
      ifUnknown === undefined ? '' : `\n\nIf the page there does not know the client: ${ifUnknown}.`;
    if (ifUnknown !== undefined)
      log.warn('an authorization server may not know this gateway', { server: name, reason: ifUnknown });
    const text = `Authentication Required\n\nServer: ${name}\nStatus: Authentication required for ${name}. Please visit the link below to authenticate.\n\nPlease sign in to connect to this server:\n\n${authUrl}\n\nAfter signing in, run this tool again to complete the connection.${note}`;
    return resultOf({ content: [{ type: 'text', text }], structuredContent: { authUrl } });
  } catch (error) {
    // What an operator has to configure, and the caller may not tell them.
    if (error instanceof SignInFault)
      log.warn('no link to sign in at a server', {
        server: name,
        reason: error.message,
        ...serverWords(error.cause),
      });
    if (error instanceof DiscoveryFault) {
      const cure = server.auth.authorizationServer === undefined ? `. ${PIN}` : '';
      return textResult(`Cannot authenticate to '${name}': ${error.message}${cure}`, true);
    }
    if (!(error instanceof SignInFault) && !isGatewayError(error)) throw error;
    return textResult(`Failed to create authentication challenge: ${messageOf(error)}`, true);
  }
}

const PIN =
  'On the MCPServer set spec.auth.type=oauth and spec.auth.authorizationServer.issuer to the authorization server at which people sign in for it';
const TOO_MANY =
  'Rate limit exceeded. Too many authentication attempts.\n\nPlease wait a moment before trying again.\nRemaining attempts: 0';

/** @param retryAfter in seconds */
function tooMany(retryAfter: number): CallResult {
  return resultOf({
    content: [{ type: 'text', text: TOO_MANY }],
    structuredContent: { retryAfter },
    isError: true,
  });
}

function connectedText(name: string, { tools, resources, prompts }: OwnOffer): string {
  const counts = `- Tools: ${tools.length}\n- Resources: ${resources.length}\n- Prompts: ${prompts.length}`;
  return `Successfully connected to '${name}'!\n\nAvailable capabilities:\n${counts}\n\nYou can now use the tools from this server.`;
}

function told(text: string): Answer {
  return { result: textResult(text) };
}
function refused(text: string): Answer {
  return { result: textResult(text, true) };
}
