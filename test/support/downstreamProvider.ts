import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';
import type { Context } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import type { JsonObject } from '../../kernel/index.ts';
import { firstKey } from './identityProvider.ts';
import { serveWithOutages } from './serveWithOutages.ts';
import type { OutageServer } from './serveWithOutages.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const PARAMETERS = ['connector_id', 'subject_token', 'subject_token_type', 'requested_token_type', 'scope'];
const CLIENT_ID = 'pegboard at b';
const CLIENT_SECRET = 'secret: of + pegboard';

interface Connector {
  readonly issuer: string;
  readonly jwksUrl: string;
}
export interface DownstreamOptions {
  /** connector_id → the issuer that it trusts, and its keys. */
  readonly connectors: Readonly<Record<string, Connector | undefined>>;
  /** Its issuer, where a TLS proxy is in front of it. Default: its own address. */
  readonly issuer?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Lifetime of its tokens, in seconds; default 3600. */
  readonly lifetime?: number;
}
export interface DownstreamProvider extends OutageServer {
  /** A BrokerTarget for it; the file of the secret holds `secret`. */
  readonly target: (more?: JsonObject) => JsonObject;
  readonly secret: string;
  /** The parameters of the exchanges so far, refused ones included. */
  readonly exchanges: readonly Readonly<Record<string, unknown>>[];
  /** Members of its answers that are added or replaced from now on; undefined removes one. */
  readonly answerWith: (changes: Readonly<Record<string, unknown>>) => void;
  /** Adds a connector. */
  readonly connect: (name: string, connector: Connector) => void;
}

/** A second real provider (oidc-provider) with one confidential client, that exchanges tokens as Dex does: by connector. */
export async function startDownstreamProvider(options: DownstreamOptions): Promise<DownstreamProvider> {
  const exchanges: Readonly<Record<string, unknown>>[] = [];
  const connectors = { ...options.connectors };
  let changes: Readonly<Record<string, unknown>> = {};
  const server = await serveWithOutages((req, res) => provider.callback()(req, res), options.port);
  const provider = new Provider(options.issuer ?? server.url, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [firstKey()] },
    cookies: { keys: ['not used'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], groups: ['groups'] },
    conformIdTokenClaims: false,
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [],
        response_types: [],
        grant_types: [TOKEN_EXCHANGE],
      },
    ],
    ttl: { IdToken: options.lifetime ?? 3_600 },
    features: { devInteractions: { enabled: false } },
  });
  provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx: Context) => {
      const params = ctx.oidc.params ?? {};
      exchanges.push({ ...params });
      const connector = connectors[String(params['connector_id'])];
      if (connector === undefined) {
        ctx.status = 400;
        ctx.body = { error: 'invalid_request', error_description: 'Requested connector does not exist.' };
        return;
      }
      const subject = await subjectOf(params, connector);
      if (subject === undefined) {
        ctx.status = 401;
        ctx.body = { error: 'access_denied' };
        return;
      }
      const token = new provider.IdToken(subject, { ctx });
      token.scope = String(params['scope']);
      const body: Readonly<Record<string, unknown>> = {
        access_token: await token.issue({ use: 'idtoken' }),
        issued_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        token_type: 'N_A',
        expires_in: options.lifetime ?? 3_600,
        ...changes,
      };
      ctx.body = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    },
    PARAMETERS,
  );
  return {
    ...server,
    secret: CLIENT_SECRET,
    target: (more = {}) => ({
      idpTokenEndpoint: `${server.url}/token`,
      connectorId: 'a',
      clientId: CLIENT_ID,
      clientSecretFile: 'downstream-secret',
      ...more,
    }),
    exchanges,
    answerWith: (next) => void (changes = next),
    connect: (name, connector) => void (connectors[name] = connector),
  };
}

/** The claims of a subject token that a connector trusts. */
async function subjectOf(
  params: Readonly<Record<string, unknown>>,
  { issuer, jwksUrl }: Connector,
): Promise<JsonObject | undefined> {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  const verified = await jwtVerify(String(params['subject_token']), keys, { issuer }).catch(() => undefined);
  return verified && { sub: verified.payload.sub, groups: verified.payload['groups'] ?? [] };
}
