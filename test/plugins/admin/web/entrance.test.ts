import { expect } from 'chai';
import type { Plugin } from '../../../../kernel/index.ts';
import { AdminPage } from '../../../../plugins/contracts.ts';
import { defineAdminPage, html } from '../../../../plugins/kit.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { freePort } from '../../../support/everything.ts';
import type { ProviderOptions } from '../../../support/identityProvider.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { startPeopleGateway } from '../../../support/people.ts';
import { openStream, send } from '../../../support/rawHttp.ts';
import { within } from '../../../support/until.ts';
import { siteAt } from '../adminGateway.ts';

/** A plugin with an action at each path of one part. */
const taker: Plugin = {
  name: 'taker',
  api: 1,
  configSchema: {},
  provides: [AdminPage],
  apply: (scope) =>
    scope.provide(
      AdminPage,
      defineAdminPage({
        path: '/taker/all',
        facts: () => ({}),
        show: () => ({ title: 'Taker', body: html`<p>Nothing</p>` }),
        actions: [{ method: 'POST', path: '/:name', run: () => ({ message: 'taken', next: '/' }) }],
      }),
    ),
};

describe('the entrance of the admin pages with signIn', function () {
  this.timeout(60_000);
  let auth: AuthServer;
  let base: string;
  const start = async (provider: ProviderOptions = {}): Promise<void> => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    auth = await startPeopleGateway({
      provider,
      settings: {
        aggregator: { admin: { enabled: true, port, signIn: true, baseUrl: base } },
        operators: { emails: ['ann@example.com'] },
        plugins: { taker: { module: './taker.mjs' } },
      },
      files: { 'taker.mjs': moduleOf(taker) },
    });
  };

  const browserOfAnn = async (): Promise<Browser> => {
    auth.provider.loginAs('ann');
    const browser = newBrowser();
    expect((await browser.open(`${base}/`)).status).equal(200);
    return browser;
  };

  const signOut = async (browser: Browser): Promise<void> => {
    const { text } = await browser.request(`${base}/sessions`);
    const [, token = ''] = /name="token"\s+value="([^"]+)"/.exec(text) ?? [];
    const body = new URLSearchParams({ token });
    const init = { method: 'POST', body, headers: { origin: base } };
    expect((await browser.request(`${base}/sign-out`, init)).status).equal(200);
  };

  it('lets no one but readers pass to the files of the pages', async () => {
    await start();
    const site = siteAt(auth.gateway).url;
    const headers = { host: new URL(base).host };
    for (const path of ['/style.css', '/live.js', '/icon.svg', '/other']) {
      const { status, text } = await send(site, { method: 'POST', path, headers });
      expect([status, text.includes('REQUEST_UNAUTHENTICATED')], path).deep.equal([401, true]);
    }
    expect((await newBrowser().request(`${base}/style.css`)).status).equal(200);
  });

  it('ends the stream of a page with its sign-in, and sends no script to the sign-in of the gateway', async () => {
    await start();
    const [ann, other] = [await browserOfAnn(), await browserOfAnn()];
    const cookies = ann.cookiesFor(base).map(({ name, value }) => `${name}=${value}`);
    const headers = { host: new URL(base).host, cookie: cookies.join('; ') };
    const stream = await openStream(siteAt(auth.gateway).url, { path: '/events/stream', headers });
    expect(stream.status).equal(200);
    await signOut(other);
    await stream.heard(1);
    await signOut(ann);
    await within(stream.ended, { what: 'the stream of who has signed out ends' });
    for (const [dest, status] of [
      ['empty', 401],
      ['image', 401],
      ['document', 303],
    ] as const) {
      const answer = await ann.request(`${base}/`, { headers: { 'sec-fetch-dest': dest } });
      expect(answer.status, dest).equal(status);
    }
  });

  it('shows a link to the sign-in in place of the answer to a form, whose redirect browsers do not follow', async () => {
    await start();
    const asked = async (path: string, referer?: string): Promise<Page> =>
      newBrowser().request(base + path, { headers: referer === undefined ? {} : { referer } });
    const { status, text } = await asked('/tools?q=a&kind=core', `${base}/tools`);
    expect(status).equal(401);
    expect(text).include('rel="noreferrer" href="/tools?q=a&amp;kind=core"');
    for (const path of ['//evil.example/?q=a', '/\\\\evil.example/?q=a'])
      expect((await asked(path, `${base}/tools`)).text, path).not.include('evil.example');
    for (const [path, referer] of [
      ['/tools?q=a', undefined],
      ['/tools?q=a', 'https://chat.example.com/'],
      ['/tools', `${base}/`],
    ] as const)
      expect((await asked(path, referer)).status, path).equal(303);
  });

  it('ends a sign-in with the tokens of the identity provider, which cannot be refreshed', async () => {
    for (const [offlineBy, longest] of [
      [['never', 'asked'], 200],
      [undefined, 43_200],
    ] as const) {
      await start({ lifetimes: { AccessToken: 200 }, ...(offlineBy && { offlineBy }) });
      const ann = await browserOfAnn();
      const { text } = await ann.request(`${base}/sign-ins`, { headers: { accept: 'application/json' } });
      const { signIns } = JSON.parse(text) as { signIns: { items: readonly { readonly expires: string }[] } };
      const seconds = (Date.parse(signIns.items[0]?.expires ?? '') - Date.now()) / 1_000;
      expect(seconds).within(longest - 60, longest);
    }
  });
});
