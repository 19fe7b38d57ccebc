import { ANYONE, GatewayError } from '../../../../kernel/index.ts';
import type { InboundRequest, KernelEvent, Scope } from '../../../../kernel/index.ts';
import type {
  AuthRules,
  GrantFacts,
  GrantNotice,
  GuardedServer,
} from '../../../../plugins/contracts/credentials.ts';
import type { ProviderTokens } from '../../../../plugins/contracts/oauth.ts';
import { Vault } from '../../../../plugins/contracts/vault.ts';
import { CallerSecrets } from '../../../../plugins/auth-client/grants/store/callerSecrets.ts';
import type { Credential } from '../../../../plugins/auth-client/grants/credentials/credential.ts';
import { Credentials } from '../../../../plugins/auth-client/grants/credentials/credentials.ts';
import { forwardedToken } from '../../../../plugins/auth-client/grants/sources/forwardedToken.ts';
import { GrantNews } from '../../../../plugins/auth-client/grants/store/grantNews.ts';
import type { KeptGrant } from '../../../../plugins/auth-client/grants/record/grantRecord.ts';
import { Grants } from '../../../../plugins/auth-client/grants/store/grants.ts';
import { holderOf } from '../../../../plugins/auth-client/grants/record/holderOf.ts';
import { Networks } from '../../../../plugins/auth-client/discovery/network.ts';
import { refreshedGrant } from '../../../../plugins/auth-client/grants/refresh/refreshedGrant.ts';
import { Refresher } from '../../../../plugins/auth-client/grants/refresh/refresher.ts';
import { Releases } from '../../../../plugins/auth-client/grants/credentials/releases.ts';
import { RefreshTimers } from '../../../../plugins/auth-client/grants/refresh/refreshTimers.ts';
import type { SingleSignOnParts } from '../../../../plugins/auth-client/grants/sources/singleSignOnSource.ts';
import { Statuses } from '../../../../plugins/auth-client/grants/credentials/statuses.ts';
import { tokenTimes } from '../../../../plugins/auth-client/grants/refresh/tokenTimes.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { defer } from '../../../support/cleanup.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { captureLog } from '../../../support/log.ts';
import { TokenEndpoint } from './tokenEndpoint.ts';

export const RULES: AuthRules = {
  type: 'oauth',
  forwardToken: false,
  requiredAudiences: [],
  callerSecrets: [],
  grantScope: 'session',
  tokenExchange: undefined,
  authorizationServer: undefined,
};
const VAULT_LIMITS = { maxEntries: 10_000, maxBytes: 1e8, maxValueBytes: 1e5, sweepMs: 1e6 };
type Run = () => unknown;

/** A request of that person in that sign-in session; the local user without a name. */
export function requestOf(subject?: string, sid?: string): InboundRequest {
  if (subject === undefined) return { ...ANYONE };
  return {
    ...ANYONE,
    caller: { subject, issuer: 'https://idp', claims: { ...(sid !== undefined && { sid }) } },
  };
}

/** Processes over one vault, an authorization server, and the MCP server `notes` at the same host. */
export class GrantBench {
  readonly endpoint: TokenEndpoint;
  readonly vault = new MemoryVault(() => VAULT_LIMITS);
  readonly bus = new FakeBus();
  /** Tokens of the sign-in at this gateway; undefined: without such sign-ins. */
  tokens: ProviderTokens | undefined;
  exchange: SingleSignOnParts['obtain'] = () => Promise.reject(new Error('not part of this test'));
  /** Operations of the vault fail. */
  isAway = false;

  private constructor(endpoint: TokenEndpoint) {
    this.endpoint = endpoint;
  }
  static async open(): Promise<GrantBench> {
    return new GrantBench(await TokenEndpoint.open());
  }

  /** One that is alone has no channel. */
  process(own = 'one'): GrantProcess {
    return new GrantProcess(this, own);
  }

  server(auth: Partial<AuthRules> = {}, more: Partial<GuardedServer> = {}): GuardedServer {
    return {
      name: 'notes',
      url: `${this.endpoint.server.url}/mcp`,
      auth: { ...RULES, ...auth },
      isSuspended: false,
      state: 'connected',
      isPersonal: true,
      wantsSignIns: false,
      challenges: [],
      connect: () => Promise.reject(new Error('not part of this test')),
      disconnect: () => Promise.resolve(),
      ...more,
    };
  }

  /** As the authorization server has just given it. */
  grant(more: Partial<KeptGrant> = {}): KeptGrant {
    const { endpoint } = this;
    return {
      url: this.server().url,
      issuer: endpoint.server.url,
      tokenEndpoint: endpoint.url,
      scope: 'read',
      client: { id: 'gateway', authMethod: 'none', isRegistered: false },
      ...endpoint.tokensOf(),
      grantedAt: Date.now(),
      ...tokenTimes(Date.now(), endpoint.expiresIn),
      ...more,
    };
  }

  /** The vault as processes reach it. */
  reached(): Vault {
    const operations = ['get', 'set', 'putIfAbsent', 'compareAndSwap', 'take', 'delete', 'list'] as const;
    const reach = (name: (typeof operations)[number]) => {
      const operation = this.vault[name].bind(this.vault) as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]): Promise<unknown> =>
        this.isAway
          ? Promise.reject(new GatewayError('STORE_UNREACHABLE', 'the vault does not answer'))
          : operation(...args);
    };
    return Object.fromEntries(operations.map((name) => [name, reach(name)])) as unknown as Vault;
  }
}

/** What one process has. */
export class GrantProcess {
  readonly log = captureLog();
  readonly events: (GrantNotice & { readonly type: string })[] = [];
  readonly grants: Grants;
  readonly secrets: CallerSecrets;
  readonly credentials: Credentials;
  readonly statuses: Statuses;
  readonly releases: Releases;
  readonly refresher: Refresher;
  readonly lostClients: KeptGrant[] = [];
  servers: readonly GuardedServer[];
  readonly #bench: GrantBench;
  readonly #stops: Run[] = [];
  readonly #stopped = new AbortController();

  constructor(bench: GrantBench, own: string) {
    this.#bench = bench;
    this.servers = [bench.server()];
    const vault = bench.reached();
    const scope = {
      ...bench.bus.scopeOf(own, new Map([[Vault.id, vault]])),
      get: () => vault,
      emit: (event: KernelEvent) => void this.events.push(event as GrantNotice & { type: string }),
      onStop: (run: Run) => void this.#stops.push(run),
      onDrain: () => undefined,
      log: this.log,
      signal: this.#stopped.signal,
    } as unknown as Scope<unknown>;
    const news = new GrantNews(this.log, (event) => scope.emit(event));
    const grants = (this.grants = new Grants(scope, news));
    const secrets = (this.secrets = new CallerSecrets(scope));
    this.refresher = new Refresher({
      scope,
      grants,
      news,
      request: (grant) => refreshedGrant(grant, new Networks({}, this.#stopped.signal)),
      clientLost: (grant) => void this.lostClients.push(grant),
    });
    const parts = { grants, news, secrets, log: this.log, refresher: this.refresher };
    const timers = new RefreshTimers(scope);
    const tokens = () => bench.tokens;
    const sources = {
      forwarding: { tokens, log: this.log, obtain: forwardedToken },
      exchanging: { tokens, log: this.log, obtain: bench.exchange },
    };
    const servers = () => this.servers;
    const credentials = new Credentials({ ...parts, ...sources, timers, servers });
    this.releases = new Releases(grants, credentials, servers);
    this.credentials = credentials;
    const server = (name: string) => this.servers.find((one) => one.name === name);
    this.statuses = new Statuses(grants, secrets, credentials, server);
    defer(() => this.stop());
  }

  stop(): void {
    this.#stopped.abort();
    for (const run of this.#stops) run();
  }

  /** The credential of the caller for the server `notes`. */
  credential(request: InboundRequest = requestOf()): Credential {
    return this.credentials.of(this.#server, request);
  }
  async signIn(request: InboundRequest = requestOf(), grant: Partial<KeptGrant> = {}): Promise<void> {
    await this.grants.put(holderOf(this.#server.auth, request), 'notes', this.#bench.grant(grant));
  }
  async facts(request: InboundRequest = requestOf()): Promise<GrantFacts> {
    return (await this.statuses.of('notes', request))?.grant ?? { state: 'none' };
  }
  /** Types of the events so far. */
  get news(): readonly string[] {
    return this.events.map(({ type }) => type.replace('grant.', ''));
  }

  get #server(): GuardedServer {
    const [server] = this.servers;
    if (server === undefined) throw new Error('there is no server');
    return server;
  }
}
