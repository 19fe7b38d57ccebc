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

  it('refreshes', async () => {
    const auth = await startAuthServer();
    const first = await auth.tokens();
    const second = await auth.refresh(first.refresh);
    expect(second.status, JSON.stringify(second.body)).to.equal(200);
    expect((await auth.mcp(String(second.body['access_token']))).status).to.equal(200);
  });
});
