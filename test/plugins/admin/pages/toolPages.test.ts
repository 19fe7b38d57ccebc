import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import type { RawAnswer } from '../../../support/rawHttp.ts';
import { INJECTED, LONG, SCRIPT, TOKEN, auditedCalls, openBooth, submits } from '../booth.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';

interface Tools {
  readonly tools: {
    readonly total: number;
    readonly items: readonly { readonly name: string; readonly kind: string; readonly score?: number }[];
  };
  readonly hint?: string;
}
const SHIP = '/tools/x_booth_ship';
const GOOD = { 'arg.to': 'Ada', 'arg.items': '2' };

describe('the pages of tools', () => {
  let site: AdminSite;
  const search = (query: string): Promise<Tools> => site.facts<Tools>(`/tools?${query}`);
  const call = async (fields: Fields, path = SHIP): Promise<[number, JsonObject]> => {
    const { status, text } = await site.post(path, fields, { accept: 'application/json' });
    return [status, JSON.parse(text) as JsonObject];
  };
  const sent = async (fields: Fields): Promise<unknown> => {
    const { structured } = (await call(fields))[1] as { structured: string };
    return (JSON.parse(structured) as { sent: unknown }).sent;
  };
  beforeEach(async () => {
    site = await openBooth();
  });

  describe('list what filter_tools finds', () => {
    it('with scores for a query, best first', async () => {
      const { tools } = await search('query=ship+a+parcel');
      expect(tools.items[0]).include({ name: 'x_booth_ship' });
      const scores = tools.items.map(({ score = 0 }) => score);
      expect(scores).deep.equal([...scores].sort((a, b) => b - a));
      const { text } = await site.get('/tools?query=ship+a+parcel');
      expect(text).include('<th scope="col">Score</th>').and.include(`href="${SHIP}"`);
      expect((await site.get('/tools')).text).not.include('Score');
    });

    it('by name, server and kind', async () => {
      const names = async (query: string): Promise<readonly string[]> =>
        (await search(query)).tools.items.map(({ name }) => name);
      expect(await names('pattern=*_ship')).deep.equal(['x_booth_ship']);
      expect(await names('server=booth'))
        .have.length(5)
        .and.include('x_booth_burn');
      expect(await names('server=booth&kind=core')).deep.equal([]);
      const { tools } = await search('kind=core');
      expect(new Set(tools.items.map(({ kind }) => kind))).deep.equal(new Set(['core']));
      expect(tools.items.length).equal(Math.min(50, tools.total));
      expect((await site.get('/tools?pattern=%5B')).status).equal(400);
    });

    it('in parts, and the last part beyond the end', async () => {
      const names = Array.from({ length: 70 }, (_, at) => `w${String(at)}`);
      const step = { steps: [{ id: 'one', tool: 'x_booth_ship' }] };
      site = await openBooth(
        Object.fromEntries(names.map((name) => [`workflows/${name}.yaml`, JSON.stringify(step)])),
      );
      const { tools } = await search('pattern=workflow_*');
      const later = await search(`pattern=workflow_*&from=${tools.items.length}`);
      const all = [...tools.items, ...later.tools.items].map(({ name }) => name);
      expect(tools).property('total', 70);
      expect(new Set(all).size).equal(70);
      expect((await search('pattern=workflow_*&from=999999')).tools).deep.equal(later.tools);
      expect((await search('kind=workflow&from=50')).tools).deep.equal(later.tools);
      expect((await site.get('/tools?pattern=workflow_*')).text).include('?pattern=workflow_*&amp;from=50');
    });
  });

  it('show a tool with its schema and a form of its arguments, the required ones first', async () => {
    const { text } = await site.get(SHIP);
    const names = [...text.matchAll(/name="arg\.(\w+)"/g)].map(([, name]) => name);
    expect(names).deep.equal(['to', 'items', 'note', 'weight', 'isGift', 'speed', 'tags', 'apiKey']);
    expect(text).match(/<textarea[^>]*name="arg\.to"[^>]*required/);
    expect(text).match(/<input[^>]*type="number"[^>]*step="1"[^>]*name="arg\.items"/);
    expect(text).match(/<input[^>]*value="1.5"[^>]*name="arg\.weight"/);
    // The first line break in a text area is not part of its value.
    expect(text).match(/name="arg\.note"[^>]*>\n<\/textarea>/);
    expect(text).match(/<option value="slow" selected>/);
    expect(text).match(/<input[^>]*type="password"[^>]*name="arg\.apiKey"/);
    expect(text).include('Printed on it').and.include('&quot;additionalProperties&quot;: false');
    expect(await site.facts(SHIP)).include({ server: 'booth', kind: 'tool', asksFirst: false });
  });

  describe('call a tool', () => {
    it('with arguments of the types that its schema names, and without those left empty', async () => {
      const all = {
        'arg.weight': '0.5',
        'arg.isGift': 'true',
        'arg.speed': 'fast',
        'arg.tags': '["a", "b"]',
      };
      expect(await sent({ ...GOOD, ...all, 'arg.note': 'two\r\nlines' })).deep.equal({
        to: 'Ada',
        items: 2,
        weight: 0.5,
        isGift: true,
        speed: 'fast',
        tags: ['a', 'b'],
        note: 'two\nlines',
      });
      expect(await sent({ arguments: '{"to": "Bob", "items": 3}' })).deep.equal({ to: 'Bob', items: 3 });
    });

    it('and show its answer with texts, structured content and what else it holds', async () => {
      const { status, text } = await site.post(SHIP, GOOD);
      expect(status).equal(200);
      expect(text)
        .include('&lt;b&gt;{')
        .and.include('Structured content')
        .and.include('image (image/png, 8 characters)');
      expect(text).not.match(INJECTED).and.not.include('live.js');
    });

    it('that answers with an error, and say so', async () => {
      expect(await call({ confirm: 'yes' }, '/tools/x_booth_break')).nested.property('[1].isError', true);
      const { status, text } = await site.post('/tools/x_booth_break');
      expect(status).equal(200);
      expect(text)
        .include('the belt is stuck')
        .and.match(/badge bad">error/);
    });

    it('without showing secrets of servers or of arguments, and at most 64 kB', async () => {
      const { text } = await site.post(SHIP, { ...GOOD, 'arg.apiKey': 'kept-to-myself-99' });
      expect(text).include('[redacted]').and.not.include(TOKEN).and.not.include('kept-to-myself-99');
      const { text: long } = await site.post(SHIP, { ...GOOD, 'arg.items': '100' });
      expect(long).include('only 64 kB are shown');
      expect(long.length).below(90_000);
    });

    it('only after a tick, if the tool is not declared as read-only', async () => {
      const [status, { error }] = await call({}, '/tools/x_booth_burn');
      expect(status).equal(400);
      expect(error).property('message').include('confirm=yes');
      expect((await site.get('/tools/x_booth_burn')).text).match(/type="checkbox"\s+name="confirm"/);
      expect(called('x_booth_burn')).equal(0);
      expect(await call({ confirm: 'yes' }, '/tools/x_booth_burn')).nested.property('[0]', 200);
      expect(called('x_booth_burn')).equal(1);
    });

    it('not with faulty arguments, which are named beside their fields', async () => {
      const { status, text } = await site.post(SHIP, {
        'arg.items': 'many',
        'arg.tags': '[1',
        'arg.speed': 'fast',
      });
      expect(status).equal(400);
      expect(faultsIn(text)).deep.equal({
        to: 'this is required',
        items: 'enter a number, such as 5',
        tags: 'this is not JSON',
      });
      expect(text)
        .match(/<option value="fast" selected>/)
        .and.match(/name="arg\.tags"[^>]*>\s*\[1</);
      const core = await site.post('/tools/core_events', { 'arg.limit': '5000' });
      expect(core.status).equal(400);
      expect(faultsIn(core.text)).property('limit').include('at most 1000');
      expect(called('x_booth_ship')).equal(0);
    });

    it('from a form of the page only, if a browser sends it', async () => {
      expect(await submits(site, { page: SHIP, path: SHIP, fields: GOOD })).deep.equal([403, 200]);
      expect(called('x_booth_ship')).equal(1);
    });
  });

  it('record a call in the audit trail, as any other call', async () => {
    await call(GOOD);
    const [line = '', ...others] = auditedCalls(site, 'x_booth_ship');
    expect(others).deep.equal([]);
    expect((JSON.parse(line) as { event: unknown }).event)
      .include({ kind: 'tool', server: 'booth', caller: 'operator' })
      .and.not.nested.property('arguments.to');
  });

  it('are harmless with hostile names', async () => {
    const page = await site.get(`/tools/${encodeURIComponent(`x_booth_${SCRIPT}`)}`);
    expect(page.status).equal(200);
    expect(page.text).include('&lt;script&gt;').and.not.match(INJECTED);
    const unknown: readonly RawAnswer[] = [
      await site.get(`/tools/${encodeURIComponent(SCRIPT)}`),
      await site.get(`/tools/${LONG}`),
      await site.post(`/tools/${LONG}`),
    ];
    for (const { status, text } of unknown) {
      expect(status).equal(404);
      expect(text).not.match(INJECTED);
      expect(text.length).below(10_000);
    }
    for (const field of ['query', 'pattern', 'server', 'kind']) {
      expect((await site.get(`/tools?${field}=${encodeURIComponent(`">${SCRIPT}`)}`)).text).not.match(
        INJECTED,
      );
      expect((await site.get(`/tools?${field}=${LONG}`)).status, field).oneOf([200, 400]);
    }
  });

  function called(tool: string): number {
    return auditedCalls(site, tool).length;
  }
  function faultsIn(text: string): Readonly<Record<string, string>> {
    const fields = [
      ...text.matchAll(/name="arg\.(\w+)"(?:(?!class="field").)*?class="wrong"[^>]*>\s*([^<;]+)/gs),
    ];
    return Object.fromEntries(fields.map(([, name = '', fault = '']) => [name, fault.trim()]));
  }
});
