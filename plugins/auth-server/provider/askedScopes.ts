import type { Log } from 'pegboard';
import { audienceScope } from '../../kit/oauth/audienceScope.ts';
import type { SignInScopes } from '../../contracts/oauth.ts';
import type { ProviderConfig } from '../config.ts';

/** What the identity provider is asked for: the scopes of the configuration, and the audiences of other plugins. */
export class AskedScopes {
  readonly #idp: () => Pick<ProviderConfig, 'scopes' | 'audienceScope'>;
  readonly #others: () => readonly SignInScopes[];
  readonly #log: Log;
  readonly #warned = new Set<string>();

  constructor(
    idp: () => Pick<ProviderConfig, 'scopes' | 'audienceScope'>,
    others: () => readonly SignInScopes[],
    log: Log,
  ) {
    this.#idp = idp;
    this.#others = others;
    this.#log = log;
  }

  /** @param isRefused whether the provider has refused the audiences at this sign-in */
  list(isRefused = false): readonly string[] {
    const { scopes } = this.#idp();
    const audiences = isRefused ? [] : this.#audiences();
    return [...new Set([...scopes, ...audiences.flatMap((audience) => this.#scopeOf(audience) ?? [])])];
  }

  /** Whether a sign-in can be tried again without audiences. Warns once for the same ones. */
  mayLeaveOut(): boolean {
    if (this.list().length === this.list(true).length) return false;
    const audiences = [...new Set(this.#audiences())].sort();
    const others = this.#others();
    this.#warnOnce(
      `refused ${audiences.join(' ')}`,
      'the identity provider refuses the scopes of audiences: sign-ins continue without them',
      {
        audiences,
        wantedBy: [
          ...new Set(audiences.flatMap((one) => others.flatMap((other) => other.wantedBy?.(one) ?? []))),
        ],
        fix: 'make the audiences known to the provider, set aggregator.oauth.server.idp.audienceScope to its form, or take them out of auth.requiredAudiences',
      },
    );
    return true;
  }

  #audiences(): readonly string[] {
    return this.#idp().audienceScope === '' ? [] : this.#others().flatMap((other) => other.audiences());
  }

  #scopeOf(audience: string): string | undefined {
    const scope = audienceScope(audience, this.#idp().audienceScope);
    if (scope === undefined)
      this.#warnOnce(
        audience,
        'an audience is not requested at sign-ins: it has characters that a scope may not',
        { audience },
      );
    return scope;
  }

  /** Anyone can begin a sign-in. */
  #warnOnce(key: string, text: string, facts: Readonly<Record<string, unknown>>): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#log.warn(text, facts);
  }
}
