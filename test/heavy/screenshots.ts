/** Makes the screenshots of README.md anew: node --conditions pegboard-source --import ./.ci/source.mjs test/heavy/screenshots.ts */
import { startChromium } from '../support/browser.ts';
import { runEnds } from '../support/cleanup.ts';
import { movableClock } from '../support/clock.ts';
import { anHour, openBusySite } from '../plugins/admin/busySite.ts';

const PICTURES = [
  { path: '/', height: 1_110, file: 'plugins/admin/overview.png' },
  { path: '/connect', height: 560, file: 'plugins/admin/connect.png' },
];

const { later, end } = movableClock();
try {
  const [site, browser] = await Promise.all([openBusySite((empty) => anHour(empty, later)), startChromium()]);
  const context = await browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  for (const { path, height, file } of PICTURES) {
    await page.setViewportSize({ width: 1_180, height });
    await page.goto(site.url + path);
    await page.screenshot({ path: file });
  }
} finally {
  end();
  await runEnds();
}
