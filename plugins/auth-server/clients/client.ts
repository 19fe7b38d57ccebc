/** An application that signs people in here. Source: RFC 7591, OAuth Client ID Metadata Document. */
export interface Client {
  readonly id: string;
  readonly name?: string;
  readonly redirectUris: readonly string[];
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** SHA-256 of the secret; absent for public clients. */
  readonly secretHash?: string;
  /** Scopes that it may ask for; absent: any. */
  readonly scopes?: readonly string[];
  /** How it became known. `token`: registered with the registration token; `open`: registered by anyone. */
  readonly origin: 'document' | 'token' | 'trusted' | 'open';
}
