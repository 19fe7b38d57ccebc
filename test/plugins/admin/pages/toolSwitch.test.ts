import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { programAt } from '../../../support/programs.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface ServerPage {
  readonly tools: { readonly total: number; readonly items: readonly { name: string; own: string }[] };
  readonly keptBack: readonly { readonly name: string; readonly own: string; readonly reason: string }[];
}
const SECRET = 'hunter2-hunter2-hunter2';
const booth = `type: stdio
command: ${JSON.stringify([process.execPath, ...programAt('test/plugins/admin/boothServer.ts')])} # kept
autoStart: true
env:
  BOOTH_TOKEN: ${SECRET}
`;

describe('the switch of a tool', () => {
  let site: AdminSite;
  const page = (): Promise<ServerPage> => site.facts<ServerPage>('/mcps/booth');
  const listed = async (): Promise<number | undefined> =>
    (await site.facts<{ servers: readonly { offered: number }[] }>('/mcps')).servers[0]?.offered;
  const opened = async (config = '', definition = booth): Promise<ServerPage> => {
    site = await openAdmin({ files: { 'mcpservers/booth.yaml': definition, 'config.yaml': config } });
    return until(
      async () => {
        const now = await page();
        return now.tools.total + now.keptBack.length > 0 ? now : undefined;
      },
      { what: 'booth', withinMs: 10_000 },
    );
  };
  const written = async (own: string, to: string): Promise<void> => {
    const { text, status } = await site.submit('/mcps/booth/tools', { tool: own, to });
    expect(status).equal(200);
    expect(text).include('What would change').and.include(own).and.not.include(SECRET);
    const [, base = ''] = /name="base"\s+value="([^"]*)"/.exec(text) ?? [];
    const [, next = ''] = /name="text"\s+value="([^"]*)"/.exec(text) ?? [];
    const plain = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
    const done = await site.submit('/mcps/booth/write', { text: plain(next), base: plain(base) });
    expect(done.status, done.text).equal(303);
  };

  it('takes it from all clients by the definition, through the preview', async () => {
    const { tools } = await opened();
    const [name, own] = ['x_booth_burn', 'burn'];
    expect((await site.get(`/tools/${name}`)).text).include('Switch off…');
    await written(own, 'off');
    const file = readFileSync(site.gateway.directory.at('mcpservers/booth.yaml'), 'utf8');
    expect(file).include('# kept').and.include(SECRET).and.include(`- ${own}`);
    const off = await until(async () => {
      const now = await page();
      return now.keptBack.length === 1 ? now : undefined;
    });
    expect(off.tools.total).equal(tools.total - 1);
    expect(off.keptBack[0]).include({ name, own }).and.have.property('reason').includes('excludeTools');
    expect(await listed()).equal(off.tools.total);
    expect((await site.get('/mcps/booth')).text)
      .include('1 tool that no client is offered')
      .and.include('Switch on…');
  }).timeout(40_000);

  it('gives it back likewise', async () => {
    await opened('', `${booth}excludeTools: [burn, break]\n`);
    await written('burn', 'on');
    const file = readFileSync(site.gateway.directory.at('mcpservers/booth.yaml'), 'utf8');
    expect(file).include('break').and.not.include('burn');
    const on = await until(async () => {
      const now = await page();
      return now.keptBack.length === 1 ? now : undefined;
    });
    expect(on.keptBack.map(({ own }) => own)).deep.equal(['break']);
  });

  it('is not there for what a rule denies, which is shown with its pattern, and both pages count the same', async () => {
    const { tools, keptBack } = await opened('plugins: { deny: { config: { tools: ["x_booth_b*"] } } }\n');
    expect(keptBack.map(({ own }) => own)).members(['burn', 'break']);
    expect(keptBack[0]?.reason).include('is denied by the pattern x_booth_b*');
    expect(await listed()).equal(tools.total);
    expect((await site.get('/mcps/booth')).text).not.include('Switch on…');
  });

  it('refuses a form without a tool', async () => {
    await opened();
    expect((await site.post('/mcps/booth/tools', { to: 'off' })).status).equal(400);
    expect((await site.post('/mcps/booth/tools', { tool: 'x', to: 'maybe' })).status).equal(400);
    expect((await site.post('/mcps/none/tools', { tool: 'x', to: 'off' })).status).equal(404);
  });
});
