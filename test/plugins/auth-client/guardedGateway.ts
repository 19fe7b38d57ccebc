import { writeFileSync } from 'node:fs';
import type { Caller, InboundRequest, JsonObject, Plugin, Tool, ToolResult } from '../../../kernel/index.ts';
import { ANYONE, GatewayError, definePlugin } from '../../../kernel/index.ts';
import { HttpListener } from '../../../plugins/contracts/http.ts';
import { CallerCredentials, GuardedServers } from '../../../plugins/contracts/credentials.ts';
import type { AuthRules, CallerCredential, GuardedServer } from '../../../plugins/contracts/credentials.ts';
import { newBrowser } from '../../support/browser.ts';
import type { Page } from '../../support/browser.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite, GuardedSiteOptions } from '../../support/guardedSite.ts';
import { whoIs } from './whoIs.ts';

const BUILT_INS = ['auth-client', 'http', 'vault-memory'];
const NO_RULES: AuthRules = {
  type: undefined,
  forwardToken: false,
  requiredAudiences: [],
  tokenExchange: undefined,
  authorizationServer: undefined,
  grantScope: 'session',
  callerSecrets: [],
};

/** A server as the fake of plugins/upstream has it: changed by tests while they run. */
export interface FakeServer {
  url: string;
  auth?: Partial<AuthRules>;
  secretWords?: Readonly<Record<string, string>>;
  /** Values of secrets that it does not accept. */
  refuses?: string;
  isSuspended?: boolean;
  isPersonal?: boolean;
  wantsSignIns?: boolean;
  state?: string;
  challenges?: readonly string[];
  /** The values of its last connection, if it needs secrets. */
  received?: Readonly<Record<string, string>>;
  /** Why it cannot be connected. */
  fault?: string;
}

export interface GuardedOptions {
  /** More of `aggregator.oauth.mcpClient`. */
  readonly mcpClient?: JsonObject;
  /** Default: auth-client, http, vault-memory. */
  readonly builtIns?: readonly string[];
}

export interface GuardedGateway extends Gateway {
  readonly servers: Record<string, FakeServer>;
  /** The url without a slash at its end. */
  readonly url: string;
  /** Connections that the fake has opened, as `owner server`. */
  readonly connections: Set<string>;
  /** Calls a core tool as that caller; as the local user without one. */
  readonly call: (tool: string, args: JsonObject, caller?: Caller) => Promise<ToolResult>;
  /** The text of that call's result. */
  readonly tell: (tool: string, args: JsonObject, caller?: Caller) => Promise<string>;
  /** The link of core_auth_login. */
  readonly link: (server: string, caller?: Caller) => Promise<string>;
  /** Opens a link in a new browser, to its end. */
  readonly follow: (link: string, isEnd?: (url: string) => boolean) => Promise<Page>;
  /** Changes `aggregator.oauth.mcpClient` while it runs. */
  readonly reconfigure: (more: JsonObject) => Promise<void>;
  /** The server refuses a call of the local user, whose grant lacks these scopes. */
  readonly lacks: (server: string, scopes: string) => Promise<void>;
  /** The server refuses the token of the local user. @returns why calls fail from then on */
  readonly refuse: (server: string) => Promise<string>;
  /** The account of the caller's token at that server; undefined without a grant. */
  readonly account: (server: string, caller?: Caller) => Promise<string | undefined>;
}

/** A gateway with the plugin auth-client, http and a vault in memory. @param mcpClient more of `aggregator.oauth.mcpClient` */
export async function guardedGateway(
  servers: Record<string, FakeServer>,
  { mcpClient = {}, builtIns = BUILT_INS }: GuardedOptions = {},
): Promise<GuardedGateway> {
  const connections = new Set<string>();
  const upstream = fakeUpstream(servers, connections);
  const configWith = (more: JsonObject): string =>
    JSON.stringify({
      aggregator: { port: 0, oauth: { mcpClient: { enabled: true, ...mcpClient, ...more } } },
      plugins: { 'vault-memory': true, [upstream.name]: { module: `./${upstream.name}.mjs` } },
    });
  const gateway = await bootGateway({
    builtIns,
    files: { [`${upstream.name}.mjs`]: moduleOf(upstream), 'config.yaml': configWith({}) },
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
  const localCredential = (server: string): CallerCredential => {
    const credentials = gateway.kernel.registry.all(CallerCredentials.id)[0] as CallerCredentials;
    return credentials.of(fakeServer(server, servers, connections), { ...ANYONE });
  };
  return {
    ...gateway,
    servers,
    connections,
    call,
    tell,
    link,
    url: (gateway.kernel.registry.all(HttpListener.id)[0] as HttpListener | undefined)?.url() ?? '',
    follow: (at, isEnd) => newBrowser().open(at, isEnd),
    reconfigure: async (more) => {
      writeFileSync(gateway.directory.at('config.yaml'), configWith(more));
      await gateway.pipeline.reload();
    },
    lacks: async (server, scopes) => {
      const challenges = [`Bearer error="insufficient_scope", scope="${scopes}"`];
      const credential = localCredential(server);
      await credential.refused({ status: 403, challenges, headers: credential.headers });
    },
    refuse: async (server) => {
      const credential = localCredential(server);
      await credential.refused({ status: 401, challenges: [], headers: credential.headers });
      return credential.fault.message;
    },
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

export async function callAs(
  { kernel }: Pick<Gateway, 'kernel'>,
  {
    name,
    args,
    request,
  }: { readonly name: string; readonly args: JsonObject; readonly request: InboundRequest },
): Promise<ToolResult> {
  const entry: Tool = {
    name: `test_entry_${crypto.randomUUID()}`,
    kind: 'meta',
    description: `Calls ${name}`,
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

/** Replaces plugins/upstream: a connection is one real request to the server with the credential's headers. */
export function fakeUpstream(servers: Record<string, FakeServer>, connections: Set<string>): Plugin {
  return definePlugin({
    name: 'fake-upstream',
    api: 1,
    configSchema: { type: 'object' },
    provides: [GuardedServers],
    apply(scope) {
      scope.provide(GuardedServers, {
        get: (name) => (name in servers ? fakeServer(name, servers, connections) : undefined),
        lockedBehind: () => Promise.resolve(undefined),
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
    secretWords = {},
    isSuspended = false,
    isPersonal = true,
    wantsSignIns = false,
    state = 'auth_required',
    challenges = [],
  } = fake;
  return {
    name,
    url,
    isSuspended,
    isPersonal,
    wantsSignIns,
    state,
    challenges,
    auth: { ...NO_RULES, ...auth },
    secretWords,
    connect: async (credential) => {
      if (fake.fault !== undefined)
        throw new GatewayError('UPSTREAM_UNREACHABLE', fake.fault, { details: { server: name } });
      await credential.prepare();
      const needs = auth?.callerSecrets ?? [];
      if (Object.values(credential.values).includes(fake.refuses ?? '')) {
        await credential.refused({ status: 401, challenges: [], headers: {} });
        throw credential.fault;
      }
      if (needs.length > 0) fake.received = credential.values;
      else if ((await whoIs(url, credential.headers)) === undefined)
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

/** A real server, and a gateway that knows it as `notes`. */
export async function setUp(
  site: GuardedSiteOptions = {},
  {
    server = {},
    mcpClient = {},
  }: { readonly server?: Partial<FakeServer>; readonly mcpClient?: JsonObject } = {},
): Promise<{ readonly site: GuardedSite; readonly gateway: GuardedGateway }> {
  const started = await startGuardedSite(site);
  const gateway = await guardedGateway({ notes: { url: started.url, ...server } }, { mcpClient });
  return { site: started, gateway };
}

/** Whether a URL is the return from an authorization server. */
export function isCallback(url: string): boolean {
  return new URL(url).pathname === '/oauth/proxy/callback';
}
