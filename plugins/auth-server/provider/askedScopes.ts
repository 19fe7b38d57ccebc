import type { Log } from 'pegboard';
import type { SignInScopes } from '../contract.ts';

/** Without spaces: each would begin another scope. */
const AUDIENCE = /^[A-Za-z0-9._:/-]{1,256}$/;

export interface AskedScopesParts {
  /** Of the configuration. */
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
    const usable = audiences.filter((audience) => this.#isUsable(audience));
    return [...new Set([...scopes(), ...usable.map((audience) => `audience:server:client_id:${audience}`)])];
  }

  /** Warns once for each: anyone can begin a sign-in. */
  #isUsable(audience: string): boolean {
    if (AUDIENCE.test(audience)) return true;
    if (!this.#warned.has(audience))
      this.#parts.log.warn(
        'an audience is not requested at sign-ins: it has characters that a scope may not',
        {
          audience,
        },
      );
    this.#warned.add(audience);
    return false;
  }
}
