import { expect } from 'chai';
import { mcpClient, startGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { freePort } from '../../support/everything.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import { tlsProxy } from '../../support/tlsProxy.ts';

describe('auth-client: a server with tls of its own', () => {
  it('is trusted where it publishes its metadata too, and is asked for a sign-in', async () => {
    const tls = await tlsProxy(() => site.server.url);
    const metadata = `${tls.origin}/.well-known/oauth-protected-resource/mcp`;
    const site = await startGuardedSite({
      challenges: () => [`Bearer resource_metadata="${metadata}", scope="mcp"`],
    });
    const url = `${tls.origin}/mcp`;
    site.changeMetadata((honest) => ({ ...honest, resource: url }));
    const aggregator = { port: await freePort(), oauth: { mcpClient: { enabled: true } } };
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ aggregator }),
        'mcpservers/vault.yaml': site.definition({
          url,
          tls: { ca: tls.certificate },
          auth: { type: 'oauth' },
        }),
      },
    });
    defer(() => gateway.stop());
    const client = await mcpClient(gateway.url());
    const { content } = await client.callTool('core_auth_login', { server: 'vault' });
    expect(JSON.stringify(content)).match(/Please sign in/);
  });
});
