import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { openHistory } from './historySite.ts';
import type { HistorySite } from './historySite.ts';

const files = ({ directory }: HistorySite): readonly string[] =>
  existsSync(directory.at('state/calls'))
    ? readdirSync(directory.at('state/calls')).map((name) => directory.at(`state/calls/${name}`))
    : [];
const toolsOf = async (site: HistorySite, query = ''): Promise<readonly string[]> =>
  (await site.calls(query)).calls.items.map(({ tool }) => tool.slice('x_shop_'.length));

describe('the history of calls', () => {
  it('survives a stop in the midst of calls, and the figures of the overview with it', async () => {
    const first = await openHistory();
    await first.call('x_shop_get');
    await first.call('x_shop_gone');
    await first.gateway.stop();
    const site = await openHistory({}, first.directory);
    expect(await toolsOf(site)).deep.equal(['gone', 'get']);
    await site.call('x_shop_pay');
    expect(await toolsOf(site)).deep.equal(['pay', 'gone', 'get']);
    expect((await site.get('/')).text).include('All tools in the last hour: 3 calls, 2 errors');
    for (const path of files(site)) expect(statSync(path).mode & 0o777).equal(0o600);
  });

  it('is written soon after a call, without a page that asks', async () => {
    const site = await openHistory();
    await site.call('x_shop_get');
    await until(() => files(site).some((path) => readFileSync(path, 'utf8').includes('x_shop_get')));
  });

  it('passes over half a line and lines of others, and loses nothing beside them', async () => {
    const first = await openHistory();
    await first.call('x_shop_get');
    await first.gateway.stop();
    const [path = ''] = files(first);
    appendFileSync(path, 'not JSON\n{"at":"now"}\nnull\n[1]\n\n{"at":17,"ms":');
    writeFileSync(
      first.directory.at('state/calls/calls-0000000000000-00000000.jsonl'),
      Buffer.alloc(2_000, 0xff),
    );
    writeFileSync(first.directory.at('state/calls/notes.txt'), 'of someone');
    const site = await openHistory({}, first.directory);
    await site.call('x_shop_pay');
    expect(await toolsOf(site)).deep.equal(['pay', 'get']);
    expect((await site.get('/calls')).status).equal(200);
    const said = site.gateway.log.having('lines of the call history are not readable');
    expect(said.map(({ data }) => data['lines'])).deep.equal([6, 1]);
    expect(files(site).some((name) => name.endsWith('notes.txt'))).equal(true);
  });

  it('passes over lines with a time, a session, or a size that no call has', async () => {
    const first = await openHistory();
    await first.call('x_shop_get');
    await first.gateway.stop();
    const [path = ''] = files(first);
    const line = JSON.parse(readFileSync(path, 'utf8')) as object;
    const odd = [{ at: 1e20 }, { at: -1 }, { session: 7 }, { email: {} }, { bytes: 'x' }, { lost: 'x' }];
    const gaps = [
      { lost: 1, since: 1, until: 1e20 },
      { lost: -1, since: 1, until: Date.now() },
    ];
    const lines = [...odd.map((part) => ({ ...line, ...part })), ...gaps];
    appendFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const site = await openHistory({}, first.directory);
    expect(await toolsOf(site)).deep.equal(['get']);
    expect((await site.get('/calls?session=t')).status).equal(200);
    const said = site.gateway.log.having('lines of the call history are not readable');
    expect(said.map(({ data }) => data['lines'])).deep.equal([8]);
  });

  it('loses no call at a change of its settings, which holds at once', async () => {
    const site = await openHistory();
    await site.call('x_shop_get', { id: '1' });
    const text = readFileSync(site.directory.at('config.yaml'), 'utf8');
    site.directory.write('config.yaml', text.replace('"config":{}', '"config":{"content":true}'));
    await site.gateway.pipeline.reload();
    await site.call('x_shop_get', { id: '2' });
    const args = (await site.calls()).calls.items.map((call) => call.args);
    expect(args).deep.equal(['{"id":"2"}', undefined]);
  });

  it('is kept while the plugin is off, and its page comes back with it', async () => {
    const site = await openHistory();
    await site.call('x_shop_get');
    const text = readFileSync(site.directory.at('config.yaml'), 'utf8');
    site.directory.write('config.yaml', text.replace('{"config":{}}', 'false'));
    await site.gateway.pipeline.reload();
    expect((await site.get('/calls')).status).equal(404);
    site.directory.write('config.yaml', text);
    await site.gateway.pipeline.reload();
    expect(await toolsOf(site)).deep.equal(['get']);
  });

  it('says once that the disk takes nothing, continues when it does, and shows the gap', async () => {
    const site = await openHistory();
    await site.calls();
    site.directory.write('state/calls', 'in the way of the folder');
    await site.call('x_shop_get');
    expect((await site.calls()).gaps)
      .deep.include.members([])
      .and.have.length(1);
    await site.call('x_shop_get');
    expect((await site.calls()).calls.total).equal(0);
    rmSync(site.directory.at('state/calls'));
    await site.call('x_shop_pay');
    const list = await site.calls();
    expect(list.calls.items.map(({ tool }) => tool)).deep.equal(['x_shop_pay']);
    expect(list.gaps.map(({ lost }) => lost)).deep.equal([2]);
    expect((await site.get('/calls')).text).include('2 calls');
    expect(site.gateway.log.having('calls are missing in the call history')).length(1);
  });

  it('holds no more than 16 million characters until they are written, arguments of failed calls too', async () => {
    const site = await openHistory();
    await site.calls();
    const id = 'x'.repeat(990_000);
    await Promise.all(Array.from({ length: 20 }, () => site.call('x_shop_gone', { id })));
    const { calls, gaps } = await site.calls();
    expect(calls.total).equal(17);
    expect(gaps.map(({ lost }) => lost)).deep.equal([3]);
  });

  it('keeps the newest calls even if they take more than all may', async () => {
    const site = await openHistory({ content: true, maxContentChars: 1_000_000, maxBytes: 1_000_000 });
    await site.calls();
    const id = 'x'.repeat(400_000);
    await Promise.all([site.call('x_shop_get', { id }), site.call('x_shop_get', { id })]);
    expect(await toolsOf(site)).deep.equal(['get', 'get']);
    await site.call('x_shop_deny', { id });
    expect(await toolsOf(site)).deep.equal(['deny']);
  });

  it('misses no call because an old file cannot be removed', async () => {
    const site = await openHistory({ content: true, maxContentChars: 1_000_000, maxBytes: 1_000_000 });
    await site.call('x_shop_get');
    await site.calls();
    const path = site.directory.at('state/calls/calls-0000000000000-00000000.jsonl');
    mkdirSync(path);
    utimesSync(path, 0, 0);
    await site.call('x_shop_pay', { id: 'x'.repeat(100_000) });
    const { calls, gaps } = await site.calls();
    expect(calls.total).equal(2);
    expect(gaps).deep.equal([]);
    expect(site.gateway.log.having('the call history failed')).length(1);
  });

  it('shows what its index has of a call whose file was removed, and begins another', async () => {
    const site = await openHistory();
    await site.call('x_shop_gone');
    await site.calls();
    for (const path of files(site)) rmSync(path);
    const [call] = (await site.calls()).calls.items;
    expect(call).include({ tool: 'x_shop_gone', code: 'UPSTREAM_CLOSED' }).and.not.have.property('error');
    await site.call('x_shop_gone');
    expect((await site.calls()).calls.items[0]).have.property('error');
    expect(files(site)).length(1);
  });

  it('gives the form of the tool the arguments that were kept', async () => {
    const site = await openHistory({ content: true });
    await site.call('x_shop_get', { id: 'a <b>', password: 'letmein-123', more: [1] });
    const [call] = (await site.calls()).calls.items;
    const { text } = await site.get(`/tools/x_shop_get?call=${String(call?.id)}`);
    expect(text).match(/name="arg\.id"[^>]*>\s*a &lt;b&gt;<\/textarea>/);
    expect(text).include('part of this was hidden; enter it again').and.not.include('letmein');
    expect(text).include('{&quot;more&quot;:[1]}');
    expect((await site.get('/tools/x_shop_get?call=none')).status).equal(404);
    expect((await site.get('/tools/x_shop_get')).text).not.include('a &lt;b&gt;');
    const ofAnother = await site.get(`/tools/x_shop_pay?call=${String(call?.id)}`);
    expect(ofAnother.status).equal(200);
    expect(ofAnother.text).not.include('a &lt;b&gt;');
    const forgotten = await site.get('/tools/x_shop_get?call=1700000000000-0123abcd-0');
    expect(forgotten.status).equal(200);
    expect(forgotten.text).include('name="arg.id"').and.not.include('a &lt;b&gt;');
  });

  it('is linked from the figures and the bar of the overview, and from tools and sessions', async () => {
    const site = await openHistory();
    const client = await site.connect();
    await client.told('x_shop_get');
    const links = async (path: string): Promise<readonly string[]> =>
      [...(await site.get(path)).text.matchAll(/href="(\/calls\?[^"]*)"/g)].map(([, to = '']) =>
        to.replaceAll('&amp;', '&'),
      );
    const overview = await links('/');
    expect(overview).length(9);
    expect(overview.filter((path) => path.includes('until='))).length(1);
    for (const path of overview)
      expect((await site.calls(path.split('?')[1])).calls.total, path).equal(path.includes('error') ? 0 : 1);
    expect(await links('/tools/x_shop_get')).deep.equal([
      '/calls?tool=x_shop_get',
      '/calls?tool=x_shop_get&outcome=error',
    ]);
    const [session] = (await site.facts<{ items: { id: string }[] }>('/sessions')).items;
    const [all = ''] = await links(`/sessions/${String(session?.id)}`);
    expect((await site.calls(all.split('?')[1])).calls.total).equal(1);
  });
});
