import type { JsonObject, ReloadReport } from '../../kernel/index.ts';
import { startAuthServer } from './authServer.ts';
import type { AuthServer, TokenAnswer } from './authServer.ts';
import { startDownstreamProvider } from './downstreamProvider.ts';
import type { DownstreamOptions, DownstreamProvider } from './downstreamProvider.ts';
import { startTokenIssuer } from './tokenIssuer.ts';
import type { TokenIssuer } from './tokenIssuer.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const PORTAL_SECRET = 'secret of portal';
/** `portal`, authenticated. */
export const AS_PORTAL = { authorization: basic('portal', PORTAL_SECRET) };

type Texts = Readonly<Record<string, string | undefined>>;

export interface ExchangeOptions {
  /** More of the trusted issuer. */
  readonly trusted?: JsonObject;
  /** Instead of the one trusted issuer. */
  readonly trustedIssuers?: (issuer: TokenIssuer) => readonly JsonObject[];
  /** More of the target `cluster-b`. */
  readonly target?: JsonObject;
  /** More of the broker; false: none. */
  readonly broker?: JsonObject | ((downstream: DownstreamProvider) => JsonObject) | false;
  /** More keys of aggregator.oauth.server. */
  readonly server?: JsonObject;
  /** More of config.yaml. */
  readonly settings?: JsonObject;
  readonly downstream?: Partial<DownstreamOptions>;
  /** More connectors of the downstream provider, by name. */
  readonly connectors?: DownstreamOptions['connectors'];
}

export interface ExchangeGateway {
  readonly gateway: AuthServer;
  readonly issuer: TokenIssuer;
  readonly downstream: DownstreamProvider;
  /** Exchanges a token of alice as `portal` for `cluster-b`; undefined leaves a parameter out. */
  readonly exchange: (changes?: Texts, headers?: Readonly<Record<string, string>>) => Promise<TokenAnswer>;
  /** Changes keys of the broker while it runs. */
  readonly configureBroker: (changes: JsonObject) => Promise<ReloadReport>;
}

/** A gateway with sign-in that trusts one issuer, with the broker client `portal` and the target `cluster-b` at a second provider. */
export async function startExchange(options: ExchangeOptions = {}): Promise<ExchangeGateway> {
  const issuer = await startTokenIssuer();
  const downstream = await startDownstreamProvider({
    connectors: { a: { issuer: issuer.url, jwksUrl: `${issuer.url}/keys` }, ...options.connectors },
    ...options.downstream,
  });
  const { broker = {} } = options;
  const brokerConfig: JsonObject = {
    clientAudiences: { portal: ['cluster-b'] },
    brokerClients: { portal: { clientSecretFile: 'portal-secret' } },
    targets: { 'cluster-b': downstream.target(options.target) },
    allowPrivateIP: true,
    ...(typeof broker === 'function' ? broker(downstream) : broker),
  };
  const gateway = await startAuthServer({
    builtIns: [
      ...['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets', 'vault-memory'],
      ...['auth-server', 'auth-exchange'],
    ],
    files: { 'portal-secret': `${PORTAL_SECRET}\n`, 'downstream-secret': `${downstream.secret}\n` },
    config: {
      trustedIssuers: options.trustedIssuers?.(issuer) ?? [issuer.trusted(options.trusted)],
      ...(broker !== false && { tokenExchangeBroker: brokerConfig }),
      ...options.server,
    },
    ...(options.settings !== undefined && { settings: options.settings }),
  });
  return {
    gateway,
    issuer,
    downstream,
    exchange: async (changes = {}, headers = AS_PORTAL) => {
      const form = {
        grant_type: TOKEN_EXCHANGE,
        subject_token: 'subject_token' in changes ? undefined : await issuer.sign(),
        subject_token_type: typeUri('access_token'),
        audience: 'cluster-b',
      };
      return gateway.post({ ...form, ...changes }, headers);
    },
    configureBroker: (changes) =>
      gateway.configureServer({ tokenExchangeBroker: { ...brokerConfig, ...changes } }),
  };
}

/** @param name `id_token`, `access_token`, `jwt`, … */
export function typeUri(name: string): string {
  return TYPE + name;
}

export function basic(id: string, secret: string): string {
  const [user, password] = [id, secret].map((part) => encodeURIComponent(part));
  return `Basic ${Buffer.from(`${user!}:${password!}`).toString('base64')}`;
}
