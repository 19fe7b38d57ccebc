import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { AuthServer, startAuthServer, tokensOf } from './authServer.ts';
import type { AuthServerOptions, Tokens } from './authServer.ts';
import { newBrowser } from './browser.ts';
import type { Browser, Page } from './browser.ts';
import { bootGateway } from './gateway.ts';
import type { Claims } from './identityProvider.ts';

/** One sign-in of a person at the gateway, with an MCP session. */
export interface Person extends McpClient {
  readonly tokens: Tokens;
  readonly idToken: string;
  /** The first text of a call. */
  readonly told: (tool: string, args?: JsonObject) => Promise<string>;
  /** The entry of a server in auth://status. */
  readonly statusOf: (server: string) => Promise<JsonObject | undefined>;
  /** Names in servers_requiring_auth of list_tools. */
  readonly asked: () => Promise<readonly string[]>;
  /** All that list_tools lists of a server. */
  readonly toolsOf: (server: string) => Promise<readonly string[]>;
}

/** A gateway at which people sign in, who also sign in at servers; its vault survives a restart. */
export function startPeopleGateway(options: AuthServerOptions = {}): Promise<AuthServer> {
  const {
    aggregator = {},
    plugins = {},
    ...settings
  } = (options.settings ?? {}) as Record<string, JsonObject>;
  return startAuthServer({
    builtIns: 'all',
    ...options,
    settings: {
      ...settings,
      aggregator: {
        ...aggregator,
        oauth: { mcpClient: { enabled: true }, ...(aggregator['oauth'] as JsonObject) },
      },
      plugins: { 'vault-memory': false, 'vault-file': {}, ...plugins },
    },
  });
}

/** The next process on the same directory. */
export async function restarted(auth: AuthServer): Promise<AuthServer> {
  await auth.gateway.stop();
  const gateway = await bootGateway({ directory: auth.gateway.directory, builtIns: 'all' });
  const next = new AuthServer(auth.base, auth.provider, gateway);
  await next.discovered();
  return next;
}

/** A new sign-in. */
export async function signedIn(
  auth: AuthServer,
  subject: string,
  claims?: Claims,
  browser?: Browser,
): Promise<Person> {
  auth.provider.loginAs(subject, claims);
  const answer = await auth.redeem(await auth.code({}, browser));
  return personWith(auth, tokensOf(answer), String(answer.body['id_token']));
}

/** A session with the tokens of a sign-in. */
export async function personWith(auth: AuthServer, tokens: Tokens, idToken: string): Promise<Person> {
  const client = await mcpClient(auth.base, { authorization: `Bearer ${tokens.access}` });
  const list = async (): Promise<ToolList> =>
    JSON.parse(textIn(await client.callMeta('list_tools', { limit: 500 }))) as ToolList;
  return {
    ...client,
    tokens,
    idToken,
    told: async (tool, args = {}) => textIn(await client.callTool(tool, args)),
    statusOf: async (server) => {
      const { contents } = (await client.request('resources/read', { uri: 'auth://status' })) as unknown as {
        readonly contents: readonly { readonly text: string }[];
      };
      const { servers } = JSON.parse(contents[0]?.text ?? '{}') as { servers: readonly JsonObject[] };
      return servers.find(({ name }) => name === server);
    },
    asked: async () => ((await list()).servers_requiring_auth ?? []).map(({ name }) => name),
    toolsOf: async (server) =>
      (await list()).tools.filter((tool) => tool.server === server).map(({ name }) => name),
  };
}

interface ToolList {
  readonly tools: readonly { readonly name: string; readonly server?: string }[];
  readonly servers_requiring_auth?: readonly { readonly name: string }[];
}
function textIn({ content }: Awaited<ReturnType<McpClient['callTool']>>): string {
  return String(content[0]?.['text']);
}

/** The person opens the link of core_auth_login and signs in at the server, in a new browser or in this one. */
export async function signInAtServer(
  person: Pick<Person, 'callTool'>,
  server: string,
  {
    auth,
    as,
    browser = newBrowser(),
  }: { readonly auth: AuthServer; readonly as: string; readonly browser?: Browser },
): Promise<Page> {
  const { structuredContent, content } = await person.callTool('core_auth_login', { server });
  const { authUrl } = (structuredContent ?? {}) as { readonly authUrl?: string };
  if (authUrl === undefined) throw new Error(`no link: ${JSON.stringify(content)}`);
  auth.provider.loginAs(as);
  return browser.open(authUrl);
}
