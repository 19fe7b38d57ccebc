import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, SignJWT } from 'jose';
import { CLIENT_ID, clientAtProvider } from './clientAtProvider.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

/** Members that are added or replaced; undefined removes one. */
type Changes = Readonly<Record<string, unknown>>;

/** The ways in which the provider's answers differ from honest ones. */
export interface Lies {
  /** Changes to the claims of each id_token. */
  readonly claims?: Changes;
  /** `none`: unsigned. `HS256`: the public key (PEM) is the secret. `unknown-kid`: a key that is not published.
   *  `published-kid`: that key too, under the kid of the published one. */
  readonly signature?: 'none' | 'HS256' | 'unknown-kid' | 'published-kid';
  /** Changes to the parameters of the redirect to the client: `{ code: undefined, error: 'login_required' }`. */
  readonly redirect?: Changes;
  /** Text of scopes that it answers with `invalid_scope`, as Keycloak and Dex do. */
  readonly unknownScopes?: string;
  readonly discovery?: Changes;
  readonly userinfo?: Changes;
  /** Changes to the answer to `authorization_code`; those of `refresh` are to the one to `refresh_token`. */
  readonly token?: Changes;
  readonly refresh?: Changes;
  /** Path → the whole answer in place of the honest one. */
  readonly answers?: Readonly<Record<string, Answer>>;
}
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface LyingProvider extends OutageServer {
  /** `aggregator.oauth.server.idp` for it. */
  readonly config: ReturnType<typeof clientAtProvider>;
  /** Tells these lies from now on, and no others. */
  readonly lie: (lies: Lies) => void;
}

/** An OpenID provider on loopback that signs everybody in as `mallory` and lies when told. */
export async function startLyingProvider(first: Lies = {}): Promise<LyingProvider> {
  let lies = first;
  const { published, other } = keys();
  const nonces = new Map<string, string>();

  const server = await serveWithOutages(async (req, res, path) => {
    const answer = lies.answers?.[path] ?? (await honest(req, path));
    res.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    res.end(answer.body);
  });
  const honest = async (req: IncomingMessage, path: string): Promise<Answer> => {
    const { searchParams } = new URL(req.url ?? '', server.url);
    if (path === '/.well-known/openid-configuration') return json(discoveryOf(server.url), lies.discovery);
    if (path === '/jwks') return json({ keys: [await publicJwk(published)] });
    if (path === '/userinfo') return json(PERSON, lies.userinfo);
    if (path === '/token') return token(new URLSearchParams(await text(req)));
    if (path === '/auth') return redirect(searchParams);
    return { status: 404 };
  };
  const redirect = (asked: URLSearchParams): Answer => {
    const code = randomUUID();
    nonces.set(code, asked.get('nonce') ?? '');
    const location = new URL(asked.get('redirect_uri') ?? '');
    const scope = asked.get('scope') ?? '';
    const isRefused = lies.unknownScopes !== undefined && scope.includes(lies.unknownScopes);
    const answer = isRefused
      ? { error: 'invalid_scope', error_description: `Invalid scopes: ${scope}` }
      : { code };
    const parameters = changed({ ...answer, state: asked.get('state'), iss: server.url }, lies.redirect);
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, String(value));
    return { status: 302, headers: { location: location.href } };
  };
  const token = async (form: URLSearchParams): Promise<Answer> => {
    const nonce = nonces.get(form.get('code') ?? '');
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 3600, ...(nonce === undefined ? {} : { nonce }) };
    const claims = changed({ iss: server.url, aud: CLIENT_ID, ...PERSON, ...times }, lies.claims);
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID(), id_token: await sign(claims) };
    return json({ ...tokens, token_type: 'Bearer', expires_in: 3600 }, isRefresh ? lies.refresh : lies.token);
  };
  const sign = (claims: Changes): Promise<string> | string => {
    const { signature } = lies;
    const { kid } = signature === 'unknown-kid' ? other : published;
    if (signature === 'none') return `${unsigned({ alg: 'none' }, claims)}.`;
    if (signature === 'HS256') {
      const pem = published.publicKey.export({ type: 'spki', format: 'pem' });
      const content = unsigned({ alg: 'HS256', kid }, claims);
      return `${content}.${createHmac('sha256', pem).update(content).digest('base64url')}`;
    }
    const { privateKey } = signature === undefined ? published : other;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  };
  return {
    ...server,
    config: clientAtProvider(server.url),
    lie: (next) => void (lies = next),
  };
}

const PERSON = {
  sub: 'mallory',
  name: 'Mallory',
  email: 'mallory@example.com',
  email_verified: true,
  groups: ['staff'],
};

function discoveryOf(issuer: string): Changes {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
function changed(honest: Changes, changes: Changes = {}): Changes {
  return Object.fromEntries(
    Object.entries({ ...honest, ...changes }).filter(([, value]) => value !== undefined),
  );
}
function json(honest: Changes, changes?: Changes): Answer {
  return { body: JSON.stringify(changed(honest, changes)) };
}
function unsigned(header: object, claims: Changes): string {
  return [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}
interface Key {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
let both: { readonly published: Key; readonly other: Key } | undefined;

/** The same ones for all providers of this process: creating one takes a quarter of a second. */
function keys() {
  return (both ??= { published: newKey(), other: newKey() });
}
function newKey(): Key {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}
async function publicJwk({ kid, publicKey }: Key): Promise<Changes> {
  return { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
}
