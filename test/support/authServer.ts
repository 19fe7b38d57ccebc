import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JsonObject, ReloadReport } from '../../kernel/index.ts';
import type { OAuthClient } from '../../plugins/contracts/oauth.ts';
import { Vault } from '../../plugins/contracts/vault.ts';
import { newBrowser, signIn } from './browser.ts';
import type { Browser, Page } from './browser.ts';
import type { Files } from './directory.ts';
import { freePort } from './everything.ts';
import { bootGateway } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import { startIdentityProvider } from './identityProvider.ts';
import type { IdentityProvider, ProviderOptions } from './identityProvider.ts';

type Texts = Readonly<Record<string, string | undefined>>;

export interface AuthServerOptions {
  /** Keys of aggregator.oauth.server. @param base its baseUrl */
  readonly config?: JsonObject | ((base: string) => JsonObject);
  readonly provider?: ProviderOptions;
  /** `aggregator.oauth.server.idp` of another provider; the test waits for its discovery. */
  readonly idp?: JsonObject;
  /** More of config.yaml, as YAML is JSON. */
  readonly settings?: JsonObject;
  readonly files?: Files;
  /** Default: those that a sign-in needs. */
  readonly builtIns?: readonly string[] | 'all';
}
interface ConfigFile {
  readonly aggregator: JsonObject;
  readonly plugins: JsonObject;
  readonly access?: unknown;
}
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export const REDIRECT = 'http://localhost:7777/callback';
export const PUBLIC_CLIENT: OAuthClient = {
  id: 'test-client',
  name: 'Test client',
  redirectUris: [REDIRECT],
  authMethod: 'none',
  origin: 'token',
};
/** The plugins of a gateway with sign-in. */
const BUILT_INS = [
  'http',
  'front',
  'transport-http',
  'transport-sse',
  'metatools',
  'toolsets',
  'vault-memory',
  'auth-server',
];

/** A gateway with sign-in in this process, a real identity provider, and one public client. */
export async function startAuthServer(options: AuthServerOptions = {}): Promise<AuthServer> {
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const provider = await startIdentityProvider({
    redirectUris: [`${base}/oauth/callback`],
    ...options.provider,
  });
  const { oauth } = settingsFor(base, provider);
  const server = {
    ...oauth.server,
    ...(options.idp !== undefined && { idp: options.idp }),
    ...(typeof options.config === 'function' ? options.config(base) : options.config),
  };
  const aggregator = {
    ...(options.settings?.['aggregator'] as JsonObject | undefined),
    port,
    oauth: { ...(options.settings?.['aggregator'] as { oauth?: JsonObject } | undefined)?.oauth, server },
  };
  const plugins = {
    'vault-memory': {},
    'vault-file': false,
    ...(options.settings?.['plugins'] as JsonObject | undefined),
  };
  const gateway = await bootGateway({
    builtIns: options.builtIns ?? BUILT_INS,
    files: {
      'config.yaml': JSON.stringify({ ...options.settings, aggregator, plugins }),
      'state/.keep': '',
      ...options.files,
    },
  });
  const auth = new AuthServer(base, provider, gateway);
  await auth.known(PUBLIC_CLIENT);
  if (options.idp === undefined) await auth.discovered();
  return auth;
}

/** `aggregator` of a gateway with sign-in. */
export function settingsFor(base: string, provider: IdentityProvider) {
  const server = {
    enabled: true,
    // All tests have one address.
    rateLimits: { perAddress: 100_000, perClient: 100_000, perPerson: 100_000, logLines: 100_000 },
    baseUrl: base,
    idp: provider.config,
  };
  return { oauth: { server } };
}

/** Registers a public client. @returns its id */
export async function registerAt(base: string): Promise<string> {
  const answer = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }),
  });
  const { client_id: id } = (await answer.json()) as { readonly client_id?: string };
  if (id === undefined) throw new Error(`not registered: ${answer.status}`);
  return id;
}

/** A public client, and what it does with a gateway that requires sign-in. */
export class SignInClient {
  readonly base: string;
  readonly clientId: string;

  constructor(base: string, clientId: string) {
    this.base = base;
    this.clientId = clientId;
  }

  /** The address that a client opens in the browser; undefined leaves a parameter out. */
  authorizeUrl(changes: Texts = {}, verifier = VERIFIER): string {
    return `${this.base}/oauth/authorize?${query({
      client_id: this.clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      state: newState(),
      scope: 'openid profile email groups offline_access',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...changes,
    }).toString()}`;
  }

  /** Opens an address as a browser does, without following redirects. */
  open(url: string, browser = newBrowser(), headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return browser.request(url, { headers });
  }

  /** Signs in, and returns the parameters of the redirect to the client. */
  async redirected(changes: Texts = {}, browser: Browser = newBrowser()): Promise<URLSearchParams> {
    const target = changes['redirect_uri'] ?? REDIRECT;
    const url = await signIn(this.authorizeUrl(changes), { browser, until: (at) => at.startsWith(target) });
    return url.searchParams;
  }

  async code(changes: Texts = {}, browser: Browser = newBrowser()): Promise<string> {
    const params = await this.redirected(changes, browser);
    const code = params.get('code');
    if (code === null) throw new Error(`no code: ${params.toString()}`);
    return code;
  }

  /** A form of the token endpoint, or of another one. */
  async post(
    params: Texts | string,
    headers: Readonly<Record<string, string>> = {},
    path = '/oauth/token',
    signal: AbortSignal | null = null,
  ): Promise<TokenAnswer> {
    const answer = await fetch(this.base + path, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof params === 'string' ? params : query(params).toString(),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? {} : (JSON.parse(text) as TokenAnswer['body']),
    };
  }

  redeem(
    code: string,
    changes: Texts = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: this.clientId,
      code_verifier: VERIFIER,
    };
    return this.post({ ...form, ...changes }, headers);
  }

  refresh(
    refreshToken: string,
    changes: Texts = {},
    headers: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<TokenAnswer> {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: this.clientId };
    return this.post({ ...form, ...changes }, headers, undefined, signal);
  }

  /** The tokens of a new sign-in. */
  async tokens(changes: Texts = {}): Promise<Tokens> {
    return tokensOf(await this.redeem(await this.code(changes)));
  }

  /** One request to an MCP path. */
  mcp(
    token: string | undefined,
    { path = '/mcp', headers = {} }: { path?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(this.base + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...authorization,
        ...headers,
      },
      body: JSON.stringify(INITIALIZE),
    });
  }
}

/** A gateway in this process, and its client. */
export class AuthServer extends SignInClient {
  readonly provider: IdentityProvider;
  readonly gateway: Gateway;

  constructor(base: string, provider: IdentityProvider, gateway: Gateway) {
    super(base, PUBLIC_CLIENT.id);
    this.provider = provider;
    this.gateway = gateway;
  }

  get vault(): Vault {
    return this.gateway.kernel.registry.get(Vault.id) as Vault;
  }

  async discovered(): Promise<void> {
    await this.gateway.log.heard('identity provider found');
  }

  /** Changes keys of config.yaml, and applies it. @param change returns the keys that change */
  configure(change: (config: ConfigFile) => Partial<ConfigFile>): Promise<ReloadReport> {
    const { directory, pipeline } = this.gateway;
    const config = JSON.parse(readFileSync(directory.at('config.yaml'), 'utf8')) as ConfigFile;
    directory.write('config.yaml', JSON.stringify({ ...config, ...change(config) }));
    return pipeline.reload();
  }

  /** Changes keys of aggregator.oauth.server. */
  configureServer(changes: JsonObject): Promise<ReloadReport> {
    return this.configure(({ aggregator }) => {
      const oauth = aggregator['oauth'] as { readonly server: JsonObject };
      return { aggregator: { ...aggregator, oauth: { ...oauth, server: { ...oauth.server, ...changes } } } };
    });
  }

  /** Why the last request was refused, as the log says. */
  get lastReason(): unknown {
    return this.gateway.log.having('refused').at(-1)?.data['reason'];
  }

  /** Stores a client as if it had registered. */
  async known(client: OAuthClient): Promise<OAuthClient> {
    await this.vault.set(`oauth-client:${client.id}`, client);
    return client;
  }
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** @throws Error that shows the refusal */
export function tokensOf({ status, body }: TokenAnswer): Tokens {
  if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
  return { access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

export const VERIFIER = 'v'.repeat(43);
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export function newState(): string {
  return randomBytes(24).toString('hex');
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function query(params: Texts): URLSearchParams {
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}
