import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { pagesOf } from '../../plugins/admin/pagesOf.ts';
import type { PageParts } from '../../plugins/admin/pagesOf.ts';
import { matchRoutes } from '../../plugins/admin/web/matchRoutes.ts';
import { HAS_CHROMIUM, NO_CHROMIUM, startChromium } from '../support/browser.ts';
import { movableClock } from '../support/clock.ts';
import { askCore } from '../support/coreTools.ts';
import { until } from '../support/until.ts';
import { anHour, openBusySite } from '../plugins/admin/busySite.ts';
import type { BusySite } from '../plugins/admin/busySite.ts';

/** Screenshots are written here if it is set. Those of README.md are made by screenshots.ts. */
const SHOTS = process.env['ADMIN_SHOTS'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All rules of axe, and those that the colours decide. */
const RULES = [
  ['light', '{}'],
  ['dark', "{ runOnly: ['color-contrast'] }"],
] as const;
/** What can be operated, as it is now; runs in the page. */
const STOPS = `[...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex="0"]')]
  .filter((element) => element.type !== 'hidden' && element.checkVisibility())`;
/** What a table cuts off at its edge; runs in the page. */
const CUT = `[...document.querySelectorAll('.scroll td div, .scroll td div *')]
  .filter((one) => one.getBoundingClientRect().right > one.closest('.scroll').getBoundingClientRect().right)
  .map((one) => one.textContent.trim())`;
/** Which of them has the focus, and whether a person sees that; runs in the page. */
const FOCUSED = `[${STOPS}.indexOf(document.activeElement),
  getComputedStyle(document.activeElement).outlineStyle !== 'none'
    && document.activeElement.getBoundingClientRect().bottom > 0]`;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe('the admin pages in a browser', function () {
  if (!HAS_CHROMIUM) {
    console.log(NO_CHROMIUM);
    return;
  }
  let site: BusySite;
  let browser: Browser;
  let paths: Readonly<Record<string, string>>;

  let endClock = (): void => undefined;
  after(() => endClock());

  before(async () => {
    const { later, end } = movableClock();
    endClock = end;
    [site, browser] = await Promise.all([openBusySite((empty) => anHour(empty, later)), startChromium()]);
    const { session, runs } = site;
    paths = {
      overview: '/',
      sessions: '/sessions',
      session: `/sessions/${session}`,
      servers: '/mcps',
      server: '/mcps/shop',
      failed: '/mcps/billing',
      edit: '/mcps/shop/edit',
      add: '/mcps/new',
      tools: '/tools?query=find+an+order',
      tool: '/tools/x_shop_order_search',
      connect: '/connect',
      toolsets: '/toolsets?groups=sales',
      toolsetOfServer: '/toolsets?add=shop',
      explain: `/explain?session=${session}&tool=core_service_list`,
      workflows: '/workflows',
      workflow: '/workflows/ship-order',
      missingTool: '/workflows/restock',
      runs: '/runs',
      run: `/runs/${runs.failed}`,
      running: `/runs/${runs.running}`,
      events: '/events',
      calls: '/calls',
      failedCalls: '/calls?outcome=error',
      pins: '/pins',
      logs: '/logs',
      serverLogs: '/mcps/shop/logs',
      search: '/search?q=order',
      signIns: '/sign-ins',
      grants: '/grants',
      config: '/config',
      nothing: '/nothing',
    };
  });

  const open = async (javaScriptEnabled: boolean, width = 1_280): Promise<Page> => {
    const context = await browser.newContext({
      javaScriptEnabled,
      reducedMotion: 'reduce',
      viewport: { width, height: 900 },
    });
    return context.newPage();
  };
  /** Selector of the buttons in the list of calls under way. */
  const cancelCall = 'form[action^="/calls/"] button';
  const isCalling = async (): Promise<boolean> => (await site.get('/')).text.includes('/cancel');

  it('are all visited by these tests', () => {
    const { pages } = pagesOf({} as PageParts);
    const visited = Object.values(paths).flatMap((path) => matchRoutes(pages, path.replace(/\?.*/, '')));
    const without = pages.filter((page) => !visited.some(({ route }) => route === page));
    expect(without.map(({ path }) => path)).deep.equal([]);
  });

  for (const width of [360, 1_280])
    it(`have no serious finding of axe and no sideways scrolling, light and dark, ${width} px`, async () => {
      const running = site.wait();
      await until(isCalling);
      const page = await open(true, width);
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${site.url}${path}`);
        await page.evaluate(AXE);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await shoot(page, `${name}-${colorScheme}-${width}`);
        }
        for (const details of await page.locator('details').all()) await details.evaluate(openDetails);
        for (const [colorScheme, rules] of RULES) {
          await page.emulateMedia({ colorScheme });
          const findings = await page.evaluate<Finding[]>(
            `axe.run(${rules}).then(({ violations }) => violations)`,
          );
          const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
          expect(serious.map(worded), `${name} ${colorScheme} ${width}`).deep.equal([]);
        }
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(over, `${name}: pixels beyond the screen`).at.most(0);
        const cut = await page.evaluate<string[]>(CUT);
        if (width === 360) expect(cut, `${name}: cells that are cut off`).deep.equal([]);
      }
      expect(errors).deep.equal([]);
      await page.goto(`${site.url}/sessions/${site.session}`);
      await page.locator(cancelCall).click();
      await running.answer();
    });

  it('reach everything that can be operated by the Tab key, with a visible focus', async () => {
    const page = await open(false);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${site.url}${path}`);
      const wanted = await page.evaluate<number>(`${STOPS}.length`);
      const seen = new Set<number>();
      for (let presses = 0; presses < wanted; presses += 1) {
        await page.keyboard.press('Tab');
        const [place, isShown] = await page.evaluate<[number, boolean]>(FOCUSED);
        expect(isShown, `${name}: the focus is seen at stop ${place}`).equal(true);
        seen.add(place);
      }
      expect(seen.size, `${name}: reached by Tab`).equal(wanted);
    }
  });

  it('follow what happens without a reload, and keep the focus and what is open', async () => {
    const page = await open(true);
    await page.goto(`${site.url}/sessions/${site.session}`);
    await page.getByText('live, as of').waitFor();
    await page.locator('summary').first().click();
    const running = site.wait();
    await page.locator(cancelCall).waitFor();
    const age = page.locator('td[data-label="Age"] time');
    const first = await age.textContent();
    await until(async () => (await age.textContent()) !== first, { what: 'its age', withinMs: 25_000 });
    expect(await page.locator('details[open]').count()).equal(1);
    expect(await page.evaluate('document.activeElement.tagName')).equal('SUMMARY');
    await page.locator(cancelCall).click();
    await page.getByText('No call is under way.').waitFor();
    expect(JSON.stringify((await running.answer()).result)).include('operator');
  });

  it('copy the line of a client by its button, which is not there without JavaScript', async () => {
    const page = await open(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${site.url}/connect`);
    await page.getByRole('button', { name: 'Copy Line for Codex' }).click();
    await page.getByRole('button', { name: 'Copied Line for Codex' }).waitFor();
    const line = await page.getByLabel('Line for Codex').inputValue();
    expect(line).match(/^codex mcp add pegboard --url http/);
    expect(await page.evaluate('navigator.clipboard.readText()')).equal(line);
    const plain = await open(false);
    await plain.goto(`${site.url}/connect`);
    expect(await plain.getByRole('button', { name: /^Copy/ }).count()).equal(0);
    expect(await plain.getByLabel('Line for Codex').inputValue()).equal(line);
  });

  it('find by the box in their head, and lead from a bar to its calls, without JavaScript', async () => {
    const page = await open(false, 360);
    await page.goto(`${site.url}/sign-ins`);
    await page.getByRole('searchbox').fill('ship-order');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'ship-order', exact: true }).first().waitFor();
    await page.goto(site.url);
    await page.locator('.chart a').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^[1-9]\d* calls?, / }).waitFor();
  });

  it('preview who sees what while a person types, and write it by a click', async () => {
    const page = await open(true);
    await page.goto(`${site.url}/toolsets?groups=sales`);
    await page.getByText('live, as of').waitFor();
    await page.getByLabel(/^YAML/).fill('access: [{ groups: [sales], toolset: ["server:shop"] }]');
    const order = page.locator('#preview tr', { hasText: 'x_shop_order_search' });
    await order.locator('td[data-label="Then"]', { hasText: 'allowed' }).waitFor();
    await page.getByLabel('Groups').fill('support');
    await order.locator('td[data-label="Then"]', { hasText: 'refused' }).waitFor();
    expect(await page.locator('#preview .diff .added').first().textContent()).include('access:');
    await page.getByLabel(/^YAML/).fill('toolsetPresets: { orders: { include: [{ server: shop }] } }');
    await page.locator('#preview .diff .added', { hasText: 'orders:' }).waitFor();
    await page.getByRole('button', { name: /^Write it/ }).click();
    await page.getByRole('status').getByText('The rules were written to').waitFor();
    expect(await page.getByLabel(/^YAML/).inputValue()).include('orders:');
  });

  it('stop and start a server, edit its YAML, cancel a run and save the configuration without JavaScript', async () => {
    const page = await open(false);
    const press = async (name: RegExp): Promise<void> => {
      const button = page.getByRole('button', { name }).first();
      await button.focus();
      await page.keyboard.press('Enter');
    };
    const ask = async (name: string): Promise<void> => {
      await page.locator('summary.button', { hasText: name }).first().focus();
      await page.keyboard.press('Enter');
    };
    await page.goto(`${site.url}/runs/${site.runs.running}`);
    await ask('Cancel');
    await press(/^Cancel/);
    await page.locator('main .badge', { hasText: 'cancelled' }).first().waitFor();

    await page.goto(`${site.url}/mcps/shop/edit`);
    const yaml = page.getByLabel('YAML');
    await yaml.fill((await yaml.inputValue()).replace('Orders, invoices', 'Orders, bills'));
    await press(/^Preview/);
    expect(await page.locator('.diff .removed').textContent()).include('Orders, invoices');
    expect(await page.locator('.diff .added').textContent()).include('Orders, bills');
    await shoot(page, 'diff-light-1280');
    await press(/^Write/);
    await page.getByRole('status').getByText('The definition of shop was written.').waitFor();
    await ask('Stop');
    await press(/^Stop/);
    await page.locator('main .badge', { hasText: 'stopped' }).first().waitFor();
    await press(/^Start/);
    await page.locator('summary.button', { hasText: 'Stop' }).waitFor();
    await until(async () => (await site.facts('/mcps/shop'))['state'] === 'running');

    await askCore(site.gateway, 'core_config_update_aggregator', { aggregator: { ServicePrefix: 'y' } });
    await page.goto(`${site.url}/config`);
    await page.getByText('1 change not saved').waitFor();
    await shoot(page, 'unsaved-light-1280');
    await press(/^Save/);
    await page.getByText('Nothing is unsaved.').waitFor();
  });

  it('cannot be operated by a page of another site, and can by their own', async () => {
    const page = await open(true);
    const form = (action: string): string =>
      `<form method="post" action="${action}"><button>Go</button></form>`;
    await page.route('http://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: form(`${site.url}/sessions/${site.session}/delete`) }),
    );
    const ping = async (): Promise<number> =>
      (await site.client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status;
    await page.goto('http://evil.example/');
    await page.getByRole('button').click();
    await page.getByText('Refused').first().waitFor();
    expect(await ping()).equal(200);
    await page.goto(`${site.url}/sessions/${site.session}`);
    await page.locator('summary', { hasText: 'End' }).click();
    await page.getByRole('button', { name: /^End/ }).first().click();
    await page.getByRole('heading', { name: /\d sessions?/ }).waitFor();
    expect(await ping()).equal(404);
  });
});

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Runs in the page. */
function openDetails(element: unknown): void {
  (element as { open: boolean }).open = true;
}

function worded({ id, nodes }: Finding): string {
  return `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`;
}
