import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { newBrowser } from '../../../support/browser.ts';
import { isCallback, setUp } from '../guardedGateway.ts';
import type { GuardedGateway } from '../guardedGateway.ts';

async function clientOf(gateway: GuardedGateway): Promise<string> {
  const page = await newBrowser().request(await gateway.link('notes'));
  return new URL(page.headers.get('location') ?? '').searchParams.get('client_id') ?? '';
}
const configured = (issuer: string, clientId: string, clientSecret?: string) => ({
  type: 'oauth' as const,
  authorizationServer: { issuer, scopes: 'mcp', grantScope: 'session' as const, clientId, clientSecret },
});

interface Known {
  readonly client_id: string;
  readonly client_secret?: string;
}
/** As an operator does it. */
async function register(issuer: string, metadata: object): Promise<Known> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(metadata);
  return (await (await fetch(`${issuer}/reg`, { method: 'POST', headers, body })).json()) as Known;
}

describe('auth-client: the gateway as a client', () => {
  it('registers itself once for each authorization server', async () => {
    const { site, gateway } = await setUp();
    await gateway.follow(await gateway.link('notes'));
    await gateway.tell('core_auth_logout', { server: 'notes' });
    await gateway.follow(await gateway.link('notes'));
    expect(site.issuer.requests('/reg')).equal(1);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('registers itself once for people who ask at the same time', async () => {
    const { site, gateway } = await setUp();
    await Promise.all([1, 2, 3].map(() => gateway.link('notes')));
    expect(site.issuer.requests('/reg')).equal(1);
  });

  it('registers again if a browser did not come back, for example because its client was forgotten', async () => {
    const { site, gateway } = await setUp();
    await gateway.link('notes');
    site.issuer.forgetClients();
    const page = await gateway.follow(await gateway.link('notes'));
    expect(isCallback(page.url)).equal(false);
    expect((await gateway.follow(await gateway.link('notes'))).text).contain('You are signed in');
    expect(site.issuer.requests('/reg')).equal(2);
  });

  it('registers again if the token endpoint does not know the client', async () => {
    const { site, gateway } = await setUp();
    const browser = newBrowser();
    const { url } = await browser.open(await gateway.link('notes'), isCallback);
    site.issuer.forgetClients();
    expect((await browser.open(url)).text).contain('Failed to complete authentication');
    expect((await gateway.follow(await gateway.link('notes'))).text).contain('You are signed in');
    expect(site.issuer.requests('/reg')).equal(2);
  });

  it('is known by its document where documents are supported, and where nothing else is', async () => {
    for (const registration of ['documents', 'neither'] as const) {
      const { gateway } = await setUp({ issuer: { registration } }, { mcpClient: { cimd: { scopes: '' } } });
      const id = `${gateway.url}/.well-known/oauth-client.json`;
      expect(await clientOf(gateway), registration).equal(id);
      if (registration === 'neither') continue;
      expect((await gateway.follow(await gateway.link('notes'))).text).contain('You are signed in');
    }
  });

  it('registers where that is possible while its document is http only, as another gateway on this machine wants it', async () => {
    const { site, gateway } = await setUp({ issuer: { registration: 'both' } });
    expect(await clientOf(gateway)).not.contain('oauth-client.json');
    expect(site.issuer.requests('/reg')).equal(1);
    expect((await gateway.follow(await gateway.link('notes'))).text).contain('You are signed in');
  });

  it('says what to configure, also in the log, where the authorization server names no way to become known', async () => {
    const { site, gateway } = await setUp({ issuer: { registration: 'neither' } });
    expect(await clientOf(gateway)).equal(`${gateway.url}/.well-known/oauth-client.json`);
    const reason = `the authorization server ${site.issuer.issuer} registers no clients by itself; register this gateway there, and set auth.authorizationServer with issuer and clientId of the server`;
    const { content } = await gateway.call('core_auth_login', { server: 'notes' });
    expect(JSON.stringify(content)).contain(`If the page there does not know the client: ${reason}.`);
    const lines = gateway.log.having('an authorization server may not know this gateway', 'warn');
    expect(lines.at(-1)?.data).deep.equal({ plugin: 'auth-client', server: 'notes', reason });
  });

  it('names another document if one is configured, and then publishes none', async () => {
    const clientId = 'https://documents.example/pegboard.json';
    for (const registration of ['documents', 'both', 'neither'] as const) {
      const { gateway } = await setUp({ issuer: { registration } }, { mcpClient: { clientId } });
      expect(await clientOf(gateway), registration).equal(clientId);
      const page = await newBrowser().request(`${gateway.url}/.well-known/oauth-client.json`);
      expect(page.status).equal(404);
    }
  });

  it('uses the id and secret of the definition, at the issuer that it pins', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
      const { site, gateway } = await setUp();
      const known = await register(site.issuer.issuer, {
        redirect_uris: [`${gateway.url}/oauth/proxy/callback`],
        token_endpoint_auth_method: method,
        grant_types: ['authorization_code', 'refresh_token'],
      });
      site.issuer.changeMetadata((honest) => ({
        ...honest,
        registration_endpoint: undefined,
        token_endpoint_auth_methods_supported: [method],
      }));
      const file = makeDirectory({ secret: `${known.client_secret ?? ''}\n` }).at('secret');
      const secret = known.client_secret === undefined ? undefined : `\${file:${file}}`;
      gateway.servers['notes'] = {
        url: site.url,
        auth: configured(site.issuer.issuer, known.client_id, secret),
      };
      expect((await gateway.follow(await gateway.link('notes'))).text, method).contain('You are signed in');
      expect(site.issuer.tokenRequests[0]?.status).equal(200);
    }
  });

  it('says which reference of the definition cannot be filled, and which option is missing', async () => {
    const { site, gateway } = await setUp();
    const auth = configured(site.issuer.issuer, 'id', '${env:PEGBOARD_TEST_ABSENT}');
    gateway.servers['notes'] = { url: site.url, auth };
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).equal(
      'Failed to create authentication challenge: auth.authorizationServer.clientSecret of the server names the environment variable PEGBOARD_TEST_ABSENT, which is not set; set it and restart Pegboard',
    );
    gateway.servers['notes'] = { url: site.url };
    site.issuer.fail(403, '/reg');
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).match(
      /^Failed to create authentication challenge: this gateway cannot register at http:.*\/reg: .*; register it there, and set auth\.authorizationServer\.clientId of the server$/,
    );
    site.issuer.fail(429, '/reg');
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).match(
      /cannot register at http:.*\/reg: .*; it takes no more registrations now: wait, and sign in again later$/,
    );
  });
});

describe('auth-client: the client metadata document', () => {
  const document = { path: '/.well-known/oauth-client.json' };

  it('describes the gateway at its public address', async () => {
    const publicUrl = 'https://gateway.example/base';
    const { gateway } = await setUp({}, { mcpClient: { publicUrl } });
    const page = await newBrowser().request(gateway.url + document.path);
    expect(page.status).equal(200);
    expect(Object.fromEntries(page.headers)).include({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
    });
    expect(JSON.parse(page.text)).deep.include({
      client_id: publicUrl + document.path,
      redirect_uris: [`${publicUrl}/oauth/proxy/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(JSON.parse(page.text)).not.have.property('scope');
    expect((await newBrowser().request(gateway.url + document.path, { method: 'POST' })).status).equal(405);
  });

  it('moves with its path, while the gateway runs', async () => {
    const { gateway } = await setUp();
    await gateway.reconfigure({ cimd: { path: '/client.json', scopes: 'openid a:b' } });
    const page = await newBrowser().request(`${gateway.url}/client.json`);
    expect(JSON.parse(page.text)).include({ client_id: `${gateway.url}/client.json`, scope: 'openid a:b' });
    expect((await newBrowser().request(gateway.url + document.path)).status).equal(404);
  });
});
