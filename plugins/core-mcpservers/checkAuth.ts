import type { Finding } from 'pegboard';
import type { PinnedServer } from '../contracts/credentials.ts';
import { ownParameters } from '../kit/oauth/ownParameters.ts';

/** `auth` of a definition. Source: requirement server.schema. */
export interface AuthSpec {
  readonly type: 'oauth' | 'none';
  readonly forwardToken: boolean;
  readonly tokenExchange?: {
    readonly enabled: boolean;
    readonly idpTokenEndpoint?: string;
    readonly dexTokenEndpoint?: string;
    readonly connectorId?: string;
    readonly audience?: string;
    readonly resource?: string;
  };
  readonly authorizationServer?: PinnedServer;
}

/** The rules that the schema cannot express. */
export function checkAuth({
  type,
  auth,
}: {
  readonly type: string;
  readonly auth?: AuthSpec;
}): readonly Finding[] {
  if (auth === undefined) return [];
  if (type === 'stdio' && auth.type !== 'none') {
    const message = 'auth configuration is only supported for remote server types (streamable-http or sse)';
    return [{ path: ['auth'], message }];
  }
  return [...checkPinned(auth), ...checkExchange(auth)];
}

function checkPinned({
  type,
  forwardToken,
  tokenExchange,
  authorizationServer,
}: AuthSpec): readonly Finding[] {
  if (authorizationServer === undefined) return [];
  const at = (message: string): Finding => ({ path: ['auth', 'authorizationServer'], message });
  if (type !== 'oauth') return [at('auth.authorizationServer needs auth.type: oauth')];
  if (forwardToken) return [at('auth.authorizationServer and auth.forwardToken exclude one another')];
  if (tokenExchange?.enabled === true)
    return [at('auth.authorizationServer and auth.tokenExchange exclude one another')];
  return checkQuirks(authorizationServer);
}

/** Keys that depend on one another. */
function checkQuirks(pinned: PinnedServer): readonly Finding[] {
  const { parameters = {}, tokenEndpointAuthMethod: method, clientSecret, clientId } = pinned;
  const { authorizationEndpoint, tokenEndpoint, revocationEndpoint } = pinned;
  const findings: Finding[] = [];
  const refuse = (key: string, fault: string, name?: string): void => {
    const path = ['auth', 'authorizationServer', key, ...(name === undefined ? [] : [name])];
    findings.push({ path, message: `${path.join('.')} ${fault}` });
  };
  for (const name of ownParameters(parameters))
    refuse('parameters', 'is set by the sign-in itself; remove it', name);
  if ('resource' in parameters)
    refuse('parameters', 'is the url of the server; remove it, or write resource: none beside', 'resource');
  if (method === 'none' && clientSecret !== undefined)
    refuse('tokenEndpointAuthMethod', 'keeps clientSecret from being sent; remove one of them');
  if (method !== undefined && method !== 'none' && (clientId === undefined || clientSecret === undefined))
    refuse('tokenEndpointAuthMethod', `is ${method}, which needs clientId and clientSecret; write them`);
  else if (clientSecret !== undefined && clientId === undefined)
    refuse('clientSecret', 'is of no use without the id of its client; write clientId');
  const [written] =
    Object.entries({ authorizationEndpoint, tokenEndpoint, revocationEndpoint }).find(
      ([, url]) => url !== undefined,
    ) ?? [];
  if (written === undefined) return findings;
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined)
    refuse(
      written,
      'counts only with authorizationEndpoint and tokenEndpoint, in place of metadata; write both',
    );
  else if (clientId === undefined)
    refuse(written, 'is in place of metadata, so no one says how to become known there; write clientId');
  return findings;
}

function checkExchange({ tokenExchange }: AuthSpec): readonly Finding[] {
  if (tokenExchange === undefined) return [];
  const { enabled, idpTokenEndpoint, dexTokenEndpoint, connectorId, audience, resource } = tokenExchange;
  const findings: Finding[] = [];
  const path = ['auth', 'tokenExchange'];
  if (dexTokenEndpoint !== undefined) {
    const isBoth = idpTokenEndpoint !== undefined;
    const fix = isBoth ? 'remove it, idpTokenEndpoint is used' : 'rename it to idpTokenEndpoint';
    const message = `auth.tokenExchange.dexTokenEndpoint is an older name; ${fix}`;
    findings.push({ path: [...path, 'dexTokenEndpoint'], message, severity: 'warning' });
  }
  if (!enabled) return findings;
  if ((idpTokenEndpoint ?? dexTokenEndpoint) === undefined)
    findings.push({ path, message: 'auth.tokenExchange.idpTokenEndpoint is required when enabled' });
  if ((connectorId ?? audience ?? resource) === undefined)
    findings.push({
      path,
      message: 'auth.tokenExchange needs connectorId (Dex), audience (Keycloak) or resource when enabled',
    });
  return findings;
}
