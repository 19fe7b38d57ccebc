import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import type { McpClient, TestGateway } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';

interface Started {
  readonly gateway: TestGateway;
  readonly site: GuardedSite;
  readonly client: McpClient;
}

/** A gateway for one person, with a server that wants a sign-in. */
async function start(directory?: string): Promise<Started> {
  const site = await startGuardedSite();
  const port = await freePort();
  const gateway = await startGateway({
    ...(directory !== undefined && { directory }),
    files: {
      'config.yaml': JSON.stringify({ aggregator: { port, oauth: { mcpClient: { enabled: true } } } }),
      'mcpservers/vault.yaml': site.definition(),
    },
  });
  defer(() => gateway.stop());
  return { gateway, site, client: await mcpClient(gateway.url()) };
}

async function textOf(client: McpClient, tool: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool(tool, args as never);
  return String(content[0]?.['text']);
}
async function linkFor(client: McpClient): Promise<string> {
  const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
  return (structuredContent as { authUrl: string }).authUrl;
}

describe('Sign-in at a server', () => {
  it('takes one link, after which the next call of the same session succeeds', async () => {
    const { client } = await start();
    expect(await textOf(client, 'x_vault_whoami')).to.include('core_auth_login with {"server": "vault"}');
    const page = await newBrowser().open(await linkFor(client));
    expect(page.status, page.text).to.equal(200);
    expect(await textOf(client, 'x_vault_whoami')).to.include('"account":"alice"');
    const { content } = await client.callMeta('filter_tools', { query: 'who am I in the vault' });
    expect(String(content[0]?.['text'])).to.include('x_vault_whoami');
  });
});
