import { guardedFetch } from 'pegboard/net';
import type { GuardedFetch, GuardedFetchParts } from 'pegboard/net';
import type { Log } from 'pegboard';
import * as oauth from 'oauth4webapi';
import { decodeJwt } from 'jose';
import { completed, wordsOfScope, withoutSlash } from './exchangeTarget.ts';
import type { ClientParts, CompleteTarget, ExchangeTarget } from './exchangeTarget.ts';
import { NETWORK_BOUNDS } from './networkBounds.ts';
import { readClient } from './readClient.ts';
import type { ReadClient } from './readClient.ts';
import { DownstreamFault, faultOf } from './downstreamFault.ts';
import { TOKEN_EXCHANGE } from './grantTypes.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
const ACCESS_TOKEN = `${TYPE}access_token`;
/** What a provider may say that it has issued. Source: RFC 8693 §3 */
const ISSUED_TYPES = [`${TYPE}id_token`, ACCESS_TOKEN, `${TYPE}jwt`];
const OTHER_TOKENS = ['id_token', 'refresh_token'];
/** Assumed life of a token whose provider does not say when it ends. */
const UNKNOWN_LIFE_MS = 60_000;
const MAX_LIFE_MS = 31_536_000_000;

export interface DownstreamParts extends ClientParts {
  readonly fetch: GuardedFetch;
  /** The key of config.yaml that lets endpoints have private addresses, for the log. */
  readonly privateKey: string;
  readonly log: Log;
}
export interface DownstreamOptions
  extends Omit<DownstreamParts, 'fetch'>, Pick<GuardedFetchParts, 'trust' | 'proxies'> {
  /** Whether token endpoints may have private addresses. */
  readonly allowPrivate: boolean;
}
/** A token of a downstream identity provider. */
export interface DownstreamToken {
  readonly token: string;
  /** Its type, as a URI of RFC 8693 §3. */
  readonly type: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** Time in ms since 1970. */
  readonly expiresAt: number;
}

interface Subject {
  readonly token: string;
  readonly type: string;
}

/** Exchanges subject tokens at downstream identity providers. Source: RFC 8693 */
export class Downstream {
  readonly #parts: DownstreamParts;

  static open({ allowPrivate, trust, proxies, ...parts }: DownstreamOptions): Downstream {
    const fetch = guardedFetch({ ...NETWORK_BOUNDS, allowPrivate, proxies, ...(trust && { trust }) });
    return new Downstream({ ...parts, fetch });
  }

  constructor(parts: DownstreamParts) {
    this.#parts = parts;
  }

  /** @param type of the token, as a URI @throws OAuthError invalid_grant, invalid_target; temporarily_unavailable (503); server_error (502) */
  async exchange(given: ExchangeTarget, token: string, type: string): Promise<DownstreamToken> {
    const target = completed(given);
    try {
      const client = await readClient(target.client, this.#parts);
      if ('fault' in client) throw new DownstreamFault('unavailable', 'secret-unreadable', client.fault);
      const response = await this.#request(target, client, { token, type });
      if (response.status !== 200) throw await DownstreamFault.of(response);
      return await tokenIn(response, target, client);
    } catch (error) {
      const { refusal, level, detail } = faultOf(error, this.#parts.privateKey);
      const { reason } = refusal;
      this.#parts.log[level]('a downstream provider gave no token', { target: target.name, reason, detail });
      throw refusal;
    }
  }

  #request(target: CompleteTarget, { id, secret }: ReadClient, subject: Subject): Promise<Response> {
    const { fetch } = this.#parts;
    const { endpoint, connectorId, audience, resource, scopes } = target;
    const form = { connector_id: connectorId, audience, resource, scope: scopes };
    const written = Object.entries(form).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return oauth.genericTokenEndpointRequest(
      serverOf(target),
      { client_id: id },
      secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret),
      TOKEN_EXCHANGE,
      {
        ...Object.fromEntries(written),
        subject_token: subject.token,
        subject_token_type: subject.type,
        requested_token_type: TYPE + target.requestedTokenType,
      },
      {
        [oauth.customFetch]: (url, options) => fetch(url, options),
        // Deprecated only to be noticed; configFindings lets http pass for this machine only.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        [oauth.allowInsecureRequests]: endpoint.startsWith('http:'),
      },
    );
  }
}

function serverOf({ expectedIssuer, endpoint }: CompleteTarget): oauth.AuthorizationServer {
  return { issuer: expectedIssuer, token_endpoint: endpoint };
}

/** @throws DownstreamFault, or what oauth4webapi throws */
async function tokenIn(
  response: Response,
  target: CompleteTarget,
  { id }: ReadClient,
): Promise<DownstreamToken> {
  const body = await oauth.processGenericTokenEndpointResponse(
    serverOf(target),
    { client_id: id },
    await withoutOtherTokens(response),
    { recognizedTokenTypes: { n_a: () => undefined, dpop: refuseBound } },
  );
  const token = body.access_token;
  const claims = claimsOf(token);
  if (claims === undefined) mayBeOpaque(target);
  else mustBeFrom(target, claims);
  const expiresAt = endOf(body.expires_in, claims?.['exp']);
  if (expiresAt <= Date.now())
    throw new DownstreamFault('unusable', 'expired', 'its token has already expired');
  const type =
    body['issued_token_type'] ?? (claims === undefined ? ACCESS_TOKEN : TYPE + target.requestedTokenType);
  if (!isIssuedType(type))
    throw new DownstreamFault('unusable', 'token-type', 'its issued_token_type is not one that is handed on');
  return { token, type, scope: grantedIn(body.scope ?? '', target), expiresAt };
}

/** Other tokens are not handed on, so they need not be right. */
async function withoutOtherTokens(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  try {
    const body = JSON.stringify(JSON.parse(text), (key, value: unknown) =>
      OTHER_TOKENS.includes(key) ? undefined : value,
    );
    return new Response(body, { status, headers });
  } catch {
    // The reason would quote the answer, which may be a token.
    throw new DownstreamFault('unusable', 'answer', 'its answer is not JSON, or too deep');
  }
}

/** It would be handed on as Bearer. @throws DownstreamFault */
function refuseBound(): never {
  throw new DownstreamFault('unusable', 'bound-token', 'its token is bound to a key (DPoP)');
}

/** Claims of a token from the provider itself: its signature says no more than the connection. Undefined if it is not a JWT.
 *  Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation */
function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/** @throws DownstreamFault */
function mayBeOpaque({ takesOpaque }: CompleteTarget): void {
  if (takesOpaque) return;
  const text =
    'its token is not a JWT, so its issuer is unknown; without expectedIssuer it would be handed on';
  throw new DownstreamFault('unusable', 'opaque-token', text);
}

/** @throws DownstreamFault */
function mustBeFrom({ expectedIssuer }: CompleteTarget, { iss }: Readonly<Record<string, unknown>>): void {
  if (typeof iss === 'string' && withoutSlash(iss) === expectedIssuer) return;
  const text = `expected a JWT of ${expectedIssuer}; if its issuer is another one, set expectedIssuer`;
  throw new DownstreamFault('unusable', 'other-issuer', text);
}

/** When a token ends, in ms since 1970. @param expiresIn in seconds @param exp a claim; what is not a number has passed */
function endOf(expiresIn: number | undefined, exp: unknown): number {
  const now = Date.now();
  const byAnswer = expiresIn === undefined ? Infinity : now + expiresIn * 1_000;
  const byToken = exp === undefined ? Infinity : typeof exp === 'number' ? exp * 1_000 : 0;
  const end = Math.min(byAnswer, byToken);
  return end === Infinity ? now + UNKNOWN_LIFE_MS : Math.min(end, now + MAX_LIFE_MS);
}

function isIssuedType(type: unknown): type is string {
  return ISSUED_TYPES.some((one) => one === type);
}

/** What was asked for, unless the provider says less. @throws DownstreamFault */
function grantedIn(scope: string, target: CompleteTarget): string {
  const asked = wordsOfScope(target.scopes);
  const granted = wordsOfScope(scope);
  if (granted.length === 0) return target.scopes;
  if (asked.length === 0 || granted.every((one) => asked.includes(one))) return granted.join(' ');
  throw new DownstreamFault('unusable', 'wider-scope', 'its scope has more than the scopes of the target');
}
