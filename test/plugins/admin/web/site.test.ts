import { expect } from 'chai';
import { send } from '../../../support/rawHttp.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';

const SERVER = JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: false });
const STOP = '/mcps/shop/stop';

describe('the admin pages', () => {
  let site: AdminSite;
  let host: string;
  beforeEach(async () => {
    site = await openAdmin({ files: { 'mcpservers/shop.yaml': SERVER } });
    ({ host } = new URL(site.url));
  });

  it('load nothing from outside, run no inline code, and are not kept, framed or read by other sites', async () => {
    const { headers, text } = await site.get('/mcps/shop');
    const policy = String(headers['content-security-policy']);
    for (const rule of ["default-src 'none'", "style-src 'self'", "script-src 'self'", "form-action 'self'"])
      expect(policy).include(rule);
    expect(policy).include("frame-ancestors 'none'").and.not.include('unsafe');
    expect(headers).include({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
    expect(headers).not.have.property('access-control-allow-origin');
    expect(text).not.match(/\sstyle=|\son[a-z]+=|<style|<script(?! type="module" src="\/live\.js")/);
    expect(text.match(/(?:src|href|action)="(?!\/|#)[^"]*"/g)).equal(null);
    for (const [path, type] of [
      ['/style.css', 'text/css'],
      ['/live.js', 'text/javascript'],
      ['/icon.svg', 'image/svg+xml'],
    ] as const)
      expect((await site.get(path)).headers['content-type'], path).include(type);
  });

  it('answer who asks for JSON with the facts that the page shows', async () => {
    const facts = await site.facts<{ name: string; state: string }>('/mcps/shop');
    expect(facts).include({ name: 'shop', state: 'stopped' });
    expect((await site.get('/mcps/shop')).text)
      .include('shop')
      .and.include('stopped');
    const { status, text } = await site.get('/mcps/none', { accept: 'application/json' });
    expect(status).equal(404);
    expect(JSON.parse(text)).nested.property('error.code', 'SERVICE_NOT_FOUND');
  });

  it('answer in plain words what is unknown, malformed or not possible', async () => {
    const unknown = await site.get('/nothing');
    expect(unknown.status).equal(404);
    expect(unknown.text).include('Not found').and.include('There is no page /nothing');
    const malformed = await site.get('/mcps/%zz');
    expect(malformed.status).equal(400);
    const wrong = await site.post('/workflows');
    expect(wrong.status).equal(405);
    expect(wrong.headers['allow']).equal('GET, HEAD');
    expect((await site.get(STOP)).headers['allow']).equal('POST');
    expect((await site.get(STOP)).status).equal(405);
    const head = await send(site.url, { method: 'HEAD', path: '/mcps' });
    expect(head).include({ status: 200, text: '' });
  });

  it('refuse a Host that is not theirs, which DNS rebinding would send, and answer to each name of their own', async () => {
    const port = new URL(site.url).port;
    const names = [`evil.example:${port}`, 'evil.example', `localhost.evil.example:${port}`, 'localhost:1'];
    for (const name of [...names, `127.0.0.1.nip.io:${port}`, `localhost.:${port}`, `a@localhost:${port}`])
      expect((await site.get('/', { host: name })).status, name).equal(403);
    for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect((await site.get('/', { host: name })).status, name).equal(200);
  });

  it('answer to the address that they are bound to, and refuse foreign names there too', async () => {
    const wide = await openAdmin({ admin: { bindAddress: '0.0.0.0' } });
    const { port } = new URL(wide.url);
    const own = `http://127.0.0.1:${port}`;
    expect((await send(own, { headers: { host: `192.0.2.7:${port}` } })).status).equal(200);
    expect((await send(own, { headers: { host: `evil.example:${port}` } })).status).equal(403);
    expect((await site.get('/', { host: `192.0.2.7:${new URL(site.url).port}` })).status).equal(403);
  });

  describe('refuse to change anything for', () => {
    const token = async (): Promise<string> =>
      /name="token"\s+value="([^"]+)"/.exec((await site.get('/mcps/shop')).text)?.[1] ?? '';
    const refused = async (headers: Fields, fields: Fields): Promise<void> => {
      const { status } = await site.post('/mcps/shop/start', fields, headers);
      expect(status, JSON.stringify(headers)).equal(403);
      expect(site.gateway.log.having('spawn')).deep.equal([]);
      expect(await site.facts('/mcps/shop'))
        .nested.property('history')
        .deep.equal([]);
    };

    it('a page of another origin, even with the right token', async () => {
      const good = await token();
      await refused({ origin: 'http://evil.example' }, { token: good });
      await refused({ origin: 'null' }, { token: good });
      await refused({ origin: `https://${host}` }, { token: good });
      await refused({ 'sec-fetch-site': 'cross-site' }, { token: good });
      await refused({ 'sec-fetch-site': 'same-site' }, { token: good });
      await refused({ host: 'evil.example' }, { token: good });
    });

    it('a browser without the token of the page', async () => {
      await refused({ origin: site.url }, {});
      await refused({ origin: site.url }, { token: 'guessed' });
      await refused({ 'sec-fetch-site': 'same-origin' }, {});
      await refused({ 'sec-fetch-mode': 'navigate' }, {});
    });

    it('a GET', async () => {
      expect((await site.get('/mcps/shop/start')).status).equal(405);
      expect(await site.facts('/mcps/shop'))
        .nested.property('history')
        .deep.equal([]);
    });
  });

  it('take a form with its token from their own page, and one without a browser’s headers', async () => {
    const [, token = ''] = /name="token"\s+value="([^"]+)"/.exec((await site.get('/mcps/shop')).text) ?? [];
    const own = { origin: site.url, 'sec-fetch-site': 'same-origin' };
    const start = (fields: Fields, headers: Fields): Promise<{ status: number; text: string }> =>
      site.post('/mcps/shop/start', fields, headers);
    for (const answer of [await start({ token }, own), await start({}, {})]) {
      expect(answer.status).equal(409);
      expect(answer.text).include('/nowhere/server');
    }
    expect(await site.facts('/mcps/shop'))
      .property('history')
      .not.deep.equal([]);
  });

  it('refuse a form that is too long, or of another type', async () => {
    const { status } = await site.post(STOP, { long: 'x'.repeat(1_100_000) });
    expect(status).equal(413);
    const chunked = { method: 'POST', path: STOP, headers: { 'transfer-encoding': 'chunked' } };
    expect((await send(site.url, { ...chunked, body: 'x'.repeat(9_000_000) })).status).equal(413);
    expect((await site.post(STOP, {}, { 'content-type': 'text/plain' })).status).not.equal(415);
    expect((await site.post(STOP, { a: 'b' }, { 'content-type': 'text/plain' })).status).equal(415);
  });
});
