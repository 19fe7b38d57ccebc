import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { HAS_CHROMIUM, NO_CHROMIUM, startChromium } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { listenerUrl } from '../support/edge.ts';
import { RELAY } from '../support/relayGateway.ts';
import { TalkingClient } from '../support/talkingClient.ts';
import { until } from '../support/until.ts';
import { openAdmin } from '../plugins/admin/adminGateway.ts';
import type { AdminSite } from '../plugins/admin/adminGateway.ts';

/** Screenshots are written here if it is set. */
const SHOTS = process.env['ADMIN_SHOTS'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const command = [process.execPath, RELAY, 'stdio'];
const FILES = {
  'mcpservers/shop.yaml': JSON.stringify({ type: 'stdio', command, autoStart: true, description: 'Orders' }),
  'mcpservers/notes.yaml': JSON.stringify({
    type: 'stdio',
    command,
    autoStart: true,
    instances: 'perSession',
  }),
  'mcpservers/billing.yaml': JSON.stringify({
    type: 'stdio',
    command: ['/nowhere/billing'],
    autoStart: true,
  }),
  'mcpservers/archive.yaml': JSON.stringify({ type: 'stdio', command, autoStart: false }),
  'mcpservers/wrong.yaml': 'type: 4\n',
};

describe('the admin pages in a browser', function () {
  if (!HAS_CHROMIUM) {
    console.log(NO_CHROMIUM);
    return;
  }
  let site: AdminSite;
  let browser: Browser;
  let client: TalkingClient;
  let id: string;
  let paths: Readonly<Record<string, string>>;

  beforeEach(async () => {
    site = await openAdmin({ files: FILES });
    const isReady = async (): Promise<boolean> => {
      const { servers } = await site.facts<{ servers: Readonly<Record<string, number>> }>('/');
      return servers['running'] === 2 && servers['failed'] === 1;
    };
    await until(isReady, { what: 'the servers run' });
    client = await TalkingClient.connect(
      listenerUrl(site.gateway),
      { elicitation: {} },
      { 'x-service-toolset': 'server:shop,server:notes' },
    );
    defer(() => client.leave());
    for (let count = 0; count < 5; count += 1) await client.told('x_shop_seen');
    await client.told('x_notes_seen');
    await call('x_shop_fail').answer();
    const { items } = await site.facts<{ items: readonly { id: string }[] }>('/sessions');
    id = items[0]?.id ?? '';
    paths = {
      overview: '/',
      sessions: '/sessions',
      session: `/sessions/${id}`,
      servers: '/mcps',
      server: '/mcps/shop',
      failed: '/mcps/billing',
      explain: `/explain?session=${id}&tool=core_service_list`,
      missing: '/nothing',
    };
    browser = await startChromium();
  });

  const call = (name: string) =>
    client.request('tools/call', { name: 'call_tool', arguments: { name, arguments: {} } });
  const open = async (
    colorScheme: 'light' | 'dark',
    width: number,
    javaScriptEnabled = true,
  ): Promise<Page> => {
    const context = await browser.newContext({
      colorScheme,
      javaScriptEnabled,
      viewport: { width, height: 900 },
      bypassCSP: false,
    });
    return context.newPage();
  };

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1_280])
      it(`have no serious finding of axe and no sideways scrolling, ${colorScheme}, ${width} px`, async () => {
        const running = call('x_shop_wait');
        await until(async () => (await site.get('/')).text.includes('/cancel'));
        const page = await open(colorScheme, width);
        const errors: string[] = [];
        page.on('console', (message) => {
          if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text());
        });
        page.on('pageerror', (error) => errors.push(error.message));
        for (const [name, path] of Object.entries(paths)) {
          await page.goto(`${site.url}${path}`);
          if (SHOTS !== undefined) {
            await mkdir(SHOTS, { recursive: true });
            await page.screenshot({
              path: join(SHOTS, `${name}-${colorScheme}-${width}.png`),
              fullPage: true,
            });
          }
          for (const details of await page.locator('details').all()) await details.evaluate(openDetails);
          await page.evaluate(AXE);
          const findings = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)');
          const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
          expect(serious.map(worded), `${name} ${colorScheme} ${width}`).deep.equal([]);
          const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(over, `${name}: pixels beyond the screen`).at.most(0);
        }
        expect(errors).deep.equal([]);
        const { calls } = await site.facts<{ calls: readonly { id: number }[] }>(`/sessions/${id}`);
        await site.post(`/calls/${calls[0]?.id ?? 0}/cancel`);
        await running.answer();
      });

  it('follow what happens without a reload, and keep the focus and what is open', async () => {
    const page = await open('light', 1_280);
    await page.goto(`${site.url}/sessions/${id}`);
    await page.getByText('live, as of').waitFor();
    await page.locator('summary').first().click();
    const running = call('x_shop_wait');
    await page.getByRole('button', { name: /Cancel/ }).waitFor();
    expect(await page.locator('details[open]').count()).equal(1);
    expect(await page.evaluate('document.activeElement.tagName')).equal('SUMMARY');
    await page.getByRole('button', { name: /Cancel/ }).click();
    await page.getByText('No call is under way.').waitFor();
    expect(JSON.stringify((await running.answer()).result)).include('operator');
  });

  it('work by keyboard alone and without JavaScript', async () => {
    const page = await open('light', 1_280, false);
    await page.goto(`${site.url}/sessions`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).equal('Skip to content');
    await page.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^End/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No client has used a session').waitFor();
    expect((await client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).equal(404);
  });

  it('cannot be operated by a page of another site, and can by their own', async () => {
    const page = await open('light', 1_280);
    const form = (action: string): string =>
      `<form method="post" action="${action}"><button>Go</button></form>`;
    await page.route('http://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: form(`${site.url}/sessions/${id}/delete`) }),
    );
    await page.goto('http://evil.example/');
    await page.getByRole('button').click();
    await page.getByText('Refused').first().waitFor();
    expect((await client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).equal(200);
    await page.goto(`${site.url}/sessions/${id}`);
    await page.locator('summary').first().click();
    await page.getByRole('button', { name: /^End/ }).first().click();
    await page.getByText('No client has used a session').waitFor();
    expect((await client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).equal(404);
  });
});

/** Runs in the page. */
function openDetails(element: unknown): void {
  (element as { open: boolean }).open = true;
}

function worded({ id, nodes }: Finding): string {
  return `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`;
}
