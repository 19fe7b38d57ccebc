import { expect } from 'chai';
import { PUBLIC_CLIENT, REDIRECT, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { httpsSite } from '../../support/httpsSite.ts';

const KEY = 'allowedClients';

describe('auth-server: allowedClients', () => {
  const registered = async ({ base }: AuthServer, ...redirect_uris: readonly string[]): Promise<number> => {
    const body = JSON.stringify({ redirect_uris, token_endpoint_auth_method: 'none' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${base}/oauth/register`, { method: 'POST', headers, body });
    const text = await answer.text();
    expect(text).not.include(KEY);
    return answer.status;
  };
  const authorized = async (auth: AuthServer, changes: Record<string, string> = {}): Promise<number> => {
    const { status, text } = await auth.open(auth.authorizeUrl(changes));
    expect(text).not.include(KEY);
    return status;
  };

  it('empty: admits clients of any host', async () => {
    const auth = await startAuthServer();
    expect(await authorized(auth)).equal(302);
  });

  it('admits clients whose redirect URIs are all at a host of the list, and the log names the key for others', async () => {
    const auth = await startAuthServer({
      config: {
        allowedClients: ['localhost', '*.example.com', 'cursor:'],
        allowPublicClientRegistration: true,
      },
    });
    expect(await authorized(auth)).equal(302);
    expect(await registered(auth, REDIRECT)).equal(201);
    expect(await registered(auth, 'http://127.0.0.1:1/callback', 'cursor://callback')).equal(201);
    const log = auth.gateway.log;
    for (const uri of ['https://claude.ai/api/mcp/auth_callback', 'vscode://callback'])
      expect(await registered(auth, REDIRECT, uri), uri).equal(400);
    const client = await auth.known({
      ...PUBLIC_CLIENT,
      id: 'other',
      redirectUris: ['https://example.com/back'],
    });
    const changes = { client_id: client.id, redirect_uri: 'https://example.com/back' };
    expect(await authorized(auth, changes)).equal(400);
    expect(auth.lastReason).equal('client-not-allowed');
    const told = log.having('a client was refused').map(({ data }) => data);
    expect(told.map(({ hosts }) => hosts)).deep.equal(['claude.ai', 'vscode:', 'example.com']);
    expect(told[0]?.['fix']).include(`aggregator.oauth.server.${KEY}`);
  });

  it('refuses to refresh for a client that it does not have any more, and still lets it sign out', async () => {
    const auth = await startAuthServer();
    const { access, refresh } = await auth.tokens();
    await auth.configureServer({ allowedClients: ['claude.ai'] });
    expect((await auth.refresh(refresh)).body['error']).equal('unauthorized_client');
    const form = { token: refresh, client_id: auth.clientId };
    expect((await auth.post(form, {}, '/oauth/revoke')).status).equal(200);
    expect((await auth.mcp(access)).status).equal(401);
    await auth.configureServer({ allowedClients: ['localhost'] });
    expect(tokensOf(await auth.redeem(await auth.code()))).have.keys('access', 'refresh');
  });

  it('fetches no metadata document of another host', async () => {
    const asked: string[] = [];
    const site = await httpsSite(({ url = '' }, response) => {
      asked.push(url);
      const client_id = `https://localhost:${site.port}${url}`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ client_id, redirect_uris: [REDIRECT] }));
    });
    const auth = await startAuthServer({
      config: { allowedClients: ['claude.ai'], allowPrivateIPClientMetadata: true },
      settings: { aggregator: { extraCaFile: 'ca.pem' } },
      files: { 'ca.pem': site.ca.join('') },
    });
    const client_id = `https://localhost:${site.port}/client.json`;
    expect(await authorized(auth, { client_id })).equal(400);
    expect(asked).deep.equal([]);
    await auth.configureServer({ allowedClients: ['localhost'] });
    expect(await authorized(auth, { client_id })).equal(302);
    expect(asked).deep.equal(['/client.json']);
  });
});
