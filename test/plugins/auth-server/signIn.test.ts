import { expect } from 'chai';
import { startAuthServer } from '../../support/authServer.ts';
import { McpClient } from '../../support/mcpClient.ts';

describe('auth-server', () => {
  it('signs a person in: 401, metadata, authorize, callback, token, MCP', async () => {
    const auth = await startAuthServer();
    const refused = await auth.mcp(undefined);
    expect(refused.status).to.equal(401);
    const metadata =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(metadata).to.equal(`${auth.base}/.well-known/oauth-protected-resource/mcp`);
    const resource = (await (await fetch(metadata)).json()) as { authorization_servers: string[] };
    expect(resource.authorization_servers).to.deep.equal([auth.base]);
    const { access } = await auth.tokens();
    const client = await McpClient.connect(auth.base, { headers: { authorization: `Bearer ${access}` } });
    expect(await client.listTools()).to.have.lengthOf(13);
  });

  it('takes the requests of VS Code: its registration, its short state, and another port than the registered one', async () => {
    const auth = await startAuthServer();
    const registered = await fetch(`${auth.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Visual Studio Code',
        redirect_uris: [
          ...['https://insiders.vscode.dev/redirect', 'https://vscode.dev/redirect'],
          ...['http://127.0.0.1/', 'http://127.0.0.1:33418/'],
        ],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id } = (await registered.json()) as { readonly client_id: string };
    const state = 'qVaqh2bbtp/0/n+T5wZa2g==';
    const page = await auth.open(
      auth.authorizeUrl({ client_id, state, redirect_uri: 'http://127.0.0.1:59656/' }),
    );
    expect(page.status).to.equal(200);
    expect(page.text).to.include('Visual Studio Code');
  });

  it('shows people in a browser a page where it refuses, with what to do next, and programs JSON', async () => {
    const auth = await startAuthServer();
    const wrong = [
      ...[
        auth.authorizeUrl({ client_id: 'unknown' }),
        auth.authorizeUrl({ redirect_uri: 'https://x.example' }),
      ],
      `${auth.base}/oauth/callback?code=c&state=unknown`,
    ];
    for (const url of wrong) {
      const shown = await auth.open(url, undefined, {
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      });
      expect(shown.status).to.equal(400);
      expect(shown.headers.get('content-type')).to.include('text/html');
      expect(shown.text).to.include('You are not signed in').and.to.include('begin the sign-in there again');
      const told = await auth.open(url);
      expect(told.status).to.equal(400);
      expect(JSON.parse(told.text)).to.have.property('error');
    }
  });

  it('tells clients to come again while the store is full, and operators what to raise', async () => {
    const config = { maxEntries: 40 };
    const auth = await startAuthServer({ settings: { plugins: { 'vault-memory': { config } } } });
    const { refresh } = await auth.tokens();
    const taken = (await auth.vault.list('')).length;
    for (let at = taken; at < config.maxEntries; at += 1) await auth.vault.set(`other:${at}`, 1);
    const { status, headers, body } = await auth.refresh(refresh);
    expect([status, body['error']]).to.deep.equal([503, 'temporarily_unavailable']);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    expect(JSON.stringify(body)).to.not.match(/maxEntries|vault/);
    expect(auth.gateway.log.having('maxEntries', 'warn')).to.have.length.above(0);
  });

  it('refreshes', async () => {
    const auth = await startAuthServer();
    const first = await auth.tokens();
    const second = await auth.refresh(first.refresh);
    expect(second.status, JSON.stringify(second.body)).to.equal(200);
    expect((await auth.mcp(String(second.body['access_token']))).status).to.equal(200);
  });
});
