import { expect } from 'chai';
import { stringify } from 'yaml';
import { composeGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { clientAtProvider } from '../../support/clientAtProvider.ts';
import { startIdentityProvider } from '../../support/identityProvider.ts';
import type { ProviderOptions } from '../../support/identityProvider.ts';
import type { AuthServerConfig } from '../../../plugins/auth-server/config.ts';
import { startFakeDex } from '../../support/dex/fakeDex.ts';
import { review } from '../../support/reviewed.ts';
import { serveWithOutages } from '../../support/serveWithOutages.ts';
import type { JsonObject } from '../../../kernel/index.ts';

const GOOD: JsonObject = {
  enabled: true,
  baseUrl: 'https://gateway.example.com',
  idp: { issuerUrl: 'https://login.example.com', clientId: 'pegboard', clientSecretFile: 'secret.txt' },
};

const BUILT_INS = ['auth-server', 'vault-file', 'operators'];

async function gatewayWith(
  server: JsonObject,
  tls?: JsonObject,
  builtIns: readonly string[] = BUILT_INS,
): Promise<Gateway> {
  const text = stringify({ aggregator: { oauth: { server, ...(tls && { tls }) } } });
  return composeGateway({ builtIns, files: { 'config.yaml': text, 'secret.txt': 'S\n', 'state/.keep': '' } });
}
/** Line, severity and message of each issue, without the plugin's name. */
async function issues(server: JsonObject, isOnline = false, tls?: JsonObject): Promise<readonly string[]> {
  const { pipeline } = await gatewayWith(server, tls);
  const found = await pipeline.check((configured) => review(configured, { isOnline }));
  return found.map(
    ({ line, severity, message }) => `${line} ${severity}: ${message.replace(/^plugin auth-server: /, '')}`,
  );
}

describe('auth-server: its configuration', () => {
  it('is complete with the address of the gateway and the provider, its id and its secret', async () => {
    expect(await issues(GOOD)).deep.equal([]);
  });

  it('names what is missing, at its line', async () => {
    const found = await issues({ enabled: true });
    expect(found.map((text) => text.replace(/^\d+ error: aggregator.oauth.server./, ''))).deep.equal([
      'baseUrl is missing; write an address that begins with https://',
      'idp.issuerUrl is missing; write an address that begins with https://',
      'idp.clientId is missing; register this gateway at the identity provider, and write the id',
      'idp.clientSecret is missing; write clientSecret: ${env:…}, or clientSecretFile',
    ]);
  });

  it('refuses keys that it does not know, with the key that was meant', async () => {
    const [unknown] = await issues({ ...GOOD, sesionDuration: '1h' });
    expect(unknown).match(/^10 error: .*sesionDuration/);
    const [inner] = await issues({ ...GOOD, idp: { ...(GOOD['idp'] as JsonObject), issuer: 'x' } });
    expect(inner).match(/^10 error: .*issuer/);
  });

  it('refuses parameters that the sign-in itself sets', async () => {
    const parameters = { access_type: 'offline', scope: 'a' };
    const found = await issues({ ...GOOD, idp: { ...(GOOD['idp'] as JsonObject), parameters } });
    expect(found).deep.equal([
      '12 error: aggregator.oauth.server.idp.parameters.scope is set by the sign-in itself; remove it',
    ]);
  });

  for (const [key, value, message] of [
    [
      'baseUrl',
      'http://gateway.example.com',
      'must begin with https:// (http:// only for localhost), because tokens are sent there',
    ],
    ['baseUrl', 'gateway', 'must be an address that begins with https://, not "gateway"'],
    ['baseUrl', 'https://gateway.example.com/?a=1', 'must not have a query, a fragment or a user'],
    ['sessionDuration', '30d', 'must be a duration such as 720h or 1h30m, not "30d"'],
    ['sessionDuration', '0s', 'must be longer than 0'],
    ['resourceIdentifier', 'mcp', 'must be an absolute address without a fragment, best <baseUrl>/mcp'],
  ] as const) {
    it(`refuses ${key}: ${value}`, async () => {
      const found = await issues({ ...GOOD, [key]: value });
      expect(found).lengthOf(1);
      expect(found[0]).include(`error: aggregator.oauth.server.${key} ${message}`);
    });
  }

  it('refuses trusted proxies that are not networks', async () => {
    const [found] = await issues({ ...GOOD, trustedProxyCIDRs: ['10.0.0.0/8', '10.0.0.1'] });
    expect(found).include('"10.0.0.1" is not a CIDR');
  });

  it('warns about each switch that weakens the sign-in, also at the start', async () => {
    const weak = {
      ...GOOD,
      idp: { ...(GOOD['idp'] as JsonObject), allowPrivateIPOIDC: true },
      allowPrivateIPClientMetadata: true,
      allowPrivateIPRedirectURIs: true,
      allowPublicClientRegistration: true,
      consent: 'never',
    };
    const found = await issues(weak);
    expect(found.map((text) => /^\d+ warning: aggregator\.oauth\.server\.(\S+) /.exec(text)?.[1])).deep.equal(
      [
        'idp.allowPrivateIPOIDC',
        'allowPrivateIPClientMetadata',
        'allowPrivateIPRedirectURIs',
        'allowPublicClientRegistration',
        'consent',
      ],
    );
    const { pipeline } = await gatewayWith(weak);
    const { issues: atStart } = await pipeline.boot();
    expect(atStart.map(({ severity }) => severity)).deep.equal(Array(5).fill('warning'));
  });

  it('warns if every person who signs in could run commands', async () => {
    const { pipeline } = await gatewayWith(GOOD, undefined, BUILT_INS.slice(0, 2));
    const found = await pipeline.check();
    expect(found).have.length(1);
    expect(found[0]?.message).match(
      /aggregator\.oauth\.server\.enabled lets every person who signs in run commands/,
    );
  });

  it('warns if no client could sign in', async () => {
    const found = await issues({
      ...GOOD,
      enableCIMD: false,
      allowLocalhostRedirectURIs: false,
      allowWellKnownRedirectURIs: false,
    });
    expect(found.join()).include('no client can sign in').and.include('such as Claude Code');
  });

  it('finds secrets in plain text and those that cannot be read', async () => {
    const idp = { ...(GOOD['idp'] as JsonObject), clientSecret: 'plain' };
    expect(await issues({ ...GOOD, idp })).deep.equal([
      '10 warning: aggregator.oauth.server.idp.clientSecret is in config.yaml as plain text; write ${env:NAME} or ${file:PATH}',
    ]);
    const [missing] = await issues({ ...GOOD, registrationToken: '${env:PEGBOARD_NO_SUCH}' });
    expect(missing).include(
      'registrationToken names the environment variable PEGBOARD_NO_SUCH, which is not set',
    );
    const [noFile] = await issues({
      ...GOOD,
      idp: { ...(GOOD['idp'] as JsonObject), clientSecretFile: 'missing.txt' },
    });
    expect(noFile).match(/idp\.clientSecret names the file .*missing\.txt, which cannot be read/);
  });

  it('has certificates for hosts only, in files that can be used', async () => {
    const ofTls = (tls: JsonObject): Promise<readonly string[]> => issues(GOOD, false, tls);
    expect((await ofTls({ 'https://login.example.com': { ca: 'ca.pem' } })).join()).match(
      /^\d+ error: aggregator\.oauth\.tls must match pattern .* not "https:\/\/login\.example\.com"/,
    );
    expect((await ofTls({ 'login.example.com': { cafile: 'ca.pem' } })).join()).match(
      /^\d+ error: unknown key "cafile"; known keys: ca, cert, key, servername$/,
    );
    expect((await ofTls({ 'login.example.com': { ca: 'none.pem' } })).join()).match(
      /^\d+ error: aggregator\.oauth\.tls\.login\.example\.com\.ca: ENOENT.*none\.pem.*; name a PEM file/,
    );
    expect(await ofTls({ 'login.example.com': { servername: 'login' } })).deep.equal([]);
  });

  const ofProvider = (provider: string, more: JsonObject): JsonObject => ({
    ...GOOD,
    idp: { ...(GOOD['idp'] as JsonObject), provider, ...more },
  });

  it('asks a custom server of Okta for no scope groups, which only the org server knows', async () => {
    const scopesFor = async (more: JsonObject): Promise<unknown> => {
      const { pipeline } = await gatewayWith(ofProvider('okta', more));
      let scopes: unknown;
      await pipeline.check(({ wanted }) => {
        const { config } = wanted.find(({ plugin }) => plugin.name === 'auth-server') ?? {};
        ({ scopes } = (config as AuthServerConfig).aggregator.oauth.server.idp);
        return Promise.resolve([]);
      });
      return scopes;
    };
    expect(await scopesFor({ issuerUrl: 'https://acme.okta.com' })).include('groups');
    const issuerUrl = 'https://acme.okta.com/oauth2/default';
    expect(await scopesFor({ issuerUrl })).deep.equal(['openid', 'profile', 'email', 'offline_access']);
    expect(await scopesFor({ issuerUrl, scopes: ['openid'] })).deep.equal(['openid']);
  });

  it('names a tenant of Entra ID by its id', async () => {
    const found = (tenant: string): Promise<readonly string[]> =>
      issues(ofProvider('entra', { issuerUrl: `https://login.microsoftonline.com/${tenant}/v2.0` }));
    expect(await found('4f9c6d1e-1111-4222-8333-abcdefabcdef')).deep.equal([]);
    for (const tenant of ['common', 'organizations', '{tenantid}', 'acme.onmicrosoft.com'])
      expect((await found(tenant)).join()).match(
        /^\d+ error: .*idp\.issuerUrl must name one tenant of Entra ID by its id, .*<tenant id>/,
      );
  });

  it('wants a namespaced claim of Auth0, and knows the address of Google', async () => {
    expect((await issues(ofProvider('auth0', {}))).join()).match(
      /warning: .*idp\.groupsClaim is groups, .*Auth0/,
    );
    expect(await issues(ofProvider('auth0', { groupsClaim: 'https://example.com/groups' }))).deep.equal([]);
    expect(await issues(ofProvider('google', { issuerUrl: undefined }))).deep.equal([]);
    expect((await issues(ofProvider('gogle', {}))).join())
      .include('idp.provider')
      .and.include('google');
  });

  it('with --online finds a provider that cannot be reached', async () => {
    const provider = await startIdentityProvider();
    const idp = { ...provider.config, clientSecret: undefined, clientSecretFile: 'secret.txt' };
    const online = async (): Promise<readonly string[]> =>
      (await issues({ ...GOOD, idp }, true)).filter((text) => text.includes('issuerUrl'));
    expect(await online()).deep.equal([]);
    await provider.close();
    const [found] = await online();
    expect(found).match(
      /error: aggregator\.oauth\.server\.idp\.issuerUrl cannot be discovered: .*ECONNREFUSED/,
    );
  });

  describe('with --online', () => {
    const REDIRECT = 'https://gateway.example.com/oauth/callback';
    const asked = async (options: ProviderOptions, more: JsonObject = {}): Promise<readonly string[]> => {
      const provider = await startIdentityProvider(options);
      const idp = { ...provider.config, clientSecret: undefined, clientSecretFile: 'secret.txt', ...more };
      const found = await issues({ ...GOOD, idp }, true);
      return found.filter((text) => text.includes('error')).map((text) => text.replace(/^\d+ error: /, ''));
    };

    it('takes a provider that would have people sign in', async () => {
      expect(await asked({ redirectUris: [REDIRECT] })).deep.equal([]);
    });

    it('asks the connector of a Dex that has one, because it refuses the scopes there', async () => {
      const dex = await startFakeDex();
      const idp = { ...dex.config, clientSecret: undefined, clientSecretFile: 'secret.txt' };
      expect(await issues({ ...GOOD, idp }, true)).deep.equal(await issues({ ...GOOD, idp }));
      const found = await issues({ ...GOOD, idp: { ...idp, scopes: ['openid', 'nosuch'] } }, true);
      expect(found.join()).match(/error: .*idp\.scopes is refused by .*: invalid_scope: .*nosuch/);
    });

    it('names the audiences that the provider refuses, at the definitions that want them', async () => {
      const provider = await startIdentityProvider({
        redirectUris: [REDIRECT],
        audiences: ['known', 'target'],
        knownScopes: 'openid profile email groups offline_access audience:server:client_id:known',
      });
      const definition = (name: string, auth: JsonObject): string =>
        stringify({ name, type: 'streamable-http', url: 'https://mcp.example.com/mcp', auth });
      const auth = { type: 'oauth', forwardToken: true };
      const { pipeline } = await composeGateway({
        builtIns: [...BUILT_INS, 'store-file', 'core-mcpservers', 'upstream', 'auth-client'],
        files: {
          'config.yaml': stringify({
            aggregator: {
              oauth: { server: { ...GOOD, idp: provider.config }, mcpClient: { enabled: true } },
            },
          }),
          'mcpservers/notes.yaml': definition('notes', { ...auth, requiredAudiences: ['known', 'target'] }),
          'mcpservers/good.yaml': definition('good', { ...auth, requiredAudiences: ['known'] }),
          'state/.keep': '',
        },
      });
      const found = await pipeline.check((configured) => review(configured, { isOnline: true }));
      const named = found.filter(({ message }) => message.includes('audience'));
      expect(named).length(1);
      expect(named[0]).include({ severity: 'warning' });
      expect(named[0]?.file).match(/notes\.yaml$/);
      expect(named[0]?.message).match(
        /audience target is refused by the identity provider as scope audience:server:client_id:target: invalid_scope: .*; .*idp\.audienceScope/,
      );
    });

    it('says what the provider says about scopes, client and redirect URI, and what to do', async () => {
      const known = { redirectUris: [REDIRECT], knownScopes: 'openid profile email offline_access' };
      expect((await asked(known)).join()).match(
        /^aggregator\.oauth\.server\.idp\.scopes is refused by the provider: invalid_scope: .+; take out of idp\.scopes/,
      );
      expect(await asked(known, { provider: 'keycloak' })).deep.equal([]);
      expect((await asked({ redirectUris: [REDIRECT] }, { clientId: 'other' })).join()).match(
        /^aggregator\.oauth\.server\.idp\.clientId is refused by the provider: HTTP 400: .*client.*; write the id/,
      );
      expect((await asked({ redirectUris: ['https://other.example/'] }, { provider: 'dex' })).join()).match(
        /^aggregator\.oauth\.server\.baseUrl is refused by dex: HTTP 400: .*redirect_uri.*; register the redirect URI https:\/\/gateway\.example\.com\/oauth\/callback there$/,
      );
    });
  });

  describe('with --online, at a provider that answers in its own way', () => {
    const google = Buffer.from(
      '\n\u0015redirect_uri_mismatch\u0012\u0020You sent a redirect that is not registered',
    ).toString('base64');
    const error = 'error=invalid_scope&error_description=One+or+more+scopes+are+not+configured';
    for (const [what, provider, status, location, body, message] of [
      [
        'redirects to a page of its own',
        'google',
        302,
        `/error?authError=${google}`,
        '',
        /baseUrl is refused by google: redirect_uri_mismatch .*; register the redirect URI/,
      ],
      [
        'shows an error with status 200',
        'entra',
        200,
        '',
        '<b>AADSTS700016: Application not found.</b>',
        /idp\.clientId is refused by entra: AADSTS700016: Application not found\.; write the id/,
      ],
      [
        'redirects back with an error',
        'okta',
        302,
        `https://gateway.example.com/oauth/callback?${error}`,
        '',
        /idp\.scopes is refused by okta: invalid_scope: One or more scopes are not configured; take out/,
      ],
      [
        'answers JSON',
        'auth0',
        403,
        '',
        '{"error":"unauthorized","error_description":"Callback URL mismatch."}',
        /baseUrl is refused by auth0: HTTP 403: unauthorized: Callback URL mismatch\.;/,
      ],
      [
        'shows a page',
        'dex',
        400,
        '',
        '<title>Error</title><style>p{}</style><p>Unregistered redirect_uri</p>',
        /baseUrl is refused by dex: HTTP 400: Unregistered redirect_uri\s*; register/,
      ],
      [
        'is out of order',
        'dex',
        503,
        '',
        'later',
        /idp\.issuerUrl has an authorization endpoint that cannot be asked: it answers HTTP 503/,
      ],
    ] as const)
      it(`finds the words of one that ${what}`, async () => {
        const server = await serveWithOutages((_, res, path) => {
          if (path === '/authorize') {
            res
              .writeHead(status, { 'content-type': 'text/html', ...(location !== '' && { location }) })
              .end(body);
            return;
          }
          const { url: issuer } = server;
          const facts = {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
          };
          res
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ ...facts, jwks_uri: `${issuer}/keys` }));
        });
        const idp = { ...clientAtProvider(server.url), provider };
        const found = await issues({ ...GOOD, idp }, true);
        expect(found.filter((text) => text.includes(' error: ')).join()).match(message);
      });
  });

  it('has the provider stay unknown if it has a private address and idp.allowPrivateIPOIDC is false', async () => {
    const provider = await startIdentityProvider();
    const idp = {
      ...provider.config,
      allowPrivateIPOIDC: false,
      clientSecret: undefined,
      clientSecretFile: 'secret.txt',
    };
    const found = await issues({ ...GOOD, idp }, true);
    expect(found.join()).include('cannot be discovered').and.include('private');
    expect(provider.requests('/.well-known/openid-configuration')).equal(0);
  });
});
