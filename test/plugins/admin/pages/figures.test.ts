import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { listenerUrl } from '../../../support/edge.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

const relay = { type: 'stdio', command: [process.execPath, ...RELAY, 'stdio'], autoStart: true };
const away = { type: 'stdio', command: ['/nowhere/server'], autoStart: true };

describe('the figures on the admin pages', () => {
  let site: AdminSite;
  before(async () => {
    site = await openAdmin({
      files: {
        'mcpservers/ok.yaml': JSON.stringify(relay),
        'mcpservers/away.yaml': JSON.stringify(away),
        'workflows/look.yaml': JSON.stringify({
          name: 'look',
          steps: [
            { id: 'one', tool: 'x_ok_seen' },
            { id: 'two', tool: 'x_ok_seen', condition: { fromStep: 'one' } },
            {
              id: 'three',
              tool: 'x_ok_seen',
              condition: {
                any: [
                  { not: { fromStep: 'one', expect: { success: false } } },
                  { tool: 'x_ok_seen', args: { a: 1 }, expectNot: { jsonPath: { count: 3 } } },
                ],
              },
            },
          ],
        }),
      },
    });
    const states = async (): Promise<Readonly<Record<string, number>>> =>
      (await site.facts<{ servers: Readonly<Record<string, number>> }>('/')).servers;
    await until(async () => (await states())['running'] === 1 && (await states())['failed'] === 1);
    const client = await TalkingClient.connect(listenerUrl(site.gateway));
    defer(() => client.leave());
    await client.told('x_ok_seen');
  });

  it('are of an hour, a day and a week, in total and for each server, with durations and a scale', async () => {
    for (const [path, subject] of [
      ['/', 'All tools'],
      ['/mcps/ok', 'ok'],
    ] as const)
      for (const span of ['hour', 'day', 'week']) {
        const { text } = await site.get(`${path}?span=${span}`);
        expect(text, `${path} ${span}`).match(
          new RegExp(
            `aria-label="${subject} in the last ${span}: 1 call, 0 errors, at most 1 .*; half took at most`,
          ),
        );
        expect(text).match(
          /<div class="scale" aria-hidden="true">\s*<span>2<\/span\s*><span>1<\/span\s*><span>0<\/span>/,
        );
        expect(text).include(`href="${path}?span=${span}" aria-current="true"`);
      }
    const { calls } = await site.facts<{ calls: { figures: object } }>('/?span=week');
    expect(calls.figures).have.nested.property('ok.p95').a('number');
  });

  it('lead from the head of the overview to what they count', async () => {
    const { text } = await site.get('/');
    for (const path of ['/mcps', '/sessions', '#problems']) expect(text).include(`<a href="${path}"><b>`);
    expect(text).match(/<a href="\/calls\?since=[^"]+"><b>1 call<\/b>/);
    expect(text).include('<section id="problems">').and.include('<section id="calls">');
  });

  it('come with the way out of a problem', async () => {
    const { text } = await site.get('/');
    expect(text).include('href="/mcps/away/edit"');
  });

  it('are beside tools by server, and servers and workflows are chosen from a list', async () => {
    const { text } = await site.get('/tools');
    expect(text).include('<h2>Server ok</h2>').and.include('<h2>Core tools</h2>');
    expect((await site.get('/tools?server=gone')).text).match(/<option value="gone" selected>/);
    expect((await site.get('/runs')).text).match(
      /<select id="by-workflow"[^>]*>[^/]*<option value=""[^]*value="look"/,
    );
  });

  it('are beside workflows whose conditions are words', async () => {
    const { text } = await site.get('/workflows/look');
    expect(text).include('if step one succeeded');
    expect(text).include(
      'if (not (step one failed)) or (not (x_ok_seen with { &quot;a&quot;: 1 } has count = 3))',
    );
  });

  it('are found with everything else by one search', async () => {
    const { found } = await site.facts<{ found: Readonly<Record<string, readonly { name: string }[]>> }>(
      '/search?q=ok',
    );
    expect(found['Servers']?.map(({ name }) => name)).deep.equal(['ok']);
    expect(found['Tools']?.map(({ name }) => name)).include('x_ok_seen');
    const { text } = await site.get('/search?q=admin.port');
    expect(text).include('<h2>Settings</h2>').and.include('aggregator.admin.port');
    expect((await site.get('/search?q=look')).text).include('href="/workflows/look"');
    expect((await site.get('/search?q=zzzzzz')).status).equal(200);
  });

  it('have the box of that search in their head, with what was asked for', async () => {
    for (const path of ['/', '/mcps/ok', '/nothing', '/events']) {
      const { text } = await site.get(path);
      expect(text, path).match(/<form\s+method="get"\s+action="\/search"\s+role="search"/);
      expect(text, path).include(
        '<label for="find" class="spoken">Servers, tools, runs, sessions and settings<',
      );
    }
    const { text } = await site.get('/search?q=%22look%22');
    expect(text).match(/id="find"\s+name="q"\s+type="search"\s+value="&quot;look&quot;"/);
    expect(text.match(/role="search"/g)).length(1);
    expect((await site.get('/search')).text).include('Type a name or a word above.');
  });

  it('have the severity of each event in words and colour', async () => {
    const { text } = await site.get('/events');
    expect(text)
      .include('<span class="badge care">warning</span>')
      .and.include('<span class="badge calm">normal</span>');
  });
});
