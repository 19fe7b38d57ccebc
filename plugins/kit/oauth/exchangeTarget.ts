import type { ClientSecretRef, SecretSource } from '../../contracts/secrets.ts';

/** What Dex is asked for, by connector. */
export const DEX_SCOPES = 'openid profile email groups';

/** Types of tokens. Source: RFC 8693 §3 */
export type TokenType = 'id_token' | 'access_token' | 'jwt';

/** How a provider is asked for a token. */
export interface ExchangeForm {
  /** Name by which it knows the issuer of the tokens that it is sent, as Dex has it. */
  readonly connectorId?: string;
  /** The service that the token is for, as it knows it. */
  readonly audience?: string;
  /** The address of that service. */
  readonly resource?: string;
  /** Default: `id_token` with a connector, else `access_token`. */
  readonly requestedTokenType?: TokenType;
  /** Undefined: the type of each subject token. */
  readonly subjectTokenType?: TokenType;
  /** Issuer of the tokens that it gives. Absent or empty: the endpoint without `/token` (Keycloak: without
   *  `/protocol/openid-connect/token`) for a JWT, and unknown for an opaque token. Source: requirement broker.exchangeForm */
  readonly expectedIssuer?: string;
  /** Separated by spaces. Absent or empty: `openid profile email groups` with a connector, else what the provider gives by itself. */
  readonly scopes?: string;
}
const FORM_KEYS = [
  ...(['connectorId', 'audience', 'resource', 'requestedTokenType'] as const),
  ...(['subjectTokenType', 'expectedIssuer', 'scopes'] as const),
];

/** An identity provider that gives its own token for one of another issuer. */
export interface ExchangeTarget extends ExchangeForm {
  /** The name in the log. */
  readonly name: string;
  /** Its token endpoint; http only for this machine. */
  readonly endpoint: string;
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

export interface CompleteTarget extends ExchangeTarget {
  readonly expectedIssuer: string;
  readonly scopes: string;
  readonly requestedTokenType: TokenType;
  /** Whether a token whose issuer it does not say is handed on (decision D174). */
  readonly takesOpaque: boolean;
}

/** The parts of the form that are written. */
export function formOf(written: {
  readonly [Key in keyof ExchangeForm]: ExchangeForm[Key] | undefined;
}): ExchangeForm {
  return Object.fromEntries(
    FORM_KEYS.flatMap((key) => (written[key] === undefined ? [] : [[key, written[key]]])),
  );
}

/** The target with defaults for what it leaves out. */
export function completed(target: ExchangeTarget): CompleteTarget {
  const scopes = wordsOfScope(target.scopes ?? '').join(' ');
  const written = withoutSlash(target.expectedIssuer ?? '');
  return {
    ...target,
    expectedIssuer: written || issuerOf(target.endpoint),
    takesOpaque: written === '',
    scopes: scopes === '' && isOfDex(target) ? DEX_SCOPES : scopes,
    requestedTokenType: requestedTypeOf(target),
  };
}

/** What a target gives. */
export function requestedTypeOf(target: ExchangeTarget): TokenType {
  return target.requestedTokenType ?? (isOfDex(target) ? 'id_token' : 'access_token');
}

function isOfDex({ connectorId = '' }: ExchangeTarget): boolean {
  return connectorId !== '';
}

/** Keycloak's endpoint is further below its issuer. */
function issuerOf(endpoint: string): string {
  const address = endpoint.replace(/\?.*/, '');
  return withoutSlash(withoutSlash(address).replace(/(\/protocol\/openid-connect)?\/token$/, ''));
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
