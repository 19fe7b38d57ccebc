import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { guardedServer } from './guardedServer.ts';
import { publishJson } from './publishedMetadata.ts';
import { serveWithOutages } from './serveWithOutages.ts';

type Json = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** A request to the token endpoint, and where it has the secret. */
export interface AskedToken {
  readonly form: Texts;
  readonly secretIn: 'header' | 'body' | 'nowhere';
}
/** How an authorization server differs from what the RFCs say. */
export interface Quirks {
  /** Members of its metadata beside issuer and endpoints; undefined: it publishes none. */
  readonly metadata?: Json;
  /** Why people see its own page in place of the sign-in. */
  readonly deadEnd?: (asked: Texts) => string | undefined;
  /** Parameters with which the browser returns in place of a code. */
  readonly error?: Texts;
  /** The body of a refusal of a request for tokens. */
  readonly refusal?: (asked: AskedToken) => Json | undefined;
  /** The status of refusals. Default: 400. */
  readonly refusalStatus?: number;
  /** The answer for a request that is not refused. @param asked parameters of the sign-in @param token the access token */
  readonly tokens: (asked: Texts, token: string) => Json;
  /** Answers of the token endpoint are forms. */
  readonly hasForms?: boolean;
}

export interface QuirkySite {
  /** The MCP endpoint, which takes its tokens only. */
  readonly url: string;
  /** Its origin. */
  readonly origin: string;
  /** What browsers came with. */
  readonly signIns: readonly Texts[];
  readonly tokenRequests: readonly AskedToken[];
  /** Changes its quirks from now on. */
  readonly change: (next: Partial<Quirks>) => void;
}

const WELL_KNOWN =
  /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)|\/\.well-known\/openid-configuration$/;

/** An MCP server and its authorization server at one origin, which signs everybody in; closed after the test. The sign-in is at each
 *  path that ends in `authorize`, the token endpoint where forms are posted, and the metadata at each usual place. */
export async function startQuirkySite(first: Quirks): Promise<QuirkySite> {
  let quirks = first;
  const signIns: Texts[] = [];
  const tokenRequests: AskedToken[] = [];
  const codes = new Map<string, Texts>();
  const tokens = new Set<string>();

  const authorize = (res: ServerResponse, asked: Texts): void => {
    signIns.push(asked);
    const page = quirks.deadEnd?.(asked);
    if (page !== undefined) {
      res.writeHead(400, { 'content-type': 'text/html' }).end(page);
      return;
    }
    const code = randomUUID();
    codes.set(code, asked);
    const back = new URL(asked['redirect_uri'] ?? '');
    back.search = new URLSearchParams({
      ...(quirks.error ?? { code }),
      state: asked['state'] ?? '',
    }).toString();
    res.writeHead(302, { location: back.href }).end();
  };
  const issue = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const form = textsIn(new URLSearchParams(await text(req)));
    const hasHeader = req.headers.authorization?.startsWith('Basic ') === true;
    const inBody = 'client_secret' in form ? 'body' : 'nowhere';
    const asked: AskedToken = { form, secretIn: hasHeader ? 'header' : inBody };
    tokenRequests.push(asked);
    const begun = form['grant_type'] === 'authorization_code' ? codes.get(form['code'] ?? '') : {};
    const digest = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url');
    const isUnproven = form['grant_type'] === 'authorization_code' && begun?.['code_challenge'] !== digest;
    const refusal = isUnproven ? { error: 'invalid_grant' } : quirks.refusal?.(asked);
    const token = randomUUID();
    if (refusal === undefined) tokens.add(token);
    const body = refusal ?? quirks.tokens(begun ?? {}, token);
    const type = quirks.hasForms === true ? 'x-www-form-urlencoded' : 'json';
    const status = refusal === undefined ? 200 : (quirks.refusalStatus ?? 400);
    res
      .writeHead(status, { 'content-type': `application/${type}; charset=utf-8` })
      .end(type === 'json' ? JSON.stringify(body) : new URLSearchParams(body as Texts).toString());
  };
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [, token = ''] = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '') ?? [];
    if (!tokens.has(token)) {
      res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    if (req.method !== 'POST') {
      res.writeHead(405).end();
      return;
    }
    const body = await json(req);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await guardedServer().connect(transport);
    const auth = { token, clientId: 'c', scopes: [], extra: { account: 'alice' } };
    await transport.handleRequest(Object.assign(req, { auth }), res, body);
    await transport.close();
  };
  const server = await serveWithOutages((req, res, at) => {
    if (at === '/mcp') return serve(req, res);
    if (WELL_KNOWN.test(at)) {
      const issuer = server.url + at.replace(WELL_KNOWN, '');
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      publishJson(res, quirks.metadata && { issuer, ...endpoints, ...quirks.metadata });
      return undefined;
    }
    if (req.method === 'POST') return issue(req, res);
    const { searchParams } = new URL(req.url ?? '', server.url);
    if (at.endsWith('authorize')) authorize(res, textsIn(searchParams));
    else res.writeHead(404).end();
    return undefined;
  });
  return {
    url: `${server.url}/mcp`,
    origin: server.url,
    signIns,
    tokenRequests,
    change: (next) => {
      quirks = { ...quirks, ...next };
    },
  };
}

function textsIn(parameters: URLSearchParams): Texts {
  return Object.fromEntries(parameters);
}
