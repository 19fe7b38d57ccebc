import { GatewayError, definePlugin } from '../../../kernel/index.ts';
import type { InboundRequest, KernelEvent, Plugin } from '../../../kernel/index.ts';
import { CallerCredentials } from '../../../plugins/contracts/credentials.ts';
import type { CallerCredential, CredentialRefusal } from '../../../plugins/contracts/credentials.ts';

/** Tokens that callers hold, by subject; the one of a subject may be changed while the gateway runs. */
export class Callers {
  tokens: Map<string, string> = new Map();
  readonly values = new Map<string, Readonly<Record<string, string>>>();
  readonly refusals: CredentialRefusal[] = [];
  /** The token that a refused one is replaced by. */
  readonly renewed = new Map<string, string>();
  /** An owner has signed in at another process. */
  signedIn: (owner: string) => void = () => undefined;
  emit: (event: KernelEvent) => void = () => undefined;
  /** What a call waits for before it is sent. */
  preparing: () => Promise<void> | undefined = () => undefined;
  readonly #known = new Map<string, CallerCredential>();

  get plugin(): Plugin {
    return definePlugin({
      name: 'test-callers',
      api: 1,
      configSchema: { type: 'object' },
      provides: [CallerCredentials],
      apply: (scope) => {
        this.emit = (event) => scope.emit(event);
        scope.provide(CallerCredentials, {
          canSignIn: () => true,
          follow: (changed) => {
            this.signedIn = changed;
            return () => undefined;
          },
          of: ({ name }, request) => this.credentialOf(ownerOf(request), name),
          usable: (request) => {
            const owner = ownerOf(request);
            const has = this.tokens.has(owner) ? [...this.#servers] : [];
            return Promise.resolve(
              has.map((server) => ({ server, credential: this.credentialOf(owner, server) })),
            );
          },
        });
      },
    });
  }
  readonly #servers = new Set<string>();

  /** Other objects hold the credentials from now on; the former ones learn nothing more. */
  replace(): void {
    this.tokens = new Map(this.tokens);
    this.#known.clear();
  }

  credentialOf(owner: string, server: string): CallerCredential {
    this.#servers.add(server);
    const key = `${owner} ${server}`;
    const credential = this.#known.get(key) ?? this.#create(owner, server);
    this.#known.set(key, credential);
    return credential;
  }

  #create(owner: string, server: string): CallerCredential {
    const { tokens, values, renewed, refusals } = this;
    let [token, headers] = ['', {}];
    const fault = (): GatewayError =>
      new GatewayError(
        'UPSTREAM_AUTH_REQUIRED',
        `${owner} must sign in to ${server}; call core_auth_login with {"server": "${server}"} through call_tool`,
        {
          details: { signInAt: server },
        },
      );
    return {
      owner,
      get headers() {
        const now = tokens.get(owner) ?? '';
        if (now !== token) [token, headers] = [now, { authorization: `Bearer ${now}` }];
        return headers;
      },
      get values() {
        return values.get(owner) ?? {};
      },
      get secrets() {
        return [tokens.get(owner) ?? '', ...Object.values(values.get(owner) ?? {})];
      },
      prepare: () => (tokens.has(owner) || values.has(owner) ? this.preparing() : Promise.reject(fault())),
      refused: (refusal) => {
        refusals.push(refusal);
        const next = renewed.get(owner);
        if (next === undefined) return Promise.resolve(false);
        renewed.delete(owner);
        tokens.set(owner, next);
        return Promise.resolve(true);
      },
      get fault() {
        return fault();
      },
      retryAt: undefined,
      get missing() {
        return tokens.has(owner) || values.has(owner) ? undefined : fault();
      },
    };
  }
}

function ownerOf({ caller }: InboundRequest): string {
  return caller?.subject ?? 'local';
}
