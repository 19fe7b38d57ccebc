import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { newState } from './authServer.ts';
import { newBrowser, signIn } from './browser.ts';

const REDIRECT = 'http://127.0.0.1:33418/callback';

/** How an application becomes known to the gateway. */
export interface Application {
  /** A confidential one has a secret. */
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** The URL of its metadata document; without one it registers. */
  readonly document?: string;
}

/** What an application remembers about one gateway, as the official SDKs want it (their `OAuthClientProvider`, both
 *  generations), and the person in front of it. */
export class ApplicationSignIn {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata;
  declare readonly clientMetadataUrl?: string;
  /** All that it received, the newest last. */
  readonly received: StoredOAuthTokens[] = [];
  client: StoredOAuthClientInformation | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #address = '';
  #state = '';
  #verifier = '';

  constructor({ authMethod, document }: Application) {
    this.clientMetadata = metadataOf(authMethod);
    if (document !== undefined) this.clientMetadataUrl = document;
  }

  /** The person signs in with a new browser. @returns the parameters of the redirect to the application */
  async complete(): Promise<URLSearchParams> {
    const until = (url: string): boolean => url.startsWith(REDIRECT);
    const { searchParams } = await signIn(this.#address, { browser: newBrowser(), until });
    if (searchParams.get('state') !== this.#state) throw new Error(`wrong state: ${searchParams.toString()}`);
    return searchParams;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }
  state(): string {
    return (this.#state = newState());
  }
  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.client;
  }
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.received.at(-1);
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.received.push(tokens);
  }
  redirectToAuthorization(address: URL): void {
    this.#address = address.href;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Its registration, or the text of its document beside `client_id`. */
export function metadataOf(authMethod: Application['authMethod']) {
  return {
    client_name: 'Application',
    redirect_uris: [REDIRECT] as [string],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
  };
}
