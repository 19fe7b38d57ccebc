import { OAuthError } from '../../kit/oauth/oauthError.ts';

/** Parameters of a request, each at most once. */
export class Params {
  readonly #params: URLSearchParams;

  /** @throws OAuthError invalid_request for a repeated parameter (OAuth 2.1 §3.1); `resource` may repeat (RFC 8707 §2) */
  constructor(params: URLSearchParams) {
    const names = new Set<string>();
    for (const name of params.keys()) {
      if (name !== 'resource' && names.has(name))
        throw new OAuthError(
          'invalid_request',
          `${JSON.stringify(name.slice(0, 40))} is repeated; send it once`,
          { reason: 'parameter-repeated' },
        );
      names.add(name);
    }
    this.#params = params;
  }

  /** An empty value counts as absent (RFC 6749 §3.1). */
  get(name: string): string | undefined {
    const value = this.#params.get(name);
    return value === null || value === '' ? undefined : value;
  }

  all(name: string): readonly string[] {
    return this.#params.getAll(name).filter((value) => value !== '');
  }

  /** @throws OAuthError invalid_request if it is absent */
  need(name: string): string {
    const value = this.get(name);
    if (value === undefined)
      throw new OAuthError('invalid_request', `${name} is required`, { reason: 'parameter-missing' });
    return value;
  }
}
