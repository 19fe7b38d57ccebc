import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { SignJWT, decodeJwt, importJWK } from 'jose';
import { Provider } from 'oidc-provider';
import type { Context } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { CLIENT_ID, CLIENT_SECRET, clientAtProvider } from './clientAtProvider.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer, TlsFiles } from './serveWithOutages.ts';

const SCOPES = 'openid profile email groups offline_access';
const AUDIENCE = 'audience:server:client_id:';

export interface Lifetimes {
  readonly AccessToken: number;
  readonly IdToken: number;
  readonly RefreshToken: number;
  /** How long a browser stays signed in at the provider. */
  readonly Session: number;
}
export interface ProviderOptions {
  /** `<baseUrl>/oauth/callback` of gateways; see also `allowRedirects`. */
  readonly redirectUris?: readonly string[];
  /** Seconds. */
  readonly lifetimes?: Partial<Lifetimes>;
  /** Each refresh answers a new refresh token, and the old one ends the grant. Default: false. */
  readonly isRotating?: boolean;
  /** Offers revocation, and one revoked token ends all that its person has granted. Default: false.
   *  Source: https://github.com/keycloak/keycloak/issues/35486 */
  readonly revokesAll?: boolean;
  /** The error by which it refuses codes and refresh tokens; Dex: `invalid_request`. Default: `invalid_grant`. */
  readonly refusal?: string;
  /** Reports the end of its sessions, which id_tokens name by `sid`, to the gateway of the first redirect URI. Default: false. */
  readonly reportsLogouts?: boolean;
  /** Other clients that id_tokens are also for when the sign-in asks for it, as Dex does.
   *  Source: https://dexidp.io/docs/configuration/custom-scopes-claims-clients/ */
  readonly audiences?: readonly string[];
  /** Claims of the scope `groups`. Default: `groups`. */
  readonly groupClaims?: readonly string[];
  /** The scope that the claims above come with. Default: `groups`. */
  readonly groupsScope?: string;
  /** Scopes that it does not refuse as unknown. Default: any. */
  readonly knownScopes?: string;
  /** The parameter of a request without which it gives no refresh token, and its value. */
  readonly offlineBy?: readonly [string, string];
  /** Default: a free one. */
  readonly port?: number;
  /** Default: without TLS. */
  readonly tls?: TlsFiles;
}
/** What id_tokens and /userinfo say besides `sub`. */
export type Claims = Readonly<Record<string, unknown>>;

export interface IdentityProvider extends OutageServer {
  /** The issuer. */
  readonly url: string;
  /** `aggregator.oauth.server.idp` for it. */
  readonly config: ReturnType<typeof clientAtProvider>;
  readonly allowRedirects: (...redirectUris: readonly string[]) => void;
  /** Who signs in next, and what is known about them. Browsers that are signed in stay who they are. Default: `alice`. */
  readonly loginAs: (subject: string, claims?: Claims) => void;
  /** Those who sign in next refuse: this OAuth error instead of a code. */
  readonly refuseLogins: (error: string, description?: string) => void;
  /** Ends what that person has granted: the next refresh is answered `invalid_grant`. They may sign in again. */
  readonly revoke: (subject: string) => Promise<void>;
  /** Tokens that clients have revoked. */
  readonly revocations: () => number;
  /** Reports the end of a session. Source: https://openid.net/specs/openid-connect-backchannel-1_0.html §2.5 @throws Error unless that is answered 200 */
  readonly logOut: (subject: string, session?: string) => Promise<void>;
  /** A new signing key with a new kid; the old one is not published any more. */
  readonly rotateKeys: () => void;
  /** Refresh grants that the provider has decided on, refused ones included. */
  readonly refreshes: () => number;
  /** Answers of its token endpoint, the newest last. */
  readonly issued: readonly Readonly<Record<string, unknown>>[];
}

/** A real OpenID provider on loopback: oidc-provider with one confidential client, whose pages finish at once. */
export async function startIdentityProvider(options: ProviderOptions = {}): Promise<IdentityProvider> {
  // A provider cannot be changed, so that each change builds a new one over the same store.
  const adapter = createMemoryAdapter();
  const cookieKeys = [randomUUID()];
  const people = new Map<string, Claims>();
  const grants = new Map<string, string[]>();
  const issued: Readonly<Record<string, unknown>>[] = [];
  const scopes = [SCOPES, ...(options.audiences ?? []).map((audience) => AUDIENCE + audience)].join(' ');
  let redirectUris = options.redirectUris ?? [];
  let key = firstKey();
  let login: object = { login: { accountId: 'alice' } };
  let refreshes = 0;
  let revocations = 0;
  const { groupsScope = 'groups', groupClaims = ['groups'] } = options;
  let isOffline = options.offlineBy === undefined;

  const server = await serveWithOutages(
    (req, res, path) => {
      const [name = '', value] = options.offlineBy ?? [];
      if (path === '/auth' && name !== '')
        isOffline = new URL(req.url ?? '', server.url).searchParams.get(name) === value;
      if (!path.startsWith('/interaction/')) return handle(req, res);
      return provider
        .interactionDetails(req, res)
        .then(({ prompt }) =>
          provider.interactionFinished(req, res, prompt.name === 'login' ? login : { consent: {} }),
        );
    },
    options.port,
    options.tls,
  );

  const claimsOf = (subject: string): Claims => ({
    sub: subject,
    name: subject,
    email: `${subject}@example.com`,
    email_verified: true,
    groups: ['staff'],
    ...people.get(subject),
  });
  /** Consent of everybody to everything. */
  const grantFor = async ({ oidc }: Context) => {
    const accountId = oidc.session?.accountId ?? '';
    const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
    grant.addOIDCScope(scopes);
    grants.set(accountId, [...(grants.get(accountId) ?? []), await grant.save()]);
    return grant;
  };
  const revoke = async (subject: string): Promise<void> => {
    for (const id of grants.get(subject) ?? []) await (await provider.Grant.find(id))?.destroy();
    grants.delete(subject);
  };
  const countRefresh = ({ oidc }: Context): void => {
    if (oidc.params?.['grant_type'] === 'refresh_token') refreshes += 1;
  };
  const atTokenEndpoint = async (ctx: Context, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.path !== '/token') return;
    const { error } = ctx.body as { readonly error?: string };
    if (error === 'invalid_grant') ctx.body = { error: options.refusal ?? error };
    if (ctx.status !== 200) return;
    ctx.body = await withAudiences(ctx.body as TokenBody, key);
    issued.push(ctx.body as TokenBody);
  };
  const build = (): Provider => {
    const {
      AccessToken = 3600,
      IdToken = 3600,
      RefreshToken = 86_400,
      Session = 86_400,
    } = options.lifetimes ?? {};
    return new Provider(server.url, {
      adapter,
      jwks: { keys: [key] },
      cookies: { keys: cookieKeys },
      scopes: scopes.split(' '),
      claims: {
        profile: ['name'],
        email: ['email', 'email_verified'],
        openid: ['sub'],
        [groupsScope]: [...(groupsScope === 'openid' ? ['sub'] : []), ...groupClaims],
      },
      // Claims of scopes are in the id_token as with other providers, not at /userinfo only.
      conformIdTokenClaims: false,
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code', 'refresh_token'],
          post_logout_redirect_uris: redirectUris.map((uri) => new URL('/oauth/signed-out', uri).href),
          ...(options.reportsLogouts === true && {
            backchannel_logout_uri: new URL('/oauth/backchannel-logout', redirectUris[0]).href,
            backchannel_logout_session_required: true,
          }),
          ...(options.knownScopes !== undefined && { scope: options.knownScopes }),
        },
      ],
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: options.revokesAll === true },
        backchannelLogout: { enabled: options.reportsLogouts === true },
      },
      ttl: { AccessToken, IdToken, RefreshToken, Session, Grant: 86_400, Interaction: 600 },
      // Its own refuses addresses of this machine.
      fetch: (
        url: URL,
        { method, headers, body }: Required<Pick<RequestInit, 'method' | 'headers' | 'body'>>,
      ) => fetch(url, { method, headers, body }),
      rotateRefreshToken: options.isRotating ?? false,
      // As Dex and Keycloak: a refresh token without prompt=consent too.
      issueRefreshToken: () => isOffline,
      expiresWithSession: () => false,
      findAccount: (_: Context, accountId: string) => ({ accountId, claims: () => claimsOf(accountId) }),
      loadExistingGrant: grantFor,
    })
      .on('grant.success', countRefresh)
      .on('grant.error', countRefresh)
      .on('grant.revoked', (_: Context, id: string) => {
        revocations += 1;
        if (options.revokesAll !== true) return;
        for (const [subject, ids] of grants) if (ids.includes(id)) void revoke(subject);
      })
      .use(atTokenEndpoint);
  };
  let provider = build();
  let handle = provider.callback();
  const rebuild = (): void => {
    provider = build();
    handle = provider.callback();
  };

  return {
    ...server,
    config: clientAtProvider(server.url),
    allowRedirects: (...uris) => {
      redirectUris = uris;
      rebuild();
    },
    loginAs: (subject, claims = {}) => {
      people.set(subject, claims);
      login = { login: { accountId: subject } };
    },
    refuseLogins: (error, description = '') => {
      login = { error, error_description: description };
    },
    revoke,
    logOut: async (subject, session) =>
      (await provider.Client.find(CLIENT_ID)).backchannelLogout(subject, session),
    revocations: () => revocations,
    rotateKeys: () => {
      key = newKey();
      rebuild();
    },
    refreshes: () => refreshes,
    issued,
  };
}

interface TokenBody extends Readonly<Record<string, unknown>> {
  readonly scope?: string;
  readonly id_token?: string;
}
/** The id_token is also for those whom the scope names. */
async function withAudiences(body: TokenBody, key: JsonWebKey): Promise<TokenBody> {
  const { scope = '', id_token: token } = body;
  const audiences = scope.split(' ').filter((one) => one.startsWith(AUDIENCE));
  if (token === undefined || audiences.length === 0) return body;
  const aud = [CLIENT_ID, ...audiences.map((one) => one.slice(AUDIENCE.length))];
  const signed = new SignJWT({ ...decodeJwt(token), aud, azp: CLIENT_ID });
  const header = { alg: 'RS256', kid: String((key as { readonly kid?: string }).kid) };
  return { ...body, id_token: await signed.setProtectedHeader(header).sign(await importJWK(key, 'RS256')) };
}

let first: JsonWebKey | undefined;

/** The same one for all providers of this process: creating one takes a quarter of a second. */
export function firstKey(): JsonWebKey {
  return (first ??= newKey());
}
function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}
