import type { SignInFacts } from '../../contracts/signIns.ts';
import { COMMAS, scopesIn } from '../discovery/scopesIn.ts';

const OFFLINE = 'offline_access';

export interface ScopeQuestion {
  readonly facts: SignInFacts;
  /** `auth.authorizationServer.scopes` of the definition. */
  readonly configured: string | undefined;
  /** Scopes of the grant until now, separated by spaces. */
  readonly granted: string | undefined;
  /** That calls have lacked. */
  readonly missing: readonly string[];
}

/** The scopes of a sign-in, separated by spaces: a step-up keeps what was granted, because its grant takes the place of the former.
 *  @returns undefined: the authorization server decides. Source: MCP 2025-11-25, Authorization, Scope Selection Strategy */
export function scopesToAsk({ facts, configured, granted, missing }: ScopeQuestion): string | undefined {
  const needed = configured === undefined ? (facts.scopes ?? []) : scopesIn(configured, COMMAS);
  const more = missing.length > 0 ? [...scopesIn(granted), ...missing] : [];
  const all = [...new Set([...needed, ...more])];
  // Alone, it would be all that is granted.
  if (all.length > 0 && facts.grantsOffline && !all.includes(OFFLINE)) all.push(OFFLINE);
  return all.length === 0 ? undefined : all.join(' ');
}
