import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import type { McpClient, TestGateway } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { startServerIssuer } from '../support/serverIssuer.ts';
import { ROOT } from '../support/sources.ts';

/** Name of the page's field for the secret `key`. */
const FIELD = 'secret key';
const TOLD = fileURLToPath(new URL('test/plugins/upstream/fixtures/told.mjs', `file://${ROOT}/`));

/** Its tool has the name that it is given. */
const SCRIPT = JSON.stringify({
  'tools/list': { tools: [{ name: 'named_$KEY', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [] },
});

async function start(definition: string): Promise<{ gateway: TestGateway; client: McpClient }> {
  const port = await freePort();
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({ aggregator: { port, oauth: { mcpClient: { enabled: true } } } }),
      'mcpservers/vault.yaml': definition,
    },
  });
  defer(() => gateway.stop());
  return { gateway, client: await mcpClient(gateway.url()) };
}
async function textOf(client: McpClient, tool: string, args: object = {}): Promise<string> {
  const { content } = await client.callTool(tool, args as never);
  return String(content[0]?.['text']);
}
/** Enters values on the page that core_auth_login leads to. */
async function enter(
  client: McpClient,
  values: Readonly<Record<string, string>>,
  status = 200,
): Promise<string> {
  const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
  const browser = newBrowser();
  const page = await browser.open((structuredContent as { authUrl: string }).authUrl);
  expect(page.status, page.text).to.equal(200);
  const done = await browser.submit(page, values);
  expect(done.status, done.text).to.equal(status);
  return done.text;
}

describe('Secrets of a person', () => {
  it('are asked for by a page, sent in headers, and asked for again when the server refuses them', async () => {
    const accounts = new Map([['right', 'ann']]);
    const issuer = await startServerIssuer();
    const site = await startGuardedSite({
      issuer: {
        ...issuer,
        check: (token) => {
          const account = accounts.get(token);
          const clientId = 'none';
          return Promise.resolve(
            account === undefined ? undefined : { account, scopes: ['mcp'], clientId, grant: '' },
          );
        },
      },
    });
    const { gateway, client } = await start(
      site.definition({ headers: { Authorization: 'Bearer ${caller:key}' } }),
    );
    expect(await textOf(client, 'x_vault_whoami')).to.include('core_auth_login');
    const refused = await enter(client, { [FIELD]: 'wrong-secret' }, 400);
    expect(refused)
      .to.include('vault does not accept what you entered')
      .and.include(new URL(site.url).host)
      .and.include('type="password"')
      .and.not.match(/Saved|core_auth_login|wrong-secret/);
    const status = await client.request('resources/read', { uri: 'auth://status' });
    expect(JSON.stringify(status)).to.include('it refuses your secret key');
    expect(await textOf(client, 'x_vault_whoami')).to.include('core_auth_login');
    await enter(client, { [FIELD]: 'right' });
    expect(await textOf(client, 'x_vault_whoami')).to.include('"account":"ann"');
    accounts.clear();
    accounts.set('newer', 'ann');
    expect(await textOf(client, 'x_vault_whoami')).to.include('refuses your secret');
    await enter(client, { [FIELD]: 'newer' });
    expect(await textOf(client, 'x_vault_whoami')).to.include('"account":"ann"');
    expect(JSON.stringify(gateway.log)).to.not.match(/wrong-secret|newer/);
  });

  it('are in the environment of a process of their own', async () => {
    const { client } = await start(
      JSON.stringify({
        type: 'stdio',
        autoStart: true,
        command: [process.execPath, TOLD, SCRIPT],
        env: { KEY: '${caller:key}' },
      }),
    );
    expect(await textOf(client, 'x_vault_named_tom')).to.include('core_auth_login');
    await enter(client, { [FIELD]: 'tom' });
    const { content } = await client.callMeta('list_tools', { limit: 500 });
    expect(String(content[0]?.['text'])).to.include('x_vault_named_tom');
  });
});
