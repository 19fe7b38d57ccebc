import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JsonObject } from '../../kernel/index.ts';
import { defer } from './cleanup.ts';
import { guardedServer, NEEDS_SCOPE } from './guardedServer.ts';
import { publishJson } from './publishedMetadata.ts';
import type { Change } from './publishedMetadata.ts';
import { startServerIssuer } from './serverIssuer.ts';
import type { CheckedToken, IssuerOptions, ServerIssuer } from './serverIssuer.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

export interface GuardedSiteOptions {
  /** Its authorization server, or of which kind a new one is. */
  readonly issuer?: ServerIssuer | IssuerOptions;
  /** Where its resource metadata is. Default: at the place for its path. */
  readonly places?: readonly ('suffixed' | 'root')[];
  /** Lines of `WWW-Authenticate` of a 401. @param honest one that names the resource metadata and the scope `mcp` */
  readonly challenges?: (honest: string) => readonly string[];
  /** Default: `/mcp`. */
  readonly path?: string;
  /** Methods that it answers without a token too. */
  readonly needsNoToken?: (method: string | undefined) => boolean;
}
/** Requests that were refused with 401. */
export interface Refusals {
  readonly withoutToken: number;
  readonly withToken: number;
}

export interface GuardedSite {
  /** URL of the MCP endpoint; another one after `move`. */
  readonly url: string;
  /** The one that it trusts now. */
  readonly issuer: ServerIssuer;
  /** The HTTP server of the MCP endpoint. */
  readonly server: OutageServer;
  /** Text of a definition. */
  readonly definition: (more?: JsonObject) => string;
  readonly refusals: () => Refusals;
  /** MCP sessions so far. */
  readonly sessionsBegun: () => number;
  /** MCP sessions that clients have not ended. */
  readonly openSessions: () => number;
  /** Requests that used a session of another account. */
  readonly crossings: () => number;
  /** Requests with each account's tokens. */
  readonly requestsOf: (account: string) => number;
  /** Refuses every token from now on, fresh ones too; `false` ends it. */
  readonly refuseTokens: (isRefusing?: boolean) => void;
  /** Changes its resource metadata when it is read. */
  readonly changeMetadata: (change: Change) => void;
  /** Neither it nor its issuer publishes anything any more. */
  readonly removeMetadata: () => void;
  /** Trusts another authorization server from now on, a new one. The old one still works, for others. */
  readonly changeIssuer: (options?: IssuerOptions) => Promise<ServerIssuer>;
  /** Moves to another port, with the same issuer; nothing answers at the old url. @returns the new url */
  readonly move: () => Promise<string>;
  /** Ends every MCP session, as a restart does. */
  readonly forgetSessions: () => Promise<void>;
}

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly account: string;
}

const ANONYMOUS: CheckedToken = { account: 'anyone', clientId: 'none', scopes: [], grant: 'none' };

/** A real MCP server on loopback that requires a token of its authorization server; both end after the test. */
export async function startGuardedSite(options: GuardedSiteOptions = {}): Promise<GuardedSite> {
  const { path = '/mcp', places = ['suffixed'], challenges = (honest: string) => [honest] } = options;
  const resourcePaths = places.map((place) => METADATA + (place === 'root' ? '' : path));
  const sessions = new Map<string, Session>();
  const requests = new Map<string, number>();
  let [withoutToken, withToken, crossings, begun] = [0, 0, 0, 0];
  let isRefusing = false;
  let change: Change = (honest) => honest;
  let issuer = isIssuer(options.issuer) ? options.issuer : await startServerIssuer(options.issuer);
  const urlOf = ({ url }: OutageServer): string => url + path;

  const challenge = (rest: string): string => {
    const metadata = `${server.url}${resourcePaths[0] ?? METADATA}`;
    return `Bearer resource_metadata="${metadata}", ${rest}`;
  };
  const refuse = (res: ServerResponse, hasToken: boolean): void => {
    if (hasToken) withToken += 1;
    else withoutToken += 1;
    const error = hasToken ? ', error="invalid_token"' : '';
    res.setHeader('www-authenticate', challenges(challenge(`scope="mcp"${error}`)));
    res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_token"}');
  };
  const sessionOf = async (req: IncomingMessage, account: string): Promise<Session | undefined> => {
    const id = req.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = sessions.get(id);
      if (session !== undefined && session.account !== account) crossings += 1;
      return session?.account === account ? session : undefined;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (next) => {
        begun += 1;
        sessions.set(next, { transport, account });
      },
      onsessionclosed: (ended) => void sessions.delete(ended),
    });
    await guardedServer().connect(transport);
    return { transport, account };
  };
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [, token] = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '') ?? [];
    const body = req.method === 'POST' ? await json(req) : undefined;
    const isOpen = token === undefined && options.needsNoToken?.(methodOf(body)) === true;
    const known = token === undefined || isRefusing ? undefined : await issuer.check(token, audiences());
    const checked = isOpen ? ANONYMOUS : known;
    if (checked === undefined) {
      refuse(res, token !== undefined);
      return;
    }
    const { account, scopes } = checked;
    requests.set(account, (requests.get(account) ?? 0) + 1);
    if (needsScope(body) && !scopes.includes('extra')) {
      const wanted = challenge('error="insufficient_scope", scope="mcp extra"');
      res.writeHead(403, { 'www-authenticate': wanted }).end();
      return;
    }
    const session = await sessionOf(req, account);
    if (session === undefined) res.writeHead(404).end();
    else
      await session.transport.handleRequest(
        Object.assign(req, { auth: authOf(token ?? '', checked) }),
        res,
        body,
      );
  };
  const publish = (res: ServerResponse, at: string): void => {
    publishJson(res, resourcePaths.includes(at) ? change(honestMetadata()) : undefined);
  };
  const honestMetadata = () => ({
    resource: urlOf(server),
    authorization_servers: [issuer.issuer],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
  });
  /** Tokens for the resource that it says it is, too. */
  const audiences = (): readonly string[] => {
    const { resource } = change(honestMetadata()) ?? {};
    return [urlOf(server), ...(typeof resource === 'string' ? [resource] : [])];
  };
  const serve = async (): Promise<OutageServer> => {
    const next = await serveWithOutages((req, res, at) =>
      at === path ? answer(req, res) : publish(res, at),
    );
    issuer.protect(urlOf(next));
    return next;
  };
  const forgetSessions = async (): Promise<void> => {
    const open = [...sessions.values()];
    sessions.clear();
    await Promise.all(open.map(({ transport }) => transport.close()));
  };
  let server = await serve();
  defer(forgetSessions);

  return {
    get url() {
      return urlOf(server);
    },
    get issuer() {
      return issuer;
    },
    get server() {
      return server;
    },
    definition: (more = {}) => JSON.stringify({ type: 'streamable-http', url: urlOf(server), ...more }),
    refusals: () => ({ withoutToken, withToken }),
    sessionsBegun: () => begun,
    openSessions: () => sessions.size,
    crossings: () => crossings,
    requestsOf: (account) => requests.get(account) ?? 0,
    refuseTokens: (next = true) => {
      isRefusing = next;
    },
    changeMetadata: (next) => {
      change = next;
      for (const audience of audiences()) issuer.protect(audience);
    },
    removeMetadata: () => {
      change = () => undefined;
      issuer.changeMetadata(change);
    },
    changeIssuer: async (next) => {
      issuer = await startServerIssuer(next);
      for (const audience of audiences()) issuer.protect(audience);
      return issuer;
    },
    move: async () => {
      const old = server;
      server = await serve();
      await forgetSessions();
      await old.close();
      return urlOf(server);
    },
    forgetSessions,
  };
}

const METADATA = '/.well-known/oauth-protected-resource';

function isIssuer(given: ServerIssuer | IssuerOptions | undefined): given is ServerIssuer {
  return given !== undefined && 'issuer' in given;
}
function authOf(token: string, { account, scopes, clientId }: CheckedToken): AuthInfo {
  return { token, clientId, scopes: [...scopes], extra: { account } };
}
/** Undefined for what is not a request by POST. */
function methodOf(body: unknown): string | undefined {
  return ((body ?? {}) as { readonly method?: string }).method;
}
function needsScope(body: unknown): boolean {
  const { method, params } = (body ?? {}) as {
    readonly method?: string;
    readonly params?: { name?: string };
  };
  return method === 'tools/call' && params?.name === NEEDS_SCOPE;
}
