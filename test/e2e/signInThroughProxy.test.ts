import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { startAuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { forwardProxy } from '../support/forwardProxy.ts';
import type { ForwardProxy } from '../support/forwardProxy.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { httpsSite } from '../support/httpsSite.ts';
import type { HttpsSite } from '../support/httpsSite.ts';
import type { ServerIssuer } from '../support/serverIssuer.ts';
import { startTokenIssuer } from '../support/tokenIssuer.ts';
import type { TokenIssuer } from '../support/tokenIssuer.ts';

const HOST = 'login.example';
const ISSUER = `https://${HOST}`;
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
};
const TOKEN = { access_token: 'good', token_type: 'Bearer', expires_in: 3600 };
const PERSON = { account: 'alice', scopes: ['mcp'], clientId: 'client', grant: 'grant' };

describe('e2e: sign-ins through a proxy', () => {
  let keys: TokenIssuer;
  let login: HttpsSite;
  let proxy: ForwardProxy;
  /** Only the proxy knows where the host is. */
  beforeEach(async () => {
    keys = await startTokenIssuer();
    login = await httpsSite((req, res) => {
      const answer = async (): Promise<unknown> => {
        if (req.url === '/keys') return (await fetch(`${keys.url}/keys`)).json();
        if (req.url === '/token') return TOKEN;
        if (req.url !== '/register') return METADATA;
        return { ...((await json(req)) as JsonObject), client_id: 'client' };
      };
      void answer().then((body) =>
        res
          .writeHead(req.url === '/register' ? 201 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
      );
    }, HOST);
    proxy = await forwardProxy((host) => (host === `${HOST}:443` ? login.port : undefined));
  });

  const network = (more: JsonObject = {}): JsonObject => ({
    proxy: `http://${proxy.place}`,
    proxyResolves: true,
    ...more,
  });
  const tls = { [HOST]: { ca: 'ca.pem' } };
  const expectAllThroughProxy = (): void => {
    expect(new Set(proxy.asked)).deep.equal(new Set([`CONNECT ${HOST}:443`]));
    expect(login.connections()).equal(proxy.asked.length);
  };

  /** A gateway for one person, with a server whose people sign in at that host. */
  const startWithServer = async (more?: JsonObject) => {
    const issuer = {
      issuer: ISSUER,
      protect: () => undefined,
      check: (token: string) => Promise.resolve(token === TOKEN.access_token ? PERSON : undefined),
    } as unknown as ServerIssuer;
    const site = await startGuardedSite({ issuer });
    const oauth = { mcpClient: { enabled: true }, tls };
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ aggregator: { port: await freePort(), ...network(more), oauth } }),
        'ca.pem': login.ca.join(''),
        'mcpservers/vault.yaml': site.definition(),
      },
    });
    defer(() => gateway.stop());
    return mcpClient(gateway.url());
  };

  it('at the authorization server of a server: metadata, registration and tokens', async () => {
    const client = await startWithServer();
    const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
    const browser = newBrowser();
    const { url } = await browser.open((structuredContent as { authUrl: string }).authUrl, (next) =>
      next.startsWith(ISSUER),
    );
    const { searchParams } = new URL(url);
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = String(
      new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '', iss: ISSUER }),
    );
    const page = await browser.open(back.href);
    expect(page.status, page.text).equal(200);
    const { content } = await client.callTool('x_vault_whoami', {});
    expect(JSON.stringify(content)).contain('alice');
    expectAllThroughProxy();
  });

  it('go without it to a host of noProxy', async () => {
    const client = await startWithServer({ noProxy: [HOST] });
    const { content } = await client.callTool('core_auth_login', { server: 'vault' });
    expect(JSON.stringify(content)).match(/login\.example\S* cannot be resolved/);
    expect(proxy.asked).deep.equal([]);
    expect(login.connections()).equal(0);
  });

  it('at the identity provider and a trusted issuer: metadata and keys', async () => {
    const own = await startAuthServer({
      builtIns: [
        ...['http', 'front', 'transport-http', 'metatools', 'toolsets', 'vault-memory'],
        ...['auth-server', 'auth-exchange'],
      ],
      idp: { issuerUrl: ISSUER, clientId: 'gateway', clientSecret: 'secret of the gateway' },
      config: { trustedIssuers: [{ issuer: keys.url, jwksUrl: `${ISSUER}/keys` }] },
      settings: { aggregator: { ...network(), oauth: { tls } } },
      files: { 'ca.pem': login.ca.join('') },
    });
    await own.discovered();
    expect((await own.mcp(await keys.sign({ aud: own.base }))).status).equal(200);
    expectAllThroughProxy();
  });
});
