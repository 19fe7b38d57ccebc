import { expect } from 'chai';
import { Notices } from '../../../../plugins/admin/web/notices.ts';
import { openAdmin } from '../adminGateway.ts';
import { movableClock } from '../../../support/clock.ts';

const SERVER = JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: false });

function queryOf(address: string): URLSearchParams {
  return new URL(address, 'http://admin').searchParams;
}

describe('plugins/admin notices', () => {
  it('show what an action has done on the page that follows, and only there', async () => {
    const site = await openAdmin({ files: { 'mcpservers/shop.yaml': SERVER } });
    const text = "type: stdio\ncommand: ['/else']\n";
    const { headers } = await site.post('/mcps/shop/write', { text });
    const shown = await site.get(String(headers.location));
    expect(shown.text).include('role="status">The definition of shop was written.');
    for (const path of ['/mcps/shop', '/mcps/shop?done=x', '/mcps/shop?done=', '/mcps/shop?done=%3Cb%3E'])
      expect((await site.get(path)).text, path).not.include('role="status"');
  });

  it('keep the query of the page', () => {
    const notices = new Notices();
    const address = notices.add('done', '/tools?server=a');
    expect(queryOf(address).get('server')).equal('a');
    expect(notices.of(queryOf(address))).equal('done');
  });

  it('are gone after half a minute, and no more than 64 are kept', () => {
    const { later } = movableClock();
    const notices = new Notices();
    const first = queryOf(notices.add('first', '/'));
    later(29_000);
    expect(notices.of(first)).equal('first');
    later(2_000);
    expect(notices.of(first)).equal(undefined);
    const second = queryOf(notices.add('second', '/'));
    for (let at = 0; at < 64; at += 1) notices.add('more', '/');
    expect(notices.of(second)).equal(undefined);
  });
});
