import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

const SECRET = 'hunter2-hunter2-hunter2';
const EVIL = '</textarea><script>alert(1)</script>';
const SHOP = `# of the shop's team
type: stdio
command: [/nowhere/server] # theirs
autoStart: false
env:
  SHOP_KEY: ${SECRET}
  OTHER: "\${env:OTHER}"
`;

describe('the page that edits a definition', () => {
  let site: AdminSite;
  const file = (): string => readFileSync(site.gateway.directory.at('mcpservers/shop.yaml'), 'utf8');
  const shownText = async (): Promise<string> => (await site.facts<{ text: string }>('/mcps/shop/edit')).text;
  const json = { accept: 'application/json' };
  beforeEach(async () => {
    site = await openAdmin({ files: { 'mcpservers/shop.yaml': SHOP } });
  });

  it('shows the definition without its secrets, with its references', async () => {
    const { text } = await site.get('/mcps/shop/edit');
    // The one line break that browsers drop.
    expect(text).match(/<textarea[^>]*>\ntype: stdio/);
    expect(text).include('SHOP_KEY: "[redacted]"'.replaceAll('"', '&quot;')).and.include('${env:OTHER}');
    for (const path of ['/mcps/shop/edit', '/mcps/shop', '/config'])
      for (const accept of ['text/html', 'application/json'])
        expect((await site.get(path, { accept })).text, path).not.include(SECRET);
    expect((await site.get('/mcps/none/edit')).status).equal(404);
  });

  it('shows what a change would do, and its faults, before anything is written', async () => {
    const base = await shownText();
    const text = base.replace('autoStart: false', 'description: a shop\nautoStart: false');
    const { text: body, status } = await site.submit('/mcps/shop/edit', { text, base });
    expect(status).equal(200);
    expect(body).include('+ description: a shop').and.include('Write it').and.not.include(SECRET);
    const facts = JSON.parse((await site.post('/mcps/shop/edit', { text, base }, json)).text) as {
      diff: readonly { sign: string; text: string }[];
    };
    expect(facts.diff.filter(({ sign }) => sign !== ' ')).deep.equal([
      { sign: '+', text: 'description: a shop' },
    ]);
    const wrong = await site.post('/mcps/shop/edit', { text: 'type: stdio\ncommnd: [a]\n', base });
    expect(wrong.text).include('unknown key').and.include('commnd').and.not.include('Write it');
    const broken = await site.post('/mcps/shop/edit', { text: `a: [\n${EVIL}`, base });
    expect(broken.text).include('line ').and.not.include(EVIL);
    expect(file()).equal(SHOP);
  });

  it('writes by the core tool: comments and hidden secrets stay', async () => {
    const base = await shownText();
    const text = base.replace('autoStart: false', 'autoStart: false\ntoolPrefix: s').replaceAll('\n', '\r\n');
    expect((await site.post('/mcps/shop/write', { text, base }, { origin: site.url })).status).equal(403);
    expect(
      (await site.post('/mcps/shop/write', { text, base }, { origin: 'http://evil.example' })).status,
    ).equal(403);
    expect(file()).equal(SHOP);
    const done = await site.submit('/mcps/shop/write', { text, base });
    expect(done.status).equal(303);
    expect(done.headers.location).include('/mcps/shop?done=');
    expect(file()).equal(`${SHOP}toolPrefix: s\n`);
  });

  it('shows a new secret neither in the difference nor as a stored one', async () => {
    const base = await shownText();
    const text = base.replace('SHOP_KEY: "[redacted]"', 'SHOP_KEY: another-secret');
    const { text: body } = await site.post('/mcps/shop/edit', { text, base }, json);
    expect(body).include('[new, hidden]').and.not.include('another-secret');
    expect((await site.post('/mcps/shop/write', { text, base })).status).equal(303);
    expect(file()).include('SHOP_KEY: another-secret');
    expect(await shownText()).equal(base);
  });

  it('keeps a hidden secret from another command, and what was sent', async () => {
    const base = await shownText();
    const text = base.replace('/nowhere/server', '/elsewhere/server');
    const refused = await site.post('/mcps/shop/write', { text, base });
    expect(refused.status).equal(400);
    expect(refused.text).include('env.SHOP_KEY').and.include('/elsewhere/server');
    expect(file()).equal(SHOP);
  });

  it('refuses to write over a change of others, shows it, and loses neither', async () => {
    const base = await shownText();
    site.gateway.directory.replace('mcpservers/shop.yaml', `${SHOP}family: shops\n`);
    const text = `${base}toolPrefix: s\n`;
    const refused = await site.submit('/mcps/shop/write', { text, base });
    expect(refused.status).equal(409);
    expect(refused.text).include('was changed meanwhile').and.include('+ family: shops');
    expect(refused.text).include('toolPrefix: s');
    expect(file()).equal(`${SHOP}family: shops\n`);
    const [, next = ''] = /name="base"\s+value="([^"]*)"/.exec(refused.text) ?? [];
    expect(next).include('family: shops');
  });

  it('is harmless with hostile names and texts', async () => {
    for (const name of [EVIL, 'x'.repeat(10_000), '../..', '__proto__']) {
      const path = `/mcps/${encodeURIComponent(name)}`;
      for (const { status, text } of [
        await site.get(`${path}/edit`),
        await site.post(`${path}/edit`, { text: EVIL }),
        await site.post(`${path}/write`, { text: EVIL }),
      ]) {
        expect(status).equal(404);
        expect(text).not.include('<script>alert');
        expect(text.length).lessThan(10_000);
      }
    }
    const text = JSON.stringify({ type: 'stdio', command: ['a'], description: EVIL, env: { [EVIL]: EVIL } });
    expect((await site.post('/mcps/shop/edit', { text })).text).not.include('<script>alert');
    expect((await site.post('/mcps/shop/edit')).status).equal(400);
  });
});
