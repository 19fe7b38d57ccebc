import { expect } from 'chai';
import { RELAY } from '../../../support/relayGateway.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface ServerPage {
  readonly state: string;
  readonly tokens: number;
  readonly history: readonly { readonly state: string; readonly at: string; readonly error?: string }[];
  readonly tools: { readonly total: number; readonly items: readonly { readonly name: string }[] };
}
const relay = JSON.stringify({
  type: 'stdio',
  command: [process.execPath, ...RELAY, 'stdio'],
  autoStart: true,
});
const away = JSON.stringify({ type: 'stdio', command: ['/nowhere/server'], autoStart: true });

describe('the pages of servers', () => {
  let site: AdminSite;
  const facts = (name: string): Promise<ServerPage> => site.facts<ServerPage>(`/mcps/${name}`);
  const reaches = (name: string, state: string): Promise<ServerPage> =>
    until(async () => {
      const server = await facts(name);
      return server.state === state ? server : undefined;
    });
  beforeEach(async () => {
    site = await openAdmin({ files: { 'mcpservers/relay.yaml': relay, 'mcpservers/away.yaml': away } });
    await reaches('relay', 'running');
  });

  it('list the registered servers by name with their state and last words', async () => {
    const servers = await until(async () => {
      const { servers } = await site.facts<{ servers: readonly { name: string; error?: string }[] }>('/mcps');
      return servers[0]?.error === undefined ? undefined : servers;
    });
    expect(servers.map(({ name }) => name)).deep.equal(['away', 'relay']);
    expect(servers[0]?.error).include('/nowhere/server');
    const { text } = await site.get('/mcps');
    expect(text).include('href="/mcps/relay"').and.include('running').and.include('/nowhere/server');
  });

  it('show one server with its tools, what they take of a context, and its states with times', async () => {
    const server = await facts('relay');
    expect(server.tools.total).equal(12);
    expect(server.tools.items.map(({ name }) => name)).include('x_relay_ask');
    expect(server.tokens).greaterThan(50);
    expect(server.history.map(({ state }) => state)).deep.equal(['ready', 'starting']);
    expect(Date.parse(server.history[0]?.at ?? '')).closeTo(Date.now(), 60_000);
    const { text } = await site.get('/mcps/relay');
    expect(text).include('x_relay_ask').and.include('Stop').and.include('Restart').and.not.include('>Start<');
    // One state has one word, on the page and at the command line.
    expect(text)
      .match(/Last states[^]*>\s*running\s*<[^]*>\s*starting\s*</)
      .and.not.match(/>\s*ready\s*</);
  });

  it('stop, start and restart a server by the core tools, whose calls others see', async () => {
    const stopped = await site.post('/mcps/relay/stop');
    expect(stopped).include({ status: 303 });
    expect(stopped.headers.location).include('/mcps/relay?done=');
    await reaches('relay', 'stopped');
    expect((await site.get('/mcps/relay')).text).match(/>\s*Start\b/);
    expect((await site.post('/mcps/relay/start')).status).equal(303);
    await reaches('relay', 'running');
    const before = (await facts('relay')).history.length;
    expect((await site.post('/mcps/relay/restart', {}, { accept: 'application/json' })).text).include(
      'server relay was restarted',
    );
    expect((await reaches('relay', 'running')).history.length).greaterThan(before);
    expect(await site.facts('/mcps/away')).property('state', 'failed');
  });

  it('say why an operation failed, and answer 404 for an unknown server', async () => {
    const failed = await site.post('/mcps/away/start');
    expect(failed.status).equal(409);
    expect(failed.text).include('/nowhere/server');
    expect((await site.post('/mcps/none/start')).status).equal(404);
  });
});
