import type { Log } from 'pegboard';
import { audienceScope } from '../../kit/oauth/audienceScope.ts';
import type { SignInScopes } from '../../contracts/oauth.ts';

/** What the identity provider is asked for: the scopes of the configuration, and the audiences of other plugins. */
export class AskedScopes {
  readonly #scopes: () => readonly string[];
  readonly #others: () => readonly SignInScopes[];
  readonly #log: Log;
  readonly #warned = new Set<string>();

  /** @param scopes scopes that the configuration asks for */
  constructor(scopes: () => readonly string[], others: () => readonly SignInScopes[], log: Log) {
    this.#scopes = scopes;
    this.#others = others;
    this.#log = log;
  }

  list(): readonly string[] {
    const audiences = this.#others().flatMap((other) => other.audiences());
    return [
      ...new Set([...this.#scopes(), ...audiences.flatMap((audience) => this.#scopeOf(audience) ?? [])]),
    ];
  }

  /** Warns once for each: anyone can begin a sign-in. */
  #scopeOf(audience: string): string | undefined {
    const scope = audienceScope(audience);
    if (scope !== undefined || this.#warned.has(audience)) return scope;
    this.#warned.add(audience);
    this.#log.warn('an audience is not requested at sign-ins: it has characters that a scope may not', {
      audience,
    });
    return undefined;
  }
}
