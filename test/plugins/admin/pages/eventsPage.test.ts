import { expect } from 'chai';
import { until } from '../../../support/until.ts';
import { INJECTED, LONG, SCRIPT, openBooth } from '../booth.ts';
import type { AdminSite } from '../adminGateway.ts';

interface Events {
  readonly events: {
    readonly total: number;
    readonly items: readonly {
      readonly reason: string;
      readonly resource_name: string;
      readonly type: string;
    }[];
  };
}
const FILES = {
  'mcpservers/away.yaml': JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: true }),
  'workflows/order.yaml': JSON.stringify({ steps: [{ id: 'one', tool: 'x_booth_break' }] }),
};

describe('the page of events', () => {
  let site: AdminSite;
  const events = async (query = ''): Promise<Events['events']> =>
    (await site.facts<Events>(`/events?${query}`)).events;
  beforeEach(async () => {
    site = await openBooth(FILES);
    await until(async () => (await site.facts('/mcps/away'))['state'] === 'failed');
  });

  it('lists what happened to servers and workflows, newest first, with links to them', async () => {
    await site.post('/mcps/booth/stop');
    const { items } = await events();
    // Meanwhile the other server may be tried again.
    const [newest] = items.filter((one) => one.resource_name === 'booth');
    expect(newest).include({ reason: 'MCPServerStopped' });
    const { text } = await site.get('/events');
    expect(text)
      .include('MCPServerStopped')
      .and.include('href="/mcps/booth"')
      .and.include('href="/workflows/order"');
  });

  it('narrows them by kind, name, type, severity and time, as core_events does', async () => {
    const all = await events();
    const every = async (
      query: string,
      fits: (one: Events['events']['items'][number]) => boolean,
    ): Promise<void> => {
      const { items, total } = await events(query);
      expect(items, query).not.empty;
      expect(
        items.filter((one) => !fits(one)),
        query,
      ).deep.equal([]);
      expect(total).below(all.total);
    };
    await every('name=away', (one) => one.resource_name === 'away');
    await every('kind=Workflow', (one) => one.reason.startsWith('Workflow'));
    await every('severity=Warning', (one) => one.type === 'Warning');
    await every('type=MCPServerFailed', (one) => one.reason === 'MCPServerFailed');
    // Meanwhile the server may be tried again.
    expect((await events('since=1h')).total).at.least(all.total);
    expect((await events('until=1h')).total).equal(0);
    const { status, text } = await site.get('/events?since=yesterday');
    expect(status).equal(400);
    expect(text).include('unsupported time format');
  });

  it('links the events of a run to the run, and shows a part of many', async () => {
    for (let count = 0; count < 12; count += 1) await site.post('/tools/workflow_order', { confirm: 'yes' });
    const { text } = await site.get('/events');
    expect(text)
      .match(/href="\/runs\/[\w-]{36}"/)
      .and.include('?from=50');
    const { total, items } = await events();
    expect(items).length(50);
    expect((await events(`from=50`)).items)
      .length(Math.min(50, total - 50))
      .and.not.deep.equal(items);
  });

  it('tells open pages of new events', async () => {
    const answer = await fetch(`${site.url}/events/stream`);
    const reader = (answer.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    await site.post('/mcps/booth/stop');
    let text = '';
    while (!text.includes('event: changed')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect((await events('type=MCPServerStopped')).total).equal(1);
  });

  it('is harmless with hostile values', async () => {
    for (const field of ['kind', 'name', 'type', 'severity', 'since', 'until'])
      for (const value of [encodeURIComponent(`">${SCRIPT}`), LONG]) {
        const { status, text } = await site.get(`/events?${field}=${value}`);
        expect(status, field).oneOf([200, 400]);
        expect(text).not.match(INJECTED);
      }
  });
});
