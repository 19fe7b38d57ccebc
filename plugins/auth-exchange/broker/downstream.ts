import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import type { Log } from 'pegboard';
import type { GuardedFetch } from 'pegboard/net';
import { TOKEN_EXCHANGE } from '../grantTypes.ts';
import { DownstreamFault, faultOf } from './downstreamFault.ts';
import { secretIn } from './secretIn.ts';
import { withoutSlash } from './targets.ts';
import type { ExchangeTarget } from './targets.ts';

const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
/** Of a token whose provider does not say when it ends. */
const UNKNOWN_LIFE_MS = 60_000;

export interface DownstreamParts {
  readonly fetch: GuardedFetch;
  /** Base of relative paths. */
  readonly directory: () => string;
  readonly log: Log;
}
/** A token of a downstream identity provider. */
export interface DownstreamToken {
  readonly token: string;
  /** Its type, as a URI of RFC 8693 §3. */
  readonly type: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

/** Exchanges subject tokens at downstream identity providers. Source: RFC 8693 */
export class Downstream {
  readonly #parts: DownstreamParts;

  constructor(parts: DownstreamParts) {
    this.#parts = parts;
  }

  /** @param type of the token, as a URI @throws OAuthError invalid_grant, invalid_target; temporarily_unavailable (503); server_error (502) */
  async exchange(target: ExchangeTarget, token: string, type: string): Promise<DownstreamToken> {
    try {
      const response = await this.#request(target, token, type);
      if (response.status !== 200) throw await DownstreamFault.of(response);
      return await tokenIn(response, target);
    } catch (error) {
      const { refusal, detail } = faultOf(error);
      const { reason } = refusal;
      // A subject that is refused there is no fault of the configuration.
      const level = refusal.error === 'invalid_grant' ? 'info' : 'warn';
      this.#parts.log[level]('a downstream provider gave no token', { target: target.name, reason, detail });
      throw refusal;
    }
  }

  #request(target: ExchangeTarget, token: string, type: string): Promise<Response> {
    const { fetch, directory } = this.#parts;
    const { endpoint, clientId, clientSecretFile } = target;
    const read = secretIn(clientSecretFile, directory());
    if ('fault' in read) throw new DownstreamFault('unavailable', 'secret-unreadable', read.fault);
    return oauth.genericTokenEndpointRequest(
      serverOf(target),
      { client_id: clientId },
      oauth.ClientSecretBasic(read.secret),
      TOKEN_EXCHANGE,
      {
        connector_id: target.connectorId,
        subject_token: token,
        subject_token_type: type,
        requested_token_type: ID_TOKEN,
        scope: target.scopes,
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

function serverOf({ expectedIssuer, endpoint }: ExchangeTarget): oauth.AuthorizationServer {
  return { issuer: expectedIssuer, token_endpoint: endpoint };
}

/** @throws DownstreamFault, or what oauth4webapi throws */
async function tokenIn(response: Response, target: ExchangeTarget): Promise<DownstreamToken> {
  const body = await oauth.processGenericTokenEndpointResponse(
    serverOf(target),
    { client_id: target.clientId },
    await withoutIdToken(response),
    { recognizedTokenTypes: { n_a: () => undefined } },
  );
  const token = body.access_token;
  const { iss, exp } = claimsOf(token);
  if (typeof iss !== 'string' || withoutSlash(iss) !== target.expectedIssuer)
    throw new DownstreamFault('unusable', 'other-issuer', `expected a JWT of ${target.expectedIssuer}`);
  const granted = body.scope ?? target.scopes;
  const asked = target.scopes.split(' ');
  if (!granted.split(' ').every((scope) => asked.includes(scope)))
    throw new DownstreamFault('unusable', 'wider-scope', 'its scope has more than the scopes of the target');
  const now = Date.now();
  const ends = [
    body.expires_in === undefined ? undefined : now + body.expires_in * 1_000,
    exp && exp * 1_000,
  ];
  const known = ends.filter((end) => end !== undefined);
  const expiresAt = known.length === 0 ? now + UNKNOWN_LIFE_MS : Math.min(...known);
  if (expiresAt <= now) throw new DownstreamFault('unusable', 'expired', 'its token has already expired');
  const type = body['issued_token_type'];
  return { token, type: typeof type === 'string' ? type : ID_TOKEN, scope: granted, expiresAt };
}

/** An id token beside the issued one is not handed on, so it need not be verified. */
async function withoutIdToken(response: Response): Promise<Response> {
  const body = (await response.json()) as Record<string, unknown> | null;
  const { status, headers } = response;
  return new Response(
    JSON.stringify(body, (key, value: unknown) => (key === 'id_token' ? undefined : value)),
    {
      status,
      headers,
    },
  );
}

/** Of a token that comes from the provider itself: its signature says no more than the connection. Source: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation */
function claimsOf(token: string): { readonly iss?: string; readonly exp?: number } {
  try {
    return decodeJwt(token);
  } catch {
    throw new DownstreamFault('unusable', 'opaque-token', 'its token is not a JWT, so its issuer is unknown');
  }
}
