import { expect } from 'chai';
import type { Plugin } from '../../../../kernel/index.ts';
import { AdminPage } from '../../../../plugins/contracts.ts';
import { defineAdminPage, html } from '../../../../plugins/kit.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { freePort } from '../../../support/everything.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { startPeopleGateway } from '../../../support/people.ts';
import { send } from '../../../support/rawHttp.ts';
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
  const start = async (): Promise<void> => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    auth = await startPeopleGateway({
      settings: {
        aggregator: { admin: { enabled: true, port, signIn: true, baseUrl: base } },
        operators: { emails: ['ann@example.com'] },
        plugins: { taker: { module: './taker.mjs' } },
      },
      files: { 'taker.mjs': moduleOf(taker) },
    });
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
});
