import { randomBytes } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { defer } from './cleanup.ts';

/** Where the client waits for its code; nothing listens there. */
export const SDK_CALLBACK = 'http://127.0.0.1:1/callback';

/** A client on the official SDK that registers itself and signs in through a browser; closed after the test.
 *  @param browse opens the address as a person does. @returns the redirect to SDK_CALLBACK */
export async function sdkSignIn(endpoint: string, browse: (url: URL) => Promise<URL>): Promise<Client> {
  let opened: URL | undefined;
  let verifier = '';
  let tokens: ReturnType<OAuthClientProvider['tokens']>;
  let registered: ReturnType<OAuthClientProvider['clientInformation']>;
  const authProvider: OAuthClientProvider = {
    redirectUrl: SDK_CALLBACK,
    clientMetadata: {
      client_name: 'SDK client of the tests',
      redirect_uris: [SDK_CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => randomBytes(32).toString('base64url'),
    clientInformation: () => registered,
    saveClientInformation: (information) => void (registered = information),
    tokens: () => tokens,
    saveTokens: (next) => void (tokens = next),
    redirectToAuthorization: (url) => void (opened = url),
    saveCodeVerifier: (next) => void (verifier = next),
    codeVerifier: () => verifier,
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(endpoint), { authProvider });
  const first = transport();
  const newClient = () => new Client({ name: 'sdk', version: '1' });
  await newClient()
    .connect(first)
    .then(
      () => Promise.reject(new Error(`${endpoint} needs no sign-in`)),
      (error: unknown) => {
        if (!(error instanceof UnauthorizedError)) throw error;
      },
    );
  if (opened === undefined) throw new Error('the client opened no address');
  const arrived = await browse(opened);
  const code = arrived.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${arrived.href}`);
  await first.finishAuth(code);
  const client = newClient();
  await client.connect(transport());
  defer(() => client.close());
  return client;
}
