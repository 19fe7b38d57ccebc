import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { pagesOf } from '../../../../plugins/admin/pagesOf.ts';
import { Site } from '../../../../plugins/admin/web/site.ts';
import { defer } from '../../../support/cleanup.ts';
import { send } from '../../../support/rawHttp.ts';
import type { RawAnswer } from '../../../support/rawHttp.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';
import { openAdmin } from '../adminGateway.ts';

/** Whatever the parts are: only the table of the routes is read. */
const { actions } = pagesOf({} as Parameters<typeof pagesOf>[0]);
const FORM = 'application/x-www-form-urlencoded';

describe('each route of the admin pages that changes something', () => {
  let site: AdminSite;
  let token: string;
  const ask = (
    { method, path }: { readonly method: string; readonly path: string },
    headers: Fields,
    fields: Fields,
  ): Promise<RawAnswer> => {
    const body = new URLSearchParams(fields).toString();
    // Names that exist nowhere: what is let through finds nothing to change.
    const real = path.replace(/:\w+/g, 'none');
    // Node sends the length of a DELETE only if it is given.
    const own = { 'content-type': FORM, 'content-length': String(Buffer.byteLength(body)) };
    return send(site.url, { method, path: real, headers: { ...own, ...headers }, body });
  };

  beforeEach(async () => {
    site = await openAdmin();
    [, token = ''] = /name="token"\s+value="([^"]+)"/.exec((await site.get('/config')).text) ?? [];
    expect(token).not.equal('');
  });

  it('is in the table that this test reads', () => {
    expect(actions.length).greaterThan(15);
    expect(new Set(actions.map(({ method }) => method))).deep.equal(new Set(['POST', 'DELETE']));
  });

  for (const { method, path } of actions)
    it(`refuses what others make a browser send, and takes it from its own page: ${method} ${path}`, async () => {
      const own = { origin: site.url, 'sec-fetch-site': 'same-origin' };
      const { port, host } = new URL(site.url);
      const forged: readonly (readonly [string, Fields, Fields])[] = [
        ['a foreign origin', { ...own, origin: 'http://evil.example' }, { token }],
        ['no origin that can be named', { ...own, origin: 'null' }, { token }],
        ['the other scheme', { ...own, origin: `https://${host}` }, { token }],
        ['another port', { ...own, origin: 'http://127.0.0.1:1' }, { token }],
        ['another site', { ...own, 'sec-fetch-site': 'cross-site' }, { token }],
        ['another origin of the site', { ...own, 'sec-fetch-site': 'same-site' }, { token }],
        ['another site without an origin', { 'sec-fetch-site': 'cross-site' }, { token }],
        ['a foreign host', { ...own, host: `evil.example:${port}` }, { token }],
        [
          'a name that leads here, as its own origin',
          { origin: `http://evil.example:${port}`, host: `evil.example:${port}` },
          { token },
        ],
        ['no token', own, {}],
        ['a guessed token', own, { token: 'x'.repeat(token.length) }],
        ['a token of another length', own, { token: `${token}x` }],
      ];
      for (const [what, headers, fields] of forged) {
        const { status, text } = await ask({ method, path }, headers, fields);
        expect(status, what).equal(403);
        expect(text, what).include('REQUEST_FORBIDDEN');
      }
      for (const [headers, fields] of [
        [own, { token }],
        [{}, {}],
      ] as const) {
        const { status } = await ask({ method, path }, headers, fields);
        // 403 from a tool would hide a refusal of the sender.
        expect(status).not.equal(403);
        expect(status).not.equal(500);
      }
    });
});

describe('the admin pages before their address is known', () => {
  it('answer no client, and so take none for the operator', async () => {
    const parts = { place: () => undefined, entrance: () => undefined, pages: () => [] };
    const site = new Site(parts as unknown as ConstructorParameters<typeof Site>[0]);
    const server = createServer((req, res) => void site.receive(req, res)).listen(0, '127.0.0.1');
    defer(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { status, text } = await send(`http://127.0.0.1:${port}`, { path: '/style.css' });
    expect([status, text.includes('PLUGIN_STOPPED')]).deep.equal([503, true]);
  });
});
