import { expect } from 'chai';
import { listenerUrl } from '../../../support/edge.ts';
import { defer } from '../../../support/cleanup.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';

interface Overview {
  readonly problems: readonly { readonly title: string; readonly detail: string; readonly remedy: string }[];
  readonly servers: Readonly<Record<string, number>>;
  readonly calls: {
    readonly minutes: readonly { readonly calls: number; readonly errors: number }[];
    readonly byServer: Readonly<Record<string, { readonly calls: number; readonly errors: number }>>;
  };
}
const relay = JSON.stringify({
  type: 'stdio',
  command: [process.execPath, ...RELAY, 'stdio'],
  autoStart: true,
});
const away = JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: true });

/** How long a bar is. */
const MS: Readonly<Record<string, number>> = {
  '/': 60_000,
  '/mcps/ok': 60_000,
  '/?span=day': 1_800_000,
  '/?span=week': 10_800_000,
};

describe('the overview', () => {
  it('shows problems first, each with what helps, and servers by state', async () => {
    const files = {
      'mcpservers/away.yaml': away,
      'mcpservers/broken.yaml': 'type: 4\n',
      'mcpservers/ok.yaml': relay,
    };
    const site = await openAdmin({ files });
    const { problems, servers } = await until(async () => {
      const all = await site.facts<Overview>('/');
      return all.servers['running'] === 1 ? all : undefined;
    });
    expect(servers).deep.equal({ failed: 1, running: 1 });
    expect(problems.map(({ title }) => title)).include.members(['MCPServer broken', 'Server away failed']);
    expect(problems.find(({ title }) => title === 'MCPServer broken')?.remedy).include('broken.yaml:1');
    expect(problems.find(({ title }) => title === 'Server away failed')?.remedy).include('command');
    const { text } = await site.get('/');
    expect(text.indexOf('/nowhere/server')).within(1, text.indexOf('Calls in the last hour'));
  });

  it('gives each problem the button that mends it', async () => {
    const files = {
      'mcpservers/away.yaml': away,
      'mcpservers/broken.yaml': 'type: 4\n',
      'mcpservers/torn.yaml': 'type: [\n',
    };
    const site = await openAdmin({ files });
    const text = await until(async () => {
      const page = (await site.get('/')).text;
      return page.includes('Server away failed') ? page : undefined;
    });
    for (const name of ['away', 'broken']) {
      expect(text, name).match(new RegExp(`<a class="button strong" href="/mcps/${name}/edit"`));
      expect((await site.get(`/mcps/${name}/edit`)).status, name).equal(200);
    }
    // Its form could not be opened.
    expect(text).include('MCPServer torn').and.not.include('/mcps/torn/edit');
  });

  it('leads from each bar of the chart to the calls of its time', async () => {
    const site = await openAdmin({ files: { 'mcpservers/ok.yaml': relay } });
    await until(async () => (await site.facts<Overview>('/')).servers['running'] === 1);
    const client = await TalkingClient.connect(listenerUrl(site.gateway));
    defer(() => client.leave());
    await client.told('x_ok_seen');
    for (const path of ['/', '/?span=day', '/mcps/ok', '/?span=week']) {
      const { text } = await site.get(path);
      const [, href = ''] =
        /<a\s+href="(\/calls\?[^"]+)"\s+aria-label="1 call, 0 errors, from/.exec(text) ?? [];
      const query = new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1]);
      const times = ['since', 'until'].map((name) => Date.parse(query.get(name) ?? ''));
      expect(times[1]! - times[0]!, path).equal(MS[path]);
      const { calls } = await site.facts<{ calls: { total: number } }>(`/calls?${query.toString()}`);
      expect(calls.total, path).equal(1);
    }
  });

  it('counts calls and errors by minute and server, as a chart with words', async () => {
    const site = await openAdmin({ files: { 'mcpservers/ok.yaml': relay } });
    await until(async () => (await site.facts<Overview>('/')).servers['running'] === 1);
    const client = await TalkingClient.connect(listenerUrl(site.gateway));
    defer(() => client.leave());
    await client.told('x_ok_seen');
    await client
      .request('tools/call', { name: 'call_tool', arguments: { name: 'x_ok_fail', arguments: {} } })
      .answer();
    const { calls } = await site.facts<Overview>('/');
    expect(calls.byServer).deep.equal({ ok: { calls: 2, errors: 1 } });
    expect((await site.get('/')).text).include('All tools in the last hour: 2 calls, 1 error');
  });
});
