import type { JsonObject, Settings } from 'pegboard';

/** The part of `aggregator.oauth.server` that says how clients reach this gateway. */
interface SignInSettings {
  readonly enabled?: unknown;
  readonly baseUrl?: unknown;
  readonly allowedOrigins?: unknown;
}

/** The plugin's configuration, which also accepts Host and Origin of the gateway's public address, for the pages of the sign-in,
 *  and the origins that may use the sign-in. @param config not yet validated */
export function withPublicAddress(config: JsonObject, settings: Settings): JsonObject {
  const { enabled, baseUrl, allowedOrigins } = signInOf(settings);
  if (enabled !== true) return config;
  const { hostname, origin } =
    typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : { hostname: '', origin: '' };
  const others = typeof allowedOrigins === 'string' ? allowedOrigins.split(',') : [];
  return {
    ...config,
    allowedHosts: extended(config['allowedHosts'], [hostname]),
    allowedOrigins: extended(config['allowedOrigins'], [origin, ...others.map((one) => one.trim())]),
  };
}

export function needsSignIn(settings: Settings): boolean {
  return signInOf(settings).enabled === true;
}

function signInOf({ aggregator }: Settings): SignInSettings {
  return (aggregator['oauth'] as { readonly server?: SignInSettings } | undefined)?.server ?? {};
}

/** What is not a list is left for the schema to refuse. */
function extended(list: unknown, more: readonly string[]): unknown {
  if (list !== undefined && !Array.isArray(list)) return list;
  return [...((list ?? []) as readonly unknown[]), ...more.filter((one) => one !== '')];
}
