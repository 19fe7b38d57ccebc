import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { SECRET, openHistory } from './historySite.ts';
import type { HistorySite, ShownCall } from './historySite.ts';

describe('the page of calls', () => {
  const shownOf = ({ calls: { items } }: { calls: { items: readonly ShownCall[] } }): readonly string[] =>
    items.map(({ tool, code }) => `${tool} ${code}`);

  it('lists what clients called, the newest first, with what each ended with', async () => {
    const site = await openHistory();
    await site.call('x_shop_get', { id: '1' });
    await site.call('x_shop_pay');
    await site.call('x_shop_gone');
    await site.call('x_away_none');
    const list = await site.calls();
    expect(shownOf(list)).deep.equal([
      'x_away_none TOOL_NOT_FOUND',
      'x_shop_gone UPSTREAM_CLOSED',
      'x_shop_pay tool_error',
      'x_shop_get ok',
    ]);
    expect(list).deep.include({ errors: 3, gaps: [] });
    const [refused, , failed, ok] = list.calls.items;
    expect(refused).include({ isRefused: true, error: 'tool not found: x_away_none' });
    expect(failed).include({ server: 'shop', error: 'the bank answered 503, undefined' });
    expect(ok).include({ session: 'test-session', request: 'test-1' }).and.not.have.any.keys('error', 'args');
    expect(ok?.bytes).greaterThan(20);
    const { text } = await site.get('/calls');
    expect(text).include('4 calls, 3 errors').and.include('the bank answered 503');
    expect(text).match(/aria-current="page">Calls/);
  });

  it('agrees with the figures of the overview: a meta-tool counts if it failed before it called anything', async () => {
    const site = await openHistory();
    const client = await site.connect();
    await client.told('x_shop_get');
    await client.call('x_away_none').answer();
    await client.request('tools/call', { name: 'filter_tools', arguments: {} }).answer();
    await client.request('tools/call', { name: 'call_tool', arguments: { name: 4 } }).answer();
    const list = await site.calls();
    expect(shownOf(list)).deep.equal([
      'call_tool TOOL_ARGUMENTS',
      'x_away_none TOOL_NOT_FOUND',
      'x_shop_get ok',
    ]);
    const overview = await site.get('/');
    expect(overview.text).include('All tools in the last hour: 3 calls, 2 errors');
  });

  it('filters by server, tool, session, outcome, code and time, and says what a time looks like', async () => {
    const site = await openHistory();
    for (const name of ['x_shop_get', 'x_shop_pay', 'x_shop_gone', 'x_shop_none']) await site.call(name);
    const names = async (query: string): Promise<readonly string[]> =>
      (await site.calls(query)).calls.items.map(({ tool }) => tool.slice('x_shop_'.length));
    expect(await names('server=shop')).deep.equal(['gone', 'pay', 'get']);
    expect(await names('tool=x_shop_pay')).deep.equal(['pay']);
    expect(await names('outcome=ok')).deep.equal(['get']);
    expect(await names('outcome=error')).deep.equal(['none', 'gone', 'pay']);
    expect(await names('outcome=refused')).deep.equal(['none']);
    expect(await names('code=UPSTREAM_CLOSED')).deep.equal(['gone']);
    expect(await names('session=test-ses&outcome=ok')).deep.equal(['get']);
    expect(await names('session=other')).deep.equal([]);
    expect(await names('who=ada')).deep.equal([]);
    expect(await names('outcome=__proto__')).length(4);
    expect(await names('outcome=constructor')).length(4);
    expect(await names('until=1h')).deep.equal([]);
    expect(await names('since=1h&outcome=ok')).deep.equal(['get']);
    const { status, text } = await site.get('/calls?since=yesterday');
    expect(status).equal(400);
    expect(text).include('1h30m');
  });

  it('shows one call, and how to keep what it was given', async () => {
    const site = await openHistory();
    await site.call('x_shop_gone');
    const [{ id }] = (await site.calls()).calls.items as [ShownCall];
    const { text } = await site.get(`/calls/${id}`);
    expect(text).include('UPSTREAM_CLOSED').and.include('plugins.call-history.config.content');
    expect(text).include('href="/tools/x_shop_gone"');
    expect((await site.get('/calls/1-2')).status).equal(404);
    expect((await site.get(`/calls/${id.replace(/\d+$/, '999')}`)).status).equal(404);
  });

  describe('hides secrets', () => {
    const written = ({ directory }: HistorySite): string =>
      readdirSync(directory.at('state/calls'))
        .map((name) => readFileSync(directory.at(`state/calls/${name}`), 'utf8'))
        .join('');

    it('of servers and of arguments in texts of errors', async () => {
      const site = await openHistory();
      await site.call('x_shop_gone');
      await site.call('x_shop_pay', { password: 'letmein-123' });
      const errors = (await site.calls()).calls.items.map(({ error }) => error);
      expect(errors).deep.equal([
        'the bank answered 503, [redacted]',
        'the connection ended with [redacted]',
      ]);
      expect(written(site)).not.include(SECRET).and.not.include('letmein');
    });

    it('of servers as their files have them now, and have had them', async () => {
      const site = await openHistory();
      for (const secret of ['first-of-the-shop', 'second-of-the-shop']) {
        site.directory.write('token', secret);
        await site.call('x_shop_deny', { id: secret });
        expect((await site.calls()).calls.items[0]).include({ error: 'denied: {"id":"[redacted]"}' });
      }
      await site.call('x_shop_deny', { id: 'first-of-the-shop' });
      await site.calls();
      expect(written(site)).not.include('of-the-shop');
    });

    it('of arguments at any depth below a secret name, numbers too', async () => {
      const site = await openHistory();
      await site.call('x_shop_deny', { auth: { password: 'hunter22' }, id: 'a' });
      await site.call('x_shop_deny', { id: { pin: 482913 }, tokens: ['abcd', { value: 'efgh' }] });
      const errors = (await site.calls()).calls.items.map(({ error }) => error);
      expect(errors).deep.equal([
        'denied: {"id":{"pin":[redacted]},"tokens":["[redacted]",{"value":"[redacted]"}]}',
        'denied: {"auth":{"password":"[redacted]"},"id":"a"}',
      ]);
      expect(written(site)).not.match(/hunter22|482913|abcd|efgh/);
    });

    it('of arguments that are too deep to be searched, by leaving out what may echo them', async () => {
      const site = await openHistory();
      let args: Record<string, unknown> = { password: 'letmein-123' };
      for (let level = 0; level < 600; level += 1) args = { a: args };
      await site.call('x_shop_deny', args);
      const [call] = (await site.calls()).calls.items;
      expect(call).include({ code: 'tool_error', error: '[too large]' });
    });

    it('in lists and objects below a secret name', async () => {
      const site = await openHistory({ content: true });
      await site.call('x_shop_get', { tokens: ['abc'], secret: { value: 'k', on: true }, apiKeys: [7] });
      const [call] = (await site.calls()).calls.items;
      const args =
        '{"tokens":["[redacted]"],"secret":{"value":"[redacted]","on":true},"apiKeys":["[redacted]"]}';
      expect(call).include({ args });
    });

    it('in arguments and results, which are kept only if `content` says so', async () => {
      const site = await openHistory({ content: true });
      await site.call('x_shop_get', { id: `a ${SECRET}`, password: 'letmein-123' });
      const [call] = (await site.calls()).calls.items;
      expect(call).include({ args: '{"id":"a [redacted]","password":"[redacted]"}' });
      expect(call?.result).include('order a [redacted]');
      expect(written(site)).not.include(SECRET).and.not.include('letmein');
      const { text } = await site.get(`/calls/${String(call?.id)}`);
      expect(text)
        .include('kept because of')
        .and.include('Call again')
        .and.include(`?call=${String(call?.id)}`);
      expect(text).include('What is hidden has to be typed again.');
    });

    it('that a cut would leave half of', async () => {
      const site = await openHistory({ maxContentChars: 100 });
      const before = 'x'.repeat(80);
      for (const after of ['', 'y'.repeat(65_500), 'y'.repeat(200_000)])
        await site.call('x_shop_deny', { id: `${before}${SECRET}${after}` });
      const errors = (await site.calls()).calls.items.map(({ error }) => error);
      expect(errors).length(3);
      for (const error of errors) expect(error).match(/^denied: \{"id":"x{70,80}[[redact]*…$/);
    });

    it('and cuts what is long', async () => {
      const site = await openHistory({ content: true, maxContentChars: 100 });
      await site.call('x_shop_get', { id: 'x'.repeat(500) });
      const [call] = (await site.calls()).calls.items;
      expect(call?.args).length(101);
      expect((await site.get(`/calls/${String(call?.id)}`)).text).not.include('?call=');
    });
  });

  it('is not there if the plugin is off, and neither are its links', async () => {
    const site = await openHistory(false);
    expect((await site.get('/calls')).status).equal(404);
    expect((await site.get('/')).text).not.include('/calls');
  });
});
