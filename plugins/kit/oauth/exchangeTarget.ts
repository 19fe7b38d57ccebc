import type { ClientSecretRef, SecretSource } from '../../contracts/secrets.ts';

const DEFAULT_SCOPES = 'openid profile email groups';

/** An identity provider that gives its own token for one of another issuer. */
export interface ExchangeTarget {
  /** The name in the log. */
  readonly name: string;
  /** Its token endpoint; http only for this machine. */
  readonly endpoint: string;
  /** Name by which it knows the issuer of the tokens that it is sent. */
  readonly connectorId: string;
  /** Issuer of the tokens that it gives. Absent or empty: the endpoint without `/token` for a JWT, and unknown for an opaque token.
   *  Source: requirement broker.exchangeForm */
  readonly expectedIssuer?: string;
  /** Separated by spaces. Absent or empty: `openid profile email groups`. */
  readonly scopes?: string;
  readonly client: TargetClient;
}
/** The client that Pegboard is there. Secrets are read at each exchange, so that they can be replaced; without one it is a public client. */
export type TargetClient = { readonly id: string; readonly secret?: ClientSecret } | ClientSecretRef;
/** Where secrets of clients are read. */
export interface ClientParts {
  /** Base of relative paths. */
  readonly directory: () => string;
  readonly secrets: () => SecretSource | undefined;
}
/** `text` may consist of references, `${file:PATH}` and `${env:NAME}`; paths are relative to the configuration directory. */
export type ClientSecret = { readonly file: string } | { readonly text: string };

export interface CompleteTarget extends Required<ExchangeTarget> {
  /** Whether a token whose issuer it does not say is handed on (decision D174). */
  readonly takesOpaque: boolean;
}

/** The target with defaults for what it leaves out. */
export function completed(target: ExchangeTarget): CompleteTarget {
  const scopes = wordsOfScope(target.scopes ?? '').join(' ');
  const written = withoutSlash(target.expectedIssuer ?? '');
  return {
    ...target,
    expectedIssuer: written || issuerOf(target.endpoint),
    takesOpaque: written === '',
    scopes: scopes === '' ? DEFAULT_SCOPES : scopes,
  };
}

function issuerOf(endpoint: string): string {
  const address = endpoint.replace(/\?.*/, '');
  return withoutSlash(withoutSlash(address).replace(/\/token$/, ''));
}

/** Removes slashes at the end. A regular expression would need hours for a million of them. */
export function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}

export function wordsOfScope(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))];
}
