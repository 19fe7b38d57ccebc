/** An identity provider without pages, whose tokens have the size of real ones: people sign in as fast as it signs. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { CLIENT_ID, clientAtProvider } from '../support/clientAtProvider.ts';

const KEY = { alg: 'RS256', kid: 'bench', use: 'sig' };

export interface QuickProvider {
  /** `aggregator.oauth.server.idp` for it. */
  readonly config: ReturnType<typeof clientAtProvider>;
  close(): void;
}

export async function startQuickProvider(): Promise<QuickProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer((req, res) => {
    void text(req).then(async (form) => {
      const path = req.url ?? '';
      const answers: Readonly<Record<string, () => object | Promise<object>>> = {
        '/.well-known/openid-configuration': () => metadata,
        '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...KEY }] }),
        '/token': () => tokens(codeFrom(new URLSearchParams(form).get('code') ?? '')),
      };
      const body = await answers[path]?.();
      res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [KEY.alg],
  };
  const tokens = async ({ subject, nonce }: Code): Promise<object> => {
    const facts = { nonce, email: `${subject}@example.com`, email_verified: true, name: `Person ${subject}` };
    const token = await new SignJWT({ ...facts, groups: ['staff', 'developers', 'platform', 'on-call'] })
      .setProtectedHeader({ alg: KEY.alg, kid: KEY.kid })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('1d')
      .sign(privateKey);
    // As with Dex and Keycloak, the access token is a JWT too.
    const others = { access_token: token, refresh_token: `${subject}-${'r'.repeat(64)}` };
    return { id_token: token, ...others, token_type: 'Bearer', expires_in: 86_400 };
  };
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { config: clientAtProvider(issuer), close };
}

interface Code {
  readonly subject: string;
  readonly nonce: string;
}

/** What the provider answers for it: the sign-in page is left out. */
export function codeOf(code: Code): string {
  return Buffer.from(JSON.stringify(code)).toString('base64url');
}
function codeFrom(text: string): Code {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Code;
}
