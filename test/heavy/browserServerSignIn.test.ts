import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect } from 'chai';
import { mcpClient, startGateway } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { needChromium, startChromium } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';

/** An application that people come back to. @returns its origin */
async function startApplication(): Promise<string> {
  const server = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>The application</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a browser', function () {
  this.timeout(60_000);
  before(function () {
    needChromium(this);
  });

  const start = async () => {
    const site = await startGuardedSite({ issuer: { hasLoginPage: true } });
    const application = await startApplication();
    const port = await freePort();
    const mcpClientSettings = { enabled: true, postLoginRedirectAllowlist: [`${application}/done`] };
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ aggregator: { port, oauth: { mcpClient: mcpClientSettings } } }),
        'mcpservers/vault.yaml': site.definition(),
      },
    });
    defer(() => gateway.stop());
    const page = await (await startChromium()).newPage({ javaScriptEnabled: false });
    page.setDefaultTimeout(10_000);
    return { application, gateway, page, client: await mcpClient(gateway.url()) };
  };
  /** Signs in, from the link of core_auth_login through the page of the authorization server. */
  const enter = async (page: Page, client: McpClient, redirect: string): Promise<void> => {
    const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
    const link = new URL((structuredContent as { authUrl: string }).authUrl);
    link.searchParams.set('redirect', redirect);
    await page.goto(link.href);
    await page.getByLabel('Account').fill('carol');
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const account = async (client: McpClient): Promise<string> => {
    const { content } = await client.callTool('x_vault_whoami');
    return String(content[0]?.['text']);
  };

  it('signs in to a server by the link, and lands where its redirect says', async () => {
    const { application, page, client } = await start();
    await enter(page, client, `${application}/done?from=chat`);
    await page.getByRole('heading', { name: 'The application' }).waitFor();
    expect(page.url()).equal(`${application}/done?from=chat&server=vault`);
    expect(await account(client)).include('"account":"carol"');
  });

  it('lands on the page of the gateway if the redirect is foreign', async () => {
    const { application, gateway, page, client } = await start();
    await enter(page, client, `${application}/elsewhere`);
    await page.getByText('You are signed in').waitFor();
    expect(new URL(page.url()).port).equal(new URL(gateway.url()).port);
    expect(new URL(page.url()).pathname).equal('/oauth/proxy/callback');
    expect(await account(client)).include('"account":"carol"');
  });
});
