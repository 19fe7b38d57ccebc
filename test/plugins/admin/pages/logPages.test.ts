import { expect } from 'chai';
import { createLog } from '../../../../kernel/program/createLog.ts';
import { until } from '../../../support/until.ts';
import type { AdminSite } from '../adminGateway.ts';
import { SCRIPT, TOKEN, openBooth } from '../booth.ts';

interface Logs {
  readonly total: number;
  readonly lines: readonly { readonly source: string; readonly text: string }[];
}

describe('the pages of logs', () => {
  let site: AdminSite;
  const log = createLog({ level: () => 'info', format: 'json', colour: true, write: () => undefined });
  before(async () => {
    site = await openBooth();
    log.debug('a line below the level');
    log.warn('server booth was slow', { url: `https://x.example/?key=${TOKEN}`, said: SCRIPT });
    await until(async () => (await site.facts<Logs>('/mcps/booth/logs')).total > 0);
  });

  it('show what the gateway has logged and what servers have written, by source and by text', async () => {
    const all = await site.facts<Logs>('/logs');
    expect(new Set(all.lines.map(({ source }) => source))).deep.equal(new Set(['the gateway', 'booth']));
    const own = await site.facts<Logs>('/logs?source=the+gateway&text=WAS+slow');
    expect(own.lines.map(({ text }) => text.slice(0, 30))).deep.equal(['warn  server booth was slow ur']);
    expect((await site.facts<Logs>('/logs?text=below+the+level')).total).equal(0);
    const one = await site.facts<Logs>('/mcps/booth/logs');
    expect(one.lines.every(({ source }) => source === 'booth')).equal(true);
    expect((await site.get('/mcps/booth')).text).include('href="/mcps/booth/logs"');
    expect((await site.get('/mcps/none/logs')).status).equal(404);
  });

  it('hide the secrets of servers, and run nothing that a line holds', async () => {
    for (const path of ['/logs', '/logs?text=slow', '/mcps/booth/logs'])
      for (const accept of ['text/html', 'application/json']) {
        const { text } = await site.get(path, { accept });
        expect(text, path).not.include(TOKEN);
        if (accept === 'text/html') expect(text, path).not.include(SCRIPT);
      }
    expect((await site.get('/logs?text=slow')).text).include('[redacted]');
  });

  it('keep the last thousand lines of the gateway', async () => {
    for (let line = 0; line < 1_100; line += 1) log.info('filler');
    expect((await site.facts<Logs>('/logs?text=was+slow')).total).equal(0);
    const { total, lines } = await site.facts<Logs>('/logs?text=filler');
    expect([total, lines.length]).deep.equal([1_000, 500]);
  });
});
