import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mcpClient, startGateway } from '../contract/index.ts';
import { REDIRECT, startAuthServer, tokensOf } from '../support/authServer.ts';
import { needChromium, startChromium } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';

/** Screenshots are written here if it is set. */
const SHOTS = process.env['PAGE_SHOTS'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOKEN = 'A personal access token with the scope read: https://tickets.example.com/settings/tokens';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
}

describe('the pages of sign-ins in a browser', function () {
  this.timeout(60_000);
  before(function () {
    needChromium(this);
  });

  /** Looks at the page that is open: light and dark, on a phone and on a desk. */
  async function look(page: Page, name: string): Promise<void> {
    for (const width of [360, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        if (SHOTS !== undefined) {
          await mkdir(SHOTS, { recursive: true });
          await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        }
        await page.evaluate(AXE);
        const findings = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)');
        const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(
          serious.map(({ id }) => id),
          `${name} ${colorScheme} ${width}`,
        ).deep.equal([]);
      }
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(over, `${name}: pixels beyond ${width}`).at.most(0);
    }
  }

  it('have no serious finding of axe and no sideways scrolling, light and dark', async () => {
    const asking = await startAuthServer({ config: { consent: 'always' } });
    const page = await (await startChromium()).newPage({ bypassCSP: true });
    await page.route(`${REDIRECT}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'done' }));
    await page.goto(asking.authorizeUrl());
    await look(page, 'consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('done').waitFor();
    tokensOf(await asking.redeem(new URL(page.url()).searchParams.get('code') ?? ''));
    await page.goto(asking.authorizeUrl());
    await page.getByText('alice@example.com').waitFor();
    await look(page, 'consent-known');
    await page.goto(`${asking.base}/oauth/callback?state=${'a'.repeat(43)}`);
    await look(page, 'refused');
    await page.goto(`${asking.base}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out Test client' }).waitFor();
    await look(page, 'logout');
    await page.getByRole('button', { name: 'All but that session' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await look(page, 'signed-out');
  });

  it('are as good where secrets are entered, refused and corrected', async () => {
    const site = await startGuardedSite();
    const port = await freePort();
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ aggregator: { port, oauth: { mcpClient: { enabled: true } } } }),
        'mcpservers/vault.yaml': site.definition({
          headers: { Authorization: 'Bearer ${caller:API_KEY}', 'X-Tenant': '${caller:TENANT}' },
          callerSecrets: { API_KEY: { description: TOKEN } },
        }),
      },
    });
    defer(() => gateway.stop());
    const client = await mcpClient(gateway.url());
    const { structuredContent } = await client.callTool('core_auth_login', { server: 'vault' });
    const page = await (await startChromium()).newPage({ bypassCSP: true });
    await page.goto((structuredContent as { authUrl: string }).authUrl);
    await look(page, 'secrets');
    await page.getByLabel('API_KEY').fill('wrong');
    await page.getByLabel('TENANT').fill('one');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await look(page, 'secrets-refused');
    for (const [name, path] of [
      ['expired', `/oauth/proxy/start?state=${'a'.repeat(43)}`],
      ['root', '/'],
    ] as const) {
      await page.goto(`${new URL(gateway.url()).origin}${path}`);
      await look(page, name);
    }
  });
});
