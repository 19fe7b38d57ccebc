import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';
import type { Context } from 'oidc-provider';
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import type { Browser } from './browser.ts';
import { mapStore } from './mapAdapter.ts';
import { metadataPath, publishJson } from './publishedMetadata.ts';
import type { Change, MetadataPlace } from './publishedMetadata.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

type Json = Readonly<Record<string, unknown>>;
export interface IssuerOptions {
  /** Lifetime of its access tokens, in seconds. Default: 3600. */
  readonly lifetime?: number;
  /** Each refresh answers a new refresh token, and the old one ends the grant. Default: true. */
  readonly isRotating?: boolean;
  /** How long a refresh token that was used can be used again. Default: 0. */
  readonly reuseSeconds?: number;
  /** Default: true. */
  readonly hasRefreshTokens?: boolean;
  /** How clients become known, besides those in `clients`. Default: `dynamic`. */
  readonly registration?: 'dynamic' | 'documents' | 'both' | 'neither';
  /** Client metadata as RFC 7591 spells it. */
  readonly clients?: readonly Json[];
  /** Path of the issuer, such as `/tenant`. Default: none. */
  readonly path?: string;
  /** Default: `oauth`. */
  readonly places?: readonly MetadataPlace[];
  /** A person types the account into a page, as Chromium can. Default: the account is known from the cookie, or `login_hint`. */
  readonly hasLoginPage?: boolean;
  /** Default: a free one. */
  readonly port?: number;
}
/** An access token that is valid for a resource. */
export interface CheckedToken {
  readonly account: string;
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly grant: string;
}
/** A request to the token endpoint that the provider has decided on. */
export interface TokenRequest {
  readonly grantType: string;
  readonly status: number;
  /** The person's, where one was found. */
  readonly grant?: string;
  readonly account?: string;
  readonly params: Json;
}

export interface ServerIssuer extends OutageServer {
  readonly issuer: string;
  /** Adds a resource that tokens are issued for. */
  readonly protect: (resource: string) => void;
  /** @returns undefined for a token that is not valid now for one of the resources */
  readonly check: (token: string, resources: readonly string[]) => Promise<CheckedToken | undefined>;
  /** Who signs in with that browser. Without it: the `login_hint`, else `alice`. */
  readonly signInAs: (browser: Browser, account: string) => void;
  /** Those who sign in next refuse: this OAuth error instead of a code. */
  readonly refuseLogins: (error: string, description?: string) => void;
  readonly tokenRequests: readonly TokenRequest[];
  /** Its answers with tokens. */
  readonly issued: readonly Json[];
  /** Successful refreshes by grant. */
  readonly refreshes: () => ReadonlyMap<string, number>;
  /** Ends all that an account has granted, tokens included. The person may sign in again. */
  readonly revoke: (account: string) => Promise<void>;
  /** The next successful refresh counts, but the connection ends without its answer. */
  readonly loseNextRefreshAnswer: () => void;
  /** The next requests of the token endpoint are answered with that status. Default: all, until 0 more. */
  readonly tokenEndpointFails: (status: number, times?: number) => void;
  /** Clients that registered themselves are unknown: `invalid_client`. Grants remain. */
  readonly forgetClients: () => void;
  /** Tokens from now on have at most these scopes. */
  readonly shrinkScope: (...scopes: readonly string[]) => void;
  /** Tokens that were signed before are not valid any more. */
  readonly rotateKeys: () => void;
  /** Members of the answers with tokens that are added or replaced from now on; undefined removes one. */
  readonly answerWith: (changes: Json) => void;
  /** Changes its metadata when it is read. */
  readonly changeMetadata: (change: Change) => void;
}

/** Scopes of every resource: `extra` is needed by some tools. */
export const RESOURCE_SCOPES = 'mcp extra';
const SCOPES = `openid profile email groups offline_access ${RESOURCE_SCOPES}`;
const HONEST = '/honest-metadata';

/** A real authorization server of MCP servers on loopback: oidc-provider, whose clients register themselves, whose consent is
 *  given at once, and whose access tokens are JWTs. It reads Date.now, as movableClock sets it; closed after the test. */
export async function startServerIssuer(options: IssuerOptions = {}): Promise<ServerIssuer> {
  const { path = '', places = ['oauth'], registration = 'dynamic' } = options;
  const hasDocuments = registration === 'documents' || registration === 'both';
  const store = mapStore({
    reuseSeconds: options.reuseSeconds ?? 0,
    ...(hasDocuments && { fetchClient: readClientDocument }),
  });
  const cookieKeys = [randomUUID()];
  const resources = new Set<string>();
  const grants = new Map<string, string[]>();
  const requests: TokenRequest[] = [];
  const issued: Json[] = [];
  let key = newKey();
  let scopes = RESOURCE_SCOPES;
  let refusal: object | undefined;
  let isLosing = false;
  let failing = { status: 0, times: 0 };
  let changes: Json = {};
  let change: Change = (honest) => honest;

  const server = await serveWithOutages(async (req, res, at) => {
    if (at.startsWith('/interaction/')) return interact(req, res);
    if (at === HONEST) req.url = '/.well-known/openid-configuration';
    else if (at.includes('/.well-known/')) return publish(res, at);
    return handle(req, res);
  }, options.port);
  const issuer = server.url + path;
  const published = places.map((place) => metadataPath(place, path));

  const publish = async (res: ServerResponse, at: string): Promise<void> => {
    const honest = (await (await fetch(server.url + HONEST)).json()) as Json;
    const more = hasDocuments && { client_id_metadata_document_supported: true };
    const document = published.includes(at) ? change({ ...honest, ...more }) : undefined;
    publishJson(res, document);
  };
  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { prompt, params } = await provider.interactionDetails(req, res);
    if (prompt.name === 'consent') return provider.interactionFinished(req, res, { consent: {} });
    if (prompt.name !== 'login') throw new Error(`asked for ${prompt.name}`);
    const finish = (account: string): Promise<void> =>
      provider.interactionFinished(req, res, refusal ?? { login: { accountId: account } });
    if (options.hasLoginPage !== true) return finish(accountIn(req) ?? hintIn(params) ?? 'alice');
    if (req.method === 'POST') return finish(new URLSearchParams(await text(req)).get('account') ?? '');
    res.writeHead(200, { 'content-type': 'text/html' }).end(LOGIN_PAGE);
  };
  /** Consent to everything. */
  const grantFor = async ({ oidc }: Context) => {
    const accountId = oidc.session?.accountId ?? '';
    const grant = new provider.Grant({ accountId, clientId: oidc.client?.clientId ?? '' });
    grant.addOIDCScope(SCOPES);
    for (const resource of Object.keys(oidc.resourceServers ?? {}))
      grant.addResourceScope(resource, RESOURCE_SCOPES);
    grants.set(accountId, [...(grants.get(accountId) ?? []), await grant.save()]);
    return grant;
  };
  const atTokenEndpoint = async (ctx: Context, next: () => Promise<void>): Promise<void> => {
    if (ctx.path !== '/token') return next();
    if (failing.times > 0) {
      failing = { ...failing, times: failing.times - 1 };
      ctx.status = failing.status;
      ctx.body = '';
      return;
    }
    await next();
    const { params = {}, entities } = ctx.oidc;
    const { Grant: grant } = entities;
    const grantType = String(params['grant_type']);
    const { status } = ctx;
    const whose = grant !== undefined && { grant: grant.jti, account: grant.accountId };
    requests.push({ grantType, status, ...whose, params: { ...params } });
    if (status !== 200) return;
    const body = { ...(ctx.body as Json), ...changes };
    issued.push(body);
    ctx.body = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    if (!isLosing || grantType !== 'refresh_token') return;
    isLosing = false;
    ctx.req.socket.destroy();
  };
  const build = (): Provider =>
    new Provider(issuer, {
      adapter: store.adapter,
      jwks: { keys: [key] },
      // Browsers share cookies between the ports of a host.
      cookies: { keys: cookieKeys, names: cookieNames(new URL(server.url).port) },
      scopes: SCOPES.split(' '),
      claims: { openid: ['sub'] },
      clients: options.clients ?? [],
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true, allowedPolicy: () => true },
        registration: { enabled: registration === 'dynamic' || registration === 'both' },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => [...resources][0],
          useGrantedResource: () => true,
          getResourceServerInfo: (_: Context, resource: string) => {
            if (!resources.has(resource)) throw new InvalidTarget(`there is no ${resource} here`);
            return { scope: scopes, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
          },
        },
      },
      ttl: {
        AccessToken: options.lifetime ?? 3_600,
        IdToken: 3_600,
        RefreshToken: 14 * 86_400,
        Session: 86_400,
        Grant: 14 * 86_400,
        Interaction: 600,
      },
      rotateRefreshToken: options.isRotating ?? true,
      issueRefreshToken: (_: Context, client: { readonly grantTypeAllowed: (type: string) => boolean }) =>
        (options.hasRefreshTokens ?? true) && client.grantTypeAllowed('refresh_token'),
      expiresWithSession: () => false,
      extraTokenClaims: (_: Context, token: { readonly grantId: string }) => ({ grant: token.grantId }),
      findAccount: (_: Context, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
      loadExistingGrant: grantFor,
      renderError: (ctx: Context, error: Json) => void (ctx.body = error),
    }).use(atTokenEndpoint);
  let provider = build();
  let handle = provider.callback();

  return {
    ...server,
    issuer,
    protect: (resource) => void resources.add(resource),
    check: async (token, audience) => {
      const now = new Date(Date.now());
      const checks = { issuer, audience: [...audience], currentDate: now, algorithms: ['ES256'] };
      const publicKey = createPublicKey({ key, format: 'jwk' });
      const { payload } = await jwtVerify(token, publicKey, checks).catch(() => ({ payload: undefined }));
      if (payload === undefined) return undefined;
      const grant = String(payload['grant']);
      if ((await provider.Grant.find(grant)) === undefined) return undefined;
      const scope = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [];
      return { account: payload.sub ?? '', scopes: scope, clientId: String(payload['client_id']), grant };
    },
    signInAs: (browser, account) => browser.setCookie(server.url, `${ACCOUNT}=${account}; Path=/`),
    refuseLogins: (error, description = '') => {
      refusal = { error, error_description: description };
    },
    tokenRequests: requests,
    issued,
    refreshes: () => {
      const done = requests.filter((one) => one.grantType === 'refresh_token' && one.status === 200);
      const counts = new Map<string, number>();
      for (const { grant = '' } of done) counts.set(grant, (counts.get(grant) ?? 0) + 1);
      return counts;
    },
    revoke: async (account) => {
      for (const id of grants.get(account) ?? []) await (await provider.Grant.find(id))?.destroy();
      grants.delete(account);
    },
    loseNextRefreshAnswer: () => {
      isLosing = true;
    },
    tokenEndpointFails: (status, times = Infinity) => {
      failing = { status, times };
    },
    forgetClients: () => store.forget('Client'),
    shrinkScope: (...next) => {
      scopes = next.join(' ');
    },
    rotateKeys: () => {
      key = newKey();
      provider = build();
      handle = provider.callback();
    },
    answerWith: (next) => {
      changes = next;
    },
    changeMetadata: (next) => {
      change = next;
    },
  };
}

/** Source: draft-ietf-oauth-client-id-metadata-document. oidc-provider reads no documents from loopback. */
async function readClientDocument(id: string): Promise<Record<string, unknown> | undefined> {
  if (!URL.canParse(id)) return undefined;
  const answer = await fetch(id, { redirect: 'manual' });
  if (answer.status !== 200) return undefined;
  const document = (await answer.json()) as Record<string, unknown>;
  return document['client_id'] === id ? document : undefined;
}

const ACCOUNT = 'account';
function accountIn(req: IncomingMessage): string | undefined {
  return new RegExp(`(?:^|; )${ACCOUNT}=([^;]+)`).exec(req.headers.cookie ?? '')?.[1];
}
function hintIn({ login_hint: hint }: Json): string | undefined {
  return typeof hint === 'string' ? hint : undefined;
}
const LOGIN_PAGE = `<!doctype html><title>Sign in</title>
<form method="post"><label>Account <input name="${ACCOUNT}" autofocus></label> <button>Sign in</button></form>`;

function cookieNames(port: string) {
  return { session: `session_${port}`, interaction: `interaction_${port}`, resume: `resume_${port}` };
}
function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}
