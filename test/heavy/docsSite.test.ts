import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { HAS_CHROMIUM, NO_CHROMIUM, startChromium } from '../support/browser.ts';
import { defer } from '../support/cleanup.ts';
import { certificates } from '../support/environment.ts';
import { ROOT } from '../support/sources.ts';

const run = promisify(execFile);
const SITE = join(ROOT, 'build/docs/site');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
};

/** Serves the site as a web server does that knows `page` for page.html. @returns its address */
async function serveSite(): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://site').pathname);
    const file = [path, `${path}.html`, `${path}index.html`]
      .map((name) => join(SITE, name))
      .find((name) => extname(name) !== '' && existsSync(name));
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(file ?? '')] ?? 'text/plain',
    });
    response.end(file === undefined ? '' : readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Path of a page, as links name it, to its HTML. */
function htmlPages(): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(SITE, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name.replace(/(index)?\.html$/, '')}`, readFileSync(join(SITE, name), 'utf8')]),
  );
}

describe('the documentation as a site', function () {
  this.timeout(300_000);

  before(() =>
    run('npm', ['run', '--silent', 'docs'], {
      cwd: ROOT,
      env: { ...process.env, ...certificates },
      maxBuffer: 1e8,
    }),
  );

  it('has a page or heading for each of its links', () => {
    const pages = htmlPages();
    const ids = new Map(
      [...pages].map(([path, html]) => [
        path,
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    );
    const links = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/<a [^>]*href="((?:\/|#)[^"]*)"/g)].map(([, link = '']) => {
        const [path, anchor] = link.split('#');
        return { from, link, path: path === '' ? from : (path ?? ''), anchor };
      }),
    );
    expect(links).length.above(5000);
    const dead = links.filter(
      ({ path, anchor }) =>
        (!existsSync(join(SITE, path)) && !ids.has(path)) ||
        (anchor !== undefined && ids.get(path)?.has(decodeURIComponent(anchor)) === false),
    );
    expect(dead).deep.equal([]);
    expect([...pages.keys()]).include.members([
      '/',
      '/plugins/',
      '/schemas/',
      '/examples/helm/',
      '/kernel/DECISIONS',
    ]);
  });

  it('loads nothing from elsewhere, finds a key by its search, and shows Go templates as they are written', async function () {
    if (!HAS_CHROMIUM) {
      console.log(NO_CHROMIUM);
      this.skip();
    }
    const site = await serveSite();
    const browser = await startChromium();
    defer(() => browser.close());
    const page = await browser.newPage();
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${site}/`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('resultBudget');
    const found = page.locator('#localsearch-list a').first();
    await found.waitFor();
    await found.click();
    await page.waitForURL(/\/(?:schemas|plugins)\//);
    expect(await page.textContent('main')).include('resultBudget');
    await page.goto(`${site}/plugins/workflow/gotpl/`);
    expect(await page.textContent('main')).include('{{');
    expect(faults).deep.equal([]);
    expect(asked.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).deep.equal([]);
  });
});
