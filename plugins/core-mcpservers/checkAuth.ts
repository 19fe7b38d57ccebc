import type { Finding } from 'pegboard';

/** `auth` of a definition. Source: requirement server.schema. */
export interface AuthSpec {
  readonly type: 'oauth' | 'none';
  readonly forwardToken: boolean;
  readonly tokenExchange?: {
    readonly enabled: boolean;
    readonly idpTokenEndpoint?: string;
    readonly dexTokenEndpoint?: string;
    readonly connectorId?: string;
  };
  readonly authorizationServer?: { readonly issuer: string };
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
  return [];
}

function checkExchange({ tokenExchange }: AuthSpec): readonly Finding[] {
  if (tokenExchange === undefined) return [];
  const { enabled, idpTokenEndpoint, dexTokenEndpoint, connectorId } = tokenExchange;
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
  if (connectorId === undefined)
    findings.push({ path, message: 'auth.tokenExchange.connectorId is required when enabled' });
  return findings;
}
