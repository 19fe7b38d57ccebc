import type { JsonObject } from 'pegboard';
import type { AuthRules, PinnedServer } from '../../contracts/credentials.ts';
import type { ClientSecretRef } from '../../contracts/secrets.ts';

interface AuthSpec {
  readonly type: 'oauth' | 'none';
  readonly forwardToken: boolean;
  readonly requiredAudiences?: readonly string[];
  readonly grantScope?: AuthRules['grantScope'];
  readonly tokenExchange?: {
    readonly enabled: boolean;
    readonly idpTokenEndpoint?: string;
    readonly dexTokenEndpoint?: string;
    readonly connectorId?: string;
    readonly expectedIssuer?: string;
    readonly audience?: string;
    readonly resource?: string;
    readonly requestedTokenType?: 'id_token' | 'access_token' | 'jwt';
    readonly subjectTokenType?: 'id_token' | 'access_token';
    readonly scopes?: string;
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly clientCredentialsSecretRef?: ClientSecretRef;
  };
  readonly authorizationServer?: PinnedServer;
}
type Texts = Readonly<Record<string, string>>;

const CALLER_REFERENCE = /\$\{caller:([^{}]+)\}/g;

/** @param spec validated against the kind's schema. Source: requirement server.schema */
export function readAuthRules({ auth, env, headers }: JsonObject): AuthRules {
  const spec = auth as AuthSpec | undefined;
  const pinned = spec?.authorizationServer;
  const exchange = spec?.tokenExchange;
  const values = [env, headers].flatMap((texts) => Object.values((texts ?? {}) as Texts));
  return {
    type: spec?.type,
    forwardToken: spec?.forwardToken === true,
    requiredAudiences: spec?.requiredAudiences ?? [],
    tokenExchange:
      exchange?.enabled === true
        ? {
            endpoint: exchange.idpTokenEndpoint ?? exchange.dexTokenEndpoint ?? '',
            connectorId: exchange.connectorId,
            audience: exchange.audience,
            resource: exchange.resource,
            requestedTokenType: exchange.requestedTokenType,
            subjectTokenType: exchange.subjectTokenType,
            expectedIssuer: exchange.expectedIssuer,
            scopes: exchange.scopes,
            clientId: exchange.clientId,
            clientSecret: exchange.clientSecret,
            secretRef: exchange.clientCredentialsSecretRef,
          }
        : undefined,
    authorizationServer: pinned,
    grantScope: pinned?.grantScope ?? spec?.grantScope ?? 'session',
    callerSecrets: [...new Set(values.flatMap(callerNames))].sort(),
  };
}

/** Whether callers need credentials of their own. */
export function isForCallers({ type, forwardToken, tokenExchange, callerSecrets }: AuthRules): boolean {
  return type === 'oauth' || forwardToken || tokenExchange !== undefined || callerSecrets.length > 0;
}

/** Whether callers are connected by their sign-in at this gateway, without one at the server. */
export function isSingleSignOn({ forwardToken, tokenExchange }: AuthRules): boolean {
  return forwardToken || tokenExchange !== undefined;
}

/** Fills `${caller:NAME}`. @param given by NAME; what is missing becomes an empty string */
export function fillCallerReferences(values: Texts, given: Texts): Texts {
  const filled = Object.entries(values).map(
    ([name, value]) => [name, value.replace(CALLER_REFERENCE, (_, key: string) => given[key] ?? '')] as const,
  );
  return Object.fromEntries(filled);
}

function callerNames(value: string): readonly string[] {
  return [...value.matchAll(CALLER_REFERENCE)].map(([, name = '']) => name);
}

/** The audiences that the tokens of people shall have, because servers want them. */
export function forwardedAudiences(servers: readonly { readonly auth: AuthRules }[]): readonly string[] {
  const forwarding = servers.filter(({ auth }) => auth.forwardToken && auth.tokenExchange === undefined);
  return [...new Set(forwarding.flatMap(({ auth }) => auth.requiredAudiences))].sort();
}
