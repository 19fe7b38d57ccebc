import { expect } from 'chai';
import { newBrowser } from '../../../support/browser.ts';
import { guardedGateway, isCallback, setUp } from '../guardedGateway.ts';
import type { GuardedGateway } from '../guardedGateway.ts';

/** Where a link leads to: the parameters of the request to the authorization server. */
async function asked(gateway: GuardedGateway): Promise<Readonly<Record<string, string>>> {
  const page = await newBrowser().request(await gateway.link('notes'));
  return Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
}

describe('auth-client: signing in at a server', () => {
  it('takes one link, after which the server is connected with the grant', async () => {
    const { site, gateway } = await setUp();
    const link = await gateway.link('notes');
    expect(link).match(/^http:\/\/.+\/oauth\/proxy\/start\?state=[\w-]{43}$/);
    const page = await gateway.follow(link);
    expect(page).include({ status: 200 });
    expect(page.text).contain('You are signed in at <strong>notes</strong>');
    expect([...gateway.connections]).deep.equal(['local notes']);
    expect(await gateway.account('notes')).equal('alice');
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).equal(
      "Server 'notes' is already authenticated.",
    );
    expect(site.issuer.tokenRequests).lengthOf(1);
  });

  it('names the resource to the authorization server twice, and proves that it has begun the sign-in', async () => {
    const { site, gateway } = await setUp();
    const first = await asked(gateway);
    expect(first).include({ resource: site.url, code_challenge_method: 'S256', response_type: 'code' });
    expect(first['code_challenge']).match(/^[\w-]{43}$/);
    await gateway.follow(await gateway.link('notes'));
    const params = site.issuer.tokenRequests[0]?.params ?? {};
    expect(params).include({ grant_type: 'authorization_code', resource: site.url });
    expect(params['code_verifier']).match(/^[\w-]{43}$/);
  });

  it('may begin again from the same link until it is complete, in another browser too', async () => {
    const { gateway } = await setUp();
    const link = await gateway.link('notes');
    expect((await newBrowser().request(link)).status).equal(302);
    expect((await gateway.follow(link)).status).equal(200);
    const again = await gateway.follow(link);
    expect(again.status).equal(400);
    expect(again.text).contain('Authentication session expired. Please try again.');
  });

  it('asks for what the challenge names, else for what the server publishes', async () => {
    const challenged = await setUp({}, { server: { challenges: ['Bearer scope="extra"'] } });
    expect((await asked(challenged.gateway))['scope']).equal('extra offline_access');
    const published = await setUp();
    expect(await asked(published.gateway)).include({ scope: 'mcp offline_access', prompt: 'consent' });
  });

  it('asks for the missing scopes beside those that it has, and keeps the grant meanwhile', async () => {
    const { gateway } = await setUp();
    await gateway.follow(await gateway.link('notes'));
    await gateway.lacks('notes', 'extra');
    expect((await asked(gateway))['scope']?.split(' ')).members(['mcp', 'extra', 'offline_access']);
    expect(await gateway.account('notes')).equal('alice');
    await gateway.follow(await gateway.link('notes'));
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).contain('already authenticated');
  });

  it('accepts a grant with an unsigned id_token, which is not used', async () => {
    const { site, gateway } = await setUp();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    site.issuer.answerWith({ id_token: `${part({ alg: 'none' })}.${part({ sub: 'eve' })}.` });
    expect((await gateway.follow(await gateway.link('notes'))).status).equal(200);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('accepts an answer whose members without a value are null, as refreshes do', async () => {
    const { site, gateway } = await setUp();
    site.issuer.answerWith({ id_token: null, refresh_token: null, scope: null, expires_in: null });
    expect((await gateway.follow(await gateway.link('notes'))).status).equal(200);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('uses a token without a lifetime, and says that it had none if the server refuses it', async () => {
    const { site, gateway } = await setUp();
    site.issuer.answerWith({ expires_in: 0, refresh_token: null });
    expect((await gateway.follow(await gateway.link('notes'))).status).equal(200);
    expect(await gateway.account('notes')).equal('alice');
    expect(await gateway.refuse('notes')).contain('expires_in is not a number above 0');
  });

  it('ends with a page without details if the token endpoint refuses', async () => {
    for (const change of [{ token_type: 'DPoP' }, { access_token: 7 }, { access_token: undefined }]) {
      const { site, gateway } = await setUp();
      site.issuer.answerWith({ secret_detail: 'do not show', ...change });
      const page = await gateway.follow(await gateway.link('notes'));
      expect(page.status, JSON.stringify(change)).equal(400);
      expect(page.text).contain('Failed to complete authentication. Please try again.');
      expect(JSON.stringify(gateway.log.records)).not.contain('do not show');
      expect(await gateway.account('notes')).equal(undefined);
    }
  });

  it('uses only the issuer that the definition pins, whatever the server publishes', async () => {
    const { site, gateway } = await setUp();
    site.changeMetadata(() => ({ resource: site.url, authorization_servers: ['https://evil.example'] }));
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).contain('evil.example');
    const authorizationServer = {
      issuer: `${site.issuer.issuer}/`,
      scopes: 'extra',
      grantScope: 'session' as const,
      clientId: undefined,
      clientSecret: undefined,
    };
    gateway.servers['notes'] = { url: site.url, auth: { type: 'oauth', authorizationServer } };
    expect((await asked(gateway))['scope']).equal('extra offline_access');
    await gateway.follow(await gateway.link('notes'));
    expect(await gateway.account('notes')).equal('alice');
  });

  it('says at which URL nothing was found, and what to do', async () => {
    const { site, gateway } = await setUp();
    site.removeMetadata();
    const text = await gateway.tell('core_auth_login', { server: 'notes' });
    expect(text).match(/^Cannot authenticate to 'notes': RFC 9728 protected resource metadata not found/);
    expect(text)
      .contain('/.well-known/oauth-protected-resource/mcp')
      .contain('On the MCPServer set spec.auth.type=oauth and spec.auth.authorizationServer.issuer');
  });

  it('needs an address for browsers', async () => {
    const { site } = await setUp();
    const gateway = await guardedGateway(
      { notes: { url: site.url } },
      { builtIns: ['auth-client', 'vault-memory'] },
    );
    expect(await gateway.tell('core_auth_login', { server: 'notes' })).match(
      /^Failed to create authentication challenge: this gateway has no address for browsers/,
    );
  });

  it('returns to callbackPath, also after it has changed', async () => {
    const { gateway } = await setUp();
    await gateway.reconfigure({ callbackPath: '/elsewhere' });
    const { redirect_uri: uri = '' } = await asked(gateway);
    expect(uri).equal(`${gateway.url}/elsewhere`);
    expect((await gateway.follow(await gateway.link('notes'))).status).equal(200);
    expect((await newBrowser().request(`${gateway.url}/oauth/proxy/callback`)).status).equal(404);
  });

  it('needs a callback that is the one of the link', async () => {
    const { gateway } = await setUp();
    const browser = newBrowser();
    const page = await browser.open(await gateway.link('notes'), isCallback);
    expect(new URL(page.url).searchParams.get('code')).a('string');
    expect((await browser.open(page.url)).status).equal(200);
  });
});
