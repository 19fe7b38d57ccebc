import type { Log } from 'pegboard';
import { audienceScope } from '../../kit/oauth/audienceScope.ts';
import type { SignInScopes } from '../../contracts/oauth.ts';

export interface AskedScopesParts {
  /** Scopes that the configuration asks for. */
  readonly scopes: () => readonly string[];
  readonly others: () => readonly SignInScopes[];
  readonly log: Log;
}

/** What the identity provider is asked for: the scopes of the configuration, and the audiences of other plugins. */
export class AskedScopes {
  readonly #parts: AskedScopesParts;
  readonly #warned = new Set<string>();

  constructor(parts: AskedScopesParts) {
    this.#parts = parts;
  }

  list(): readonly string[] {
    const { scopes, others } = this.#parts;
    const audiences = others().flatMap((other) => other.audiences());
    return [...new Set([...scopes(), ...audiences.flatMap((audience) => this.#scopeOf(audience) ?? [])])];
  }

  /** Warns once for each: anyone can begin a sign-in. */
  #scopeOf(audience: string): string | undefined {
    const scope = audienceScope(audience);
    if (scope !== undefined || this.#warned.has(audience)) return scope;
    this.#warned.add(audience);
    this.#parts.log.warn('an audience is not requested at sign-ins: it has characters that a scope may not', {
      audience,
    });
    return undefined;
  }
}
