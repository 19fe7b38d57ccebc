import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { CompactSign, compactVerify } from 'jose';
import { CLIENT_ID, CLIENT_SECRET, clientAtProvider } from '../clientAtProvider.ts';
import { serveWithOutages } from '../serveWithOutages.ts';
import type { OutageServer } from '../serveWithOutages.ts';
import {
  AUDIENCE,
  discoveryOf,
  fieldsOf,
  halfHashOf,
  hashOf,
  message,
  newId,
  newKey,
  refusal,
  scopeFault,
} from './forms.ts';
import type { Answer, SigningKey } from './forms.ts';

export interface DexOptions {
  /** Its feature DEX_SESSIONS_ENABLED: id_tokens name the session of the browser. Default: false. */
  readonly hasSessions?: boolean;
  /** `expiry.refreshTokens.reuseInterval`, in ms. Default: 0, as where it is not configured. */
  readonly reuseMs?: number;
  /** `expiry.refreshTokens.absoluteLifetime`, in ms. Default: none, as where it is not configured. */
  readonly lifetimeMs?: number;
  /** Other clients, and whom they trust: `trustedPeers`. Default: none. */
  readonly peers?: Readonly<Record<string, readonly string[]>>;
}
export interface FakeDex extends OutageServer {
  /** `aggregator.oauth.server.idp` for it. */
  readonly config: ReturnType<typeof clientAtProvider>;
  /** Who signs in next, by the only connector. Default: `alice`. */
  readonly loginAs: (userId: string, groups?: readonly string[]) => void;
  /** The connector refuses that person from now on. */
  readonly refuse: (userId: string) => void;
  /** A new signing key; former ones stay published. */
  readonly rotateKeys: () => void;
  /** As with `storage: memory`: it has forgotten its keys, codes, sessions and refresh tokens. */
  readonly restart: () => void;
  /** What it has written into its log about refused refreshes. */
  readonly log: readonly string[];
}

interface Session {
  readonly id: string;
  readonly user: string;
}
interface Authorization {
  readonly client: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly scopes: readonly string[];
  readonly nonce: string | undefined;
  readonly session: Session | undefined;
  /** Seconds since 1970. */
  readonly signedInAt: number | undefined;
}
interface Code extends Authorization {
  readonly challenge: string | null;
  readonly redirectUri: string;
  readonly expiresAt: number;
}
interface RefreshToken extends Authorization {
  readonly id: string;
  token: string;
  obsolete: string;
  readonly createdAt: number;
  lastUsed: number;
}

const CONNECTOR = 'local';
const ISSUER_PATH = '/dex';
const ID_TOKEN_S = 86_400;
const CODE_MS = 1_800_000;
const CLAIMED = 'Refresh token is invalid or has already been claimed by another client.';

/** A fake of Dex on loopback for the authorization code and refresh grants, with one connector, whose pages finish at once. Its answers are
 *  those of https://github.com/dexidp/dex at commit ab64ed778070e983cbb10cfc07ea4bb397d14312:
 *  - one refresh token for a person, connector and client, whatever the session; the next sign-in deletes it:
 *    server/tokens/refresh_store.go:71-104, where the client's id is the only key and SessionID a field beside it
 *  - refused refresh tokens, 400 invalid_request but for those of another client: server/grants/refresh.go:295-306
 *  - a refused person, 500 invalid_request: server/grants/refresh.go:122-126; the token stays: server/tokens/refresh_store.go:196-199
 *  - what counts as claimed twice or expired: server/tokens/refresh_lookup.go:29-71, refresh_store.go:155-188, refresh_strategy.go:84-107
 *  - form of errors and answers: server/oauth2/error.go:43-57, server/tokens/authorization.go:40-76
 *  - its only connector judges the request: server/authflow/authorize.go:98-102
 *  - unknown and untrusted scopes: server/authflow/request.go:256-290, in a redirect: :53-78
 *  - claims, their order, aud and azp: server/tokens/claims.go:62-136, issuer.go:94-189
 *  - keys: the former ones stay for as long as an id_token: server/signer/rotation.go:152-163, server/discovery/discovery.go:77-115, :134-183
 *  - userinfo, the claims of the access token: server/userinfo/userinfo.go:32-56
 *  - with sessions, refreshes repeat what the last sign-in said: server/grants/refresh.go:111-114
 *  The real one runs in heavy/dex.test.ts; `npm run kube:build` builds it from the go.mod beside this file. */
export async function startFakeDex(options: DexOptions = {}): Promise<FakeDex> {
  const { hasSessions = false, reuseMs = 0, lifetimeMs = Infinity, peers = {} } = options;
  const refused = new Set<string>();
  const log: string[] = [];
  const people = new Map<string, readonly string[]>();
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<string, RefreshToken>();
  /** Person and client → id of the refresh token. */
  const offline = new Map<string, string>();
  const sessions = new Map<string, Session>();
  const secrets = new Map([CLIENT_ID, ...Object.keys(peers)].map((id) => [id, CLIENT_SECRET]));
  let login = 'alice';
  let keys: readonly SigningKey[] = [newKey()];

  const server = await serveWithOutages(async (req, res, path) => {
    const answer = await answerTo(req, path);
    res.writeHead(answer.status, {
      ...(answer.body !== '' && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer.body),
      }),
      ...answer.headers,
    });
    res.end(answer.body);
  });
  const issuer = server.url + ISSUER_PATH;

  const answerTo = async (req: IncomingMessage, path: string): Promise<Answer> => {
    const { searchParams } = new URL(req.url ?? '', server.url);
    if (path === `${ISSUER_PATH}/.well-known/openid-configuration`)
      return { status: 200, body: JSON.stringify(discoveryOf(issuer, hasSessions), undefined, 2) };
    if (path === `${ISSUER_PATH}/keys`) {
      const published = { keys: keys.map((key) => key.published) };
      const headers = { 'cache-control': 'max-age=600, must-revalidate' };
      return { status: 200, body: JSON.stringify(published, undefined, 2), headers };
    }
    if (path === `${ISSUER_PATH}/auth`)
      return {
        status: 302,
        body: '',
        headers: { location: `${ISSUER_PATH}/auth/${CONNECTOR}?${searchParams.toString()}` },
      };
    if (path === `${ISSUER_PATH}/auth/${CONNECTOR}`) return authorize(searchParams, req.headers.cookie);
    if (path === `${ISSUER_PATH}/userinfo`) return userinfo(req.headers.authorization);
    if (path !== `${ISSUER_PATH}/token`) return { status: 404, body: '' };
    const form = new URLSearchParams(await text(req));
    const client = clientOf(req.headers.authorization, form);
    if (client === undefined) return refusal(401, 'invalid_client', 'Invalid client credentials.');
    const grant = form.get('grant_type');
    if (grant === 'authorization_code') return redeem(form, client);
    return grant === 'refresh_token'
      ? refresh(form.get('refresh_token') ?? '', client)
      : refusal(400, 'unsupported_grant_type');
  };

  const clientOf = (authorization: string | undefined, form: URLSearchParams): string | undefined => {
    const [, credentials] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
    const [id = '', secret = ''] =
      credentials === undefined
        ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
        : Buffer.from(credentials, 'base64')
            .toString()
            .split(':')
            .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return secrets.has(id) && secrets.get(id) === secret ? id : undefined;
  };

  /** The claims of the access token, which is a JWT too. */
  const userinfo = async (authorization = ''): Promise<Answer> => {
    const [, token] = /^Bearer (.+)$/i.exec(authorization) ?? [];
    if (token === undefined) return refusal(401, 'access_denied', 'Invalid bearer token.');
    const publicKeyOf = ({ kid }: { kid?: string }): KeyObject | Uint8Array =>
      keys.find(({ published }) => published.kid === kid)?.publicKey ?? new Uint8Array();
    return compactVerify(token, publicKeyOf).then(
      ({ payload }) => ({ status: 200, body: Buffer.from(payload).toString() }),
      () => refusal(403, 'access_denied', 'Invalid bearer token.'),
    );
  };

  const authorize = (asked: URLSearchParams, cookie = ''): Answer => {
    const client = asked.get('client_id') ?? '';
    const redirectUri = asked.get('redirect_uri') ?? '';
    const redirect = (parameters: Readonly<Record<string, string>>, headers = {}): Answer => {
      const location = new URL(redirectUri);
      const all = { ...parameters, state: asked.get('state') ?? '' };
      for (const [name, value] of Object.entries(all)) location.searchParams.set(name, value);
      return { status: 303, body: '', headers: { location: location.href, ...headers } };
    };
    const scopes = (asked.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    const fault = scopeFault(scopes, (peer) => peer === client || peers[peer]?.includes(client) === true);
    if (fault !== undefined) return redirect({ error: 'invalid_scope', error_description: fault });
    const [, former = ''] = /dex_session=(\w+)/.exec(cookie) ?? [];
    const session = hasSessions ? (sessions.get(former) ?? { id: newId(), user: login }) : undefined;
    if (session !== undefined) sessions.set(session.id, session);
    const user = session?.user ?? login;
    const code = newId();
    codes.set(code, {
      client,
      user,
      scopes,
      session,
      redirectUri,
      groups: people.get(user) ?? [],
      nonce: asked.get('nonce') ?? undefined,
      challenge: asked.get('code_challenge'),
      signedInAt: Math.floor(Date.now() / 1_000),
      expiresAt: Date.now() + CODE_MS,
    });
    const headers = session && { 'set-cookie': `dex_session=${session.id}; Path=${ISSUER_PATH}; HttpOnly` };
    return redirect({ code }, headers);
  };

  const redeem = async (form: URLSearchParams, client: string): Promise<Answer> => {
    const id = form.get('code') ?? '';
    const code = codes.get(id);
    if (code === undefined || code.client !== client || code.expiresAt < Date.now())
      return refusal(400, 'invalid_grant', 'Invalid or expired code parameter.');
    const verifier = form.get('code_verifier') ?? '';
    if (code.challenge !== null && hashOf(verifier) !== code.challenge)
      return refusal(400, 'invalid_grant', 'Invalid code_verifier.');
    if (code.redirectUri !== form.get('redirect_uri'))
      return refusal(400, 'invalid_request', 'redirect_uri did not match URI from initial request.');
    codes.delete(id);
    return tokensFor(code, id, code.scopes.includes('offline_access') ? create(code) : undefined);
  };

  const create = (of: Authorization): string => {
    const [id, token, createdAt] = [newId(), newId(), Date.now()];
    const place = `${of.user} ${of.client}`;
    refreshTokens.delete(offline.get(place) ?? '');
    refreshTokens.set(id, { ...of, id, token, obsolete: '', createdAt, lastUsed: createdAt });
    offline.set(place, id);
    return message(id, token);
  };

  const refresh = async (sent: string, client: string): Promise<Answer> => {
    const [id = '', token = ''] = fieldsOf(sent);
    const found = refreshTokens.get(id);
    if (found === undefined) return refusal(400, 'invalid_request', CLAIMED);
    if (found.client !== client) return refusal(400, 'invalid_grant', CLAIMED);
    const mayReuse = reuseMs > 0 && Date.now() <= found.lastUsed + reuseMs;
    if (found.token !== token && !(mayReuse && found.obsolete === token && token !== '')) {
      log.push('refresh token claimed twice');
      return refusal(400, 'invalid_request', CLAIMED);
    }
    if (Date.now() > found.createdAt + lifetimeMs) {
      log.push('refresh token expired');
      return refusal(400, 'invalid_request', 'Refresh token expired.');
    }
    if (!mayReuse) {
      if (!hasSessions && refused.has(found.user)) {
        log.push('failed to rotate refresh token');
        return refusal(500, 'invalid_request');
      }
      Object.assign(found, { obsolete: found.token, token: newId(), lastUsed: Date.now() });
      if (!hasSessions) Object.assign(found, { groups: people.get(found.user) ?? [], signedInAt: undefined });
    }
    return tokensFor(found, '', message(found.id, found.token));
  };

  const tokensFor = async (of: Authorization, code: string, refreshToken?: string): Promise<Answer> => {
    const access = await sign(of, newId(), '');
    const body = {
      access_token: access,
      token_type: 'bearer',
      expires_in: ID_TOKEN_S - 1,
      refresh_token: refreshToken,
      id_token: await sign(of, access, code),
    };
    const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
    return { status: 200, body: JSON.stringify(body), headers };
  };

  const sign = (of: Authorization, access: string, code: string): Promise<string> => {
    const { client, user, groups, scopes, nonce, session, signedInAt } = of;
    const now = Math.floor(Date.now() / 1_000);
    const audiences = scopes
      .filter((one) => one.startsWith(AUDIENCE))
      .map((one) => one.slice(AUDIENCE.length));
    const aud = [...new Set([...audiences, client])];
    const claims = {
      iss: issuer,
      sub: message(user, CONNECTOR),
      aud: aud.length === 1 ? client : aud,
      exp: now + ID_TOKEN_S,
      iat: now,
      jti: newId(),
      azp: aud.length === 1 ? undefined : client,
      nonce,
      auth_time: signedInAt,
      sid: session?.id,
      at_hash: halfHashOf(access),
      c_hash: code === '' ? undefined : halfHashOf(code),
      ...(scopes.includes('email') && { email: `${user}@example.com`, email_verified: true }),
      ...(scopes.includes('groups') && groups.length > 0 && { groups }),
      ...(scopes.includes('profile') && { name: user }),
    };
    const [{ published, privateKey }] = keys as [SigningKey];
    const signing = new CompactSign(Buffer.from(JSON.stringify(claims)));
    return signing.setProtectedHeader({ alg: 'RS256', kid: published.kid }).sign(privateKey);
  };

  return {
    ...server,
    config: clientAtProvider(issuer),
    loginAs: (userId, groups = []) => {
      login = userId;
      people.set(userId, groups);
    },
    refuse: (userId) => void refused.add(userId),
    rotateKeys: () => void (keys = [newKey(), ...keys]),
    restart: () => {
      keys = [newKey()];
      for (const kept of [codes, refreshTokens, offline, sessions]) kept.clear();
    },
    log,
  };
}
