import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { ApplicationSignIn, metadataOf } from '../support/applicationSignIn.ts';
import type { Application } from '../support/applicationSignIn.ts';
import { startAuthServer } from '../support/authServer.ts';
import type { AuthServer } from '../support/authServer.ts';
import { defer } from '../support/cleanup.ts';
import { movableClock } from '../support/clock.ts';
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

describe('e2e: applications that sign in with the official SDKs', function () {
  let auth: AuthServer;
  let document: string;
  let clock: ReturnType<typeof movableClock>;

  before(async () => {
    clock = movableClock();
    const site = await httpsSite((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ client_id: document, ...metadataOf('none') }));
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
        const signIn = new ApplicationSignIn(application());
        const { call, sessionId } = await connect(new URL(`${auth.base}/mcp`), signIn);
        const result = JSON.stringify(await call());
        expect(result).contain('services');
        for (let count = 0; count < REFRESHES; count += 1) {
          clock.later(LATER_MS);
          expect(JSON.stringify(await call())).equal(result);
        }
        expect(sessionId).a('string');
        expect(new Set(signIn.received.map((tokens) => tokens.access_token)).size).equal(REFRESHES + 1);
        expect(new Set(signIn.received.map((tokens) => tokens.refresh_token)).size).equal(REFRESHES + 1);
      });
});
