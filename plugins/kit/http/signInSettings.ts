import type { Settings } from 'pegboard';

/** The part of `aggregator.oauth` that says how browsers and clients reach this gateway. */
export interface SignInSettings {
  readonly server?: {
    readonly enabled?: unknown;
    readonly baseUrl?: unknown;
    readonly allowedOrigins?: unknown;
  };
  readonly mcpClient?: { readonly enabled?: unknown; readonly publicUrl?: unknown };
}

export function signInSettings({ aggregator }: Pick<Settings, 'aggregator'>): SignInSettings {
  return (aggregator['oauth'] as SignInSettings | undefined) ?? {};
}

/** Whether people sign in at this gateway. */
export function needsSignIn(settings: Pick<Settings, 'aggregator'>): boolean {
  return signInSettings(settings).server?.enabled === true;
}
