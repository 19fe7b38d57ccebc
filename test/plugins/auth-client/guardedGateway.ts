import type { Caller, InboundRequest, JsonObject, Plugin, Tool, ToolResult } from '../../../kernel/index.ts';
import { ANYONE, GatewayError, definePlugin } from '../../../kernel/index.ts';
import { HttpListener } from '../../../plugins/http/contract.ts';
import { CallerCredentials, GuardedServers } from '../../../plugins/auth-client/contract.ts';
import type { CallerCredential, AuthRules, GuardedServer } from '../../../plugins/auth-client/contract.ts';
import { newBrowser } from '../../support/browser.ts';
import type { Browser, Page } from '../../support/browser.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { whoIs } from './whoIs.ts';

const BUILT_INS = ['auth-client', 'http', 'vault-memory'];
const NO_RULES: AuthRules = {
  ...{ type: undefined, forwardToken: false, requiredAudiences: [], tokenExchange: undefined },
  ...{ authorizationServer: undefined, grantScope: 'session', callerSecrets: [] },
};

/** A server as the fake of plugins/upstream has it: changed by tests while they run. */
export interface FakeServer {
  url: string;
  auth?: Partial<AuthRules>;
  isSuspended?: boolean;
  isPersonal?: boolean;
  state?: string;
  challenges?: readonly string[];
}

export interface GuardedGateway extends Gateway {
  readonly servers: Record<string, FakeServer>;
  /** Without a slash at its end. */
  readonly url: string;
  /** Connections that the fake has opened, as `owner server`. */
  readonly connections: Set<string>;
  /** Calls a core tool as that caller; as the local user without one. */
  readonly call: (tool: string, args: JsonObject, caller?: Caller) => Promise<ToolResult>;
  /** The text of that call's result. */
  readonly tell: (tool: string, args: JsonObject, caller?: Caller) => Promise<string>;
  /** The link of core_auth_login. */
  readonly link: (server: string, caller?: Caller) => Promise<string>;
  /** Opens a link in a browser, to its end. */
  readonly follow: (link: string, browser?: Browser) => Promise<Page>;
  /** The account of the caller's token at that server; undefined without a grant. */
  readonly account: (server: string, caller?: Caller) => Promise<string | undefined>;
}

/** A gateway with the plugin auth-client, http and a vault in memory. In place of plugins/upstream a fake provides
 *  GuardedServers: a connection is one real request to the server with the credential's headers.
 *  @param mcpClient more of `aggregator.oauth.mcpClient` */
export async function guardedGateway(
  servers: Record<string, FakeServer>,
  {
    mcpClient = {},
    plugins = [],
  }: { readonly mcpClient?: JsonObject; readonly plugins?: readonly Plugin[] } = {},
): Promise<GuardedGateway> {
  const connections = new Set<string>();
  const added = [fakeUpstream(servers, connections), ...plugins];
  const gateway = await bootGateway({
    builtIns: BUILT_INS,
    files: {
      ...Object.fromEntries(added.map((plugin) => [`${plugin.name}.mjs`, moduleOf(plugin)])),
      'config.yaml': JSON.stringify({
        aggregator: { port: 0, oauth: { mcpClient: { enabled: true, ...mcpClient } } },
        plugins: {
          'vault-memory': true,
          ...Object.fromEntries(added.map(({ name }) => [name, { module: `./${name}.mjs` }])),
        },
      }),
    },
  });
  const call = (name: string, args: JsonObject, caller?: Caller): Promise<ToolResult> =>
    callAs(gateway, { name, args, request: { ...ANYONE, caller } });
  const tell = async (name: string, args: JsonObject, caller?: Caller): Promise<string> =>
    String((await call(name, args, caller)).content[0]?.['text']);
  const link = async (server: string, caller?: Caller): Promise<string> => {
    const { structuredContent, content } = await call('core_auth_login', { server }, caller);
    const { authUrl } = (structuredContent ?? {}) as { readonly authUrl?: string };
    if (authUrl === undefined) throw new Error(`no link: ${String(content[0]?.['text'])}`);
    return authUrl;
  };
  return {
    ...gateway,
    ...{ servers, connections, call, tell, link },
    url: (gateway.kernel.registry.all(HttpListener.id)[0] as HttpListener).url() ?? '',
    follow: (at, browser = newBrowser()) => browser.open(at),
    account: async (server, caller) => {
      const request = { ...ANYONE, caller };
      const credential = gateway.kernel.registry.all(CallerCredentials.id)[0] as CallerCredentials;
      const { headers } = await readCredential(credential, fakeServer(server, servers, connections), request);
      return headers['authorization'] === undefined ? undefined : whoIs(servers[server]?.url ?? '', headers);
    },
  };
}

async function readCredential(
  credentials: CallerCredentials,
  server: GuardedServer,
  request: InboundRequest,
): Promise<CallerCredential> {
  const credential = credentials.of(server, request);
  await credential.prepare()?.catch(() => undefined);
  return credential;
}

async function callAs(
  { kernel }: Gateway,
  {
    name,
    args,
    request,
  }: { readonly name: string; readonly args: JsonObject; readonly request: InboundRequest },
): Promise<ToolResult> {
  const entry: Tool = {
    ...{ name: `test_entry_${crypto.randomUUID()}`, kind: 'meta', description: `Calls ${name}` },
    inputSchema: { type: 'object' },
    invoke: (_, call) => call.child(name, args),
  };
  const remove = kernel.catalogue.add('test', entry);
  try {
    return (await kernel.calls.call(entry.name, {}, request)).value();
  } finally {
    remove();
  }
}

function fakeUpstream(servers: Record<string, FakeServer>, connections: Set<string>): Plugin {
  return definePlugin({
    name: 'fake-upstream',
    api: 1,
    configSchema: { type: 'object' },
    provides: [GuardedServers],
    apply(scope) {
      scope.provide(GuardedServers, {
        get: (name) => (name in servers ? fakeServer(name, servers, connections) : undefined),
        all: () => Object.keys(servers).map((name) => fakeServer(name, servers, connections)),
      });
    },
  });
}

function fakeServer(
  name: string,
  servers: Record<string, FakeServer>,
  connections: Set<string>,
): GuardedServer {
  const fake = servers[name];
  if (fake === undefined) throw new Error(`no server ${name}`);
  const {
    url,
    auth,
    isSuspended = false,
    isPersonal = true,
    state = 'auth_required',
    challenges = [],
  } = fake;
  return {
    ...{ name, url, isSuspended, isPersonal, state, challenges },
    auth: { ...NO_RULES, ...auth },
    connect: async (credential) => {
      await credential.prepare();
      if ((await whoIs(url, credential.headers)) === undefined)
        throw new GatewayError('UPSTREAM_AUTH_REQUIRED', `MCP server ${name} refuses the token`, {
          details: { server: name },
        });
      connections.add(`${credential.owner} ${name}`);
      return { tools: ['x_one', 'x_two'], resources: ['r://1'], prompts: [] };
    },
    disconnect: (owner) => {
      connections.delete(`${owner} ${name}`);
      return Promise.resolve();
    },
  };
}
