import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { digest } from '../../plugins/kit/secrets/secrets.ts';
import { ApplicationSignIn, metadataOf } from '../support/applicationSignIn.ts';
import type { Application } from '../support/applicationSignIn.ts';
import { REDIRECT, startAuthServer } from '../support/authServer.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser, signIn } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { movableClock } from '../support/clock.ts';
import type { MovableClock } from '../support/clock.ts';
import { httpsSite } from '../support/httpsSite.ts';

const INFO = { name: 'application', version: '1' };
const CALL = { name: 'call_tool', arguments: { name: 'core_service_list', arguments: {} } };
/** Longer than an access token is valid. */
const LATER_MS = 31 * 60_000;
const REFRESHES = 25;

interface Connection {
  readonly sessionId: string | undefined;
  /** @throws the refusal */
  readonly call: () => Promise<unknown>;
}
type Connect = (url: URL, application: ApplicationSignIn) => Promise<Connection>;

/** @modelcontextprotocol/sdk 1.x */
const former: Connect = async (url, application) => {
  const transport = () => new FormerTransport(url, { authProvider: application });
  const first = transport();
  await expectUnauthorized(new FormerClient(INFO).connect(first));
  await first.finishAuth((await application.complete()).get('code') ?? '');
  const client = new FormerClient(INFO);
  const second = transport();
  await client.connect(second);
  defer(() => client.close());
  return {
    get sessionId() {
      return second.sessionId;
    },
    call: () => client.callTool(CALL),
  };
};

/** @modelcontextprotocol/client 2.x */
const current: Connect = async (url, application) => {
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: application });
  const first = transport();
  await expectUnauthorized(new Client(INFO).connect(first));
  await first.finishAuth(await application.complete());
  const client = new Client(INFO);
  const second = transport();
  await client.connect(second);
  defer(() => client.close());
  return {
    get sessionId() {
      return second.sessionId;
    },
    call: () => client.callTool(CALL),
  };
};

async function expectUnauthorized(connecting: Promise<void>): Promise<void> {
  const error: unknown = await connecting.then(
    () => expect.fail('connected without a token'),
    (reason: unknown) => reason,
  );
  expect(String(error)).contain('Unauthorized');
}

describe('e2e: applications that sign in with the official SDKs', () => {
  let auth: AuthServer;
  let document: string;
  let clock: MovableClock;

  before(async () => {
    clock = movableClock();
    const site = await httpsSite((_, response) => {
      response.setHeader('content-type', 'application/json');
      // As that of Claude Code: without a port.
      const redirect_uris = ['http://127.0.0.1/callback'];
      response.end(JSON.stringify({ ...metadataOf('none'), client_id: document, redirect_uris }));
    });
    document = `https://localhost:${site.port}/client.json`;
    auth = await startAuthServer({
      builtIns: [
        ...['http', 'front', 'transport-http', 'metatools', 'toolsets', 'vault-memory', 'auth-server'],
        'core-services',
      ],
      config: { allowPrivateIPClientMetadata: true },
      provider: { isRotating: true },
      settings: { aggregator: { extraCaFile: 'ca.pem' } },
      files: { 'ca.pem': site.ca.join('') },
    });
  });

  // Other files may run in this process.
  after(() => clock.end());

  const ways: readonly (readonly [string, () => Application])[] = [
    ['a client metadata document', () => ({ authMethod: 'none', document })],
    ['a public registration', () => ({ authMethod: 'none' })],
    ['a confidential registration', () => ({ authMethod: 'client_secret_basic' })],
  ];
  const generations = [
    ['sdk 1.x', former],
    ['client 2.x', current],
  ] as const;
  for (const [way, application] of ways)
    for (const [generation, connect] of generations)
      it(`${generation} with ${way} signs in, calls a tool, and refreshes ${REFRESHES} times`, async () => {
        const person = new ApplicationSignIn(application());
        const connection = await connect(new URL(`${auth.base}/mcp`), person);
        const { sessionId } = connection;
        const result = JSON.stringify(await connection.call());
        expect(result).contain('services');
        for (let count = 0; count < REFRESHES; count += 1) {
          clock.later(LATER_MS);
          expect(JSON.stringify(await connection.call())).equal(result);
        }
        expect(connection.sessionId).a('string').and.equal(sessionId);
        expect(new Set(person.received.map((tokens) => tokens.access_token)).size).equal(REFRESHES + 1);
        expect(new Set(person.received.map((tokens) => tokens.refresh_token)).size).equal(REFRESHES + 1);
      });

  it('a client that registered /oauth/callback as its own gets a 400 that says why, and others sign in as before', async () => {
    const answer = await fetch(`${auth.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...metadataOf('none'), redirect_uris: [`${auth.base}/oauth/callback`] }),
    });
    expect(answer.status).equal(201);
    const { client_id } = (await answer.json()) as { client_id: string };
    const redirect_uri = `${auth.base}/oauth/callback`;
    const page = await newBrowser().open(auth.authorizeUrl({ client_id, redirect_uri }));
    expect([page.status, JSON.parse(page.text)]).deep.equal([
      400,
      {
        error: 'invalid_request',
        error_description:
          'this redirect URI is that of the gateway itself; the client must register one of its own',
      },
    ]);
    expect((await auth.mcp((await auth.tokens()).access)).status).equal(200);
  });

  it('a client that leaves out scope and resource gets those of the gateway', async () => {
    const secret = { client_id: 'confidential', client_secret: 'its secret' };
    await auth.known({
      id: secret.client_id,
      redirectUris: [REDIRECT],
      origin: 'token',
      authMethod: 'client_secret_post',
      secretHash: digest(secret.client_secret),
    });
    const code = await auth.code({ client_id: secret.client_id, scope: undefined, resource: undefined });
    const { body } = await auth.redeem(code, secret);
    expect(body['scope']).equal('profile email groups offline_access');
    const token = String(body['access_token']);
    expect((await auth.mcp(token)).status).equal(200);
    const introspection = await auth.post({ ...secret, token }, {}, '/oauth/introspect');
    expect(introspection.body).include({ active: true, aud: auth.base });
  });

  it('a strict client that has an http address on loopback accepts all responses', async () => {
    const token = await signInStrictly(new URL(`${auth.base}/mcp`));
    expect((await auth.mcp(token)).status).equal(200);
  });

  it('a strict client accepts them with a resourceIdentifier below baseUrl too', async () => {
    const named = await startAuthServer({ config: (base) => ({ resourceIdentifier: `${base}/mcp` }) });
    const token = await signInStrictly(new URL(`${named.base}/mcp`));
    expect((await named.mcp(token)).status).equal(200);
  });
});

/** Signs in by oauth4webapi, which compares whatever the RFCs tell a client to compare. @returns an access token */
async function signInStrictly(address: URL): Promise<string> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const resource = await oauth.processResourceDiscoveryResponse(
    address,
    await oauth.resourceDiscoveryRequest(address, insecure),
  );
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const discover = async (algorithm: 'oauth2' | 'oidc') =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm }));
  const server = await discover('oauth2');
  expect(await discover('oidc')).deep.equal(server);
  const metadata = metadataOf('none');
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, insecure),
  );
  const [redirect_uri] = metadata.redirect_uris;
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const authorization = new URL(server.authorization_endpoint ?? '');
  const params = {
    client_id: client.client_id,
    redirect_uri,
    state,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: resource.resource,
    scope: 'profile',
  };
  for (const [name, value] of Object.entries(params)) authorization.searchParams.set(name, value);
  const redirected = await signIn(authorization.href, { until: (url) => url.startsWith(redirect_uri) });
  const response = await oauth.authorizationCodeGrantRequest(
    ...([server, client, oauth.None()] as const),
    oauth.validateAuthResponse(server, client, redirected, state),
    ...([redirect_uri, verifier] as const),
    { ...insecure, additionalParameters: { resource: resource.resource } },
  );
  const first = await oauth.processAuthorizationCodeResponse(server, client, response);
  const refreshed = await oauth.refreshTokenGrantRequest(
    ...([server, client, oauth.None(), first.refresh_token ?? ''] as const),
    insecure,
  );
  return (await oauth.processRefreshTokenResponse(server, client, refreshed)).access_token;
}
