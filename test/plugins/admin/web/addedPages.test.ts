import { expect } from 'chai';
import type { Plugin } from '../../../../kernel/index.ts';
import { AdminPage } from '../../../../plugins/contracts.ts';
import { defineAdminPage, html } from '../../../../plugins/kit.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

const PATHS = { '/owners': { nav: 'Owners', navAfter: '/mcps' }, '/owners/:name': {}, '/mcps/:server': {} };

/** A plugin with pages, one of which has a path of ours. */
const owners: Plugin = {
  name: 'owners',
  api: 1,
  configSchema: {},
  provides: [AdminPage],
  apply: (scope) => {
    const asked: string[] = [];
    for (const [path, place] of Object.entries(PATHS))
      scope.provide(
        AdminPage,
        defineAdminPage({
          path,
          ...place,
          facts: ({ params, query }) => ({ name: params['name'] ?? query.get('name') ?? 'none', asked }),
          show: ({ name }) => ({ title: name, body: html`<p>${name}</p>` }),
          actions: [
            {
              method: 'POST',
              path: `${path}/ask`,
              run: ({ form }) => {
                asked.push(form.get('what') ?? '');
                return { message: 'it was asked', next: '/owners' };
              },
            },
          ],
        }),
      );
  },
};

describe('pages that a plugin adds to the admin pages', () => {
  let site: AdminSite;
  const withOwners = (entry: unknown): string => JSON.stringify({ plugins: { owners: entry } });
  beforeEach(async () => {
    const files = { 'owners.mjs': moduleOf(owners), 'config.yaml': withOwners({ module: './owners.mjs' }) };
    site = await openAdmin({ files });
  });

  it('have the layout, the place in the navigation that they ask for, and their facts as JSON', async () => {
    const { status, text } = await site.get('/owners/ada');
    expect(status).equal(200);
    expect(text).include('<title>ada · Pegboard</title>').and.include('/live.js');
    expect(text).match(/Servers<\/a>\s*<\/li>\s*<li>\s*<a href="\/owners" aria-current="page">Owners</);
    expect(await site.facts('/owners?name=x')).deep.equal({ name: 'x', asked: [] });
  });

  it('escape what others wrote', async () => {
    expect((await site.get('/owners?name=<script>')).text).not.include('<script>');
  });

  it('take a form with the token of the pages, and none of another site', async () => {
    const refused = await site.post('/owners/ask', { what: 'a' }, { origin: 'http://evil.example' });
    expect(refused.status).equal(403);
    expect((await site.post('/owners/ask', { what: 'b' }, { origin: site.url })).status).equal(403);
    const { status, headers } = await site.submit('/owners/ask', { what: 'c' });
    expect(status).equal(303);
    expect((await site.get(String(headers['location']))).text).include('It was asked.');
    expect(await site.facts('/owners'))
      .property('asked')
      .deep.equal(['c']);
  });

  it('leave our own paths to us, and the log says so', async () => {
    expect((await site.get('/mcps/none')).status).equal(404);
    const said = site.gateway.log.having('its path is taken').map(({ data }) => data);
    expect(said).deep.equal([
      { plugin: 'admin', path: '/mcps/:server', takenBy: '/mcps/:name', fix: 'give the page another path' },
    ]);
  });

  it('come and go with their plugin, while the pages are served', async () => {
    const { directory, pipeline } = site.gateway;
    directory.write('config.yaml', withOwners(false));
    await pipeline.reload();
    expect((await site.get('/owners')).status).equal(404);
    expect((await site.get('/')).text).not.include('Owners');
    directory.write('config.yaml', withOwners({ module: './owners.mjs' }));
    await pipeline.reload();
    expect((await site.get('/owners')).status).equal(200);
  });
});
