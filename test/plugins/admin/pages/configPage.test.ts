import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { askCore } from '../../../support/coreTools.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface ConfigFacts {
  readonly values: readonly {
    readonly path: readonly string[];
    readonly value: unknown;
    readonly source: string;
    readonly place?: string;
  }[];
  readonly unsaved: readonly string[];
  readonly lastReload: {
    readonly applied: boolean;
    readonly problems: readonly { readonly place?: string }[];
  };
  readonly definitions: readonly { readonly name: string; readonly place: string }[];
}
const EVIL = '<script>alert(1)</script>';
const CONFIG = `namespace: default
aggregator:
  resultBudget: 1234
toolsetPresets:
  odd: { description: "${EVIL}", include: [{ readOnly: true }] }
plugins:
  idempotency: { config: { keepSeconds: 77 } }
`;
const SHOP = 'type: stdio\ncommand: [/nowhere/server]\nautoStart: false\n';

describe('the page of the configuration', () => {
  let site: AdminSite;
  const facts = (): Promise<ConfigFacts> => site.facts<ConfigFacts>('/config');
  const change = (): Promise<unknown> =>
    askCore(site.gateway, 'core_config_update_aggregator', { aggregator: { ServicePrefix: 'y' } });
  beforeEach(async () => {
    site = await openAdmin({ files: { 'config.yaml': CONFIG, 'mcpservers/shop.yaml': SHOP } });
  });

  it('shows every value in force with its line in config.yaml, and marks defaults', async () => {
    const { values, definitions, lastReload } = await facts();
    const of = (key: string): unknown => values.find(({ path }) => path.join('.') === key);
    expect(of('aggregator.resultBudget')).deep.include({
      value: 1234,
      source: 'file',
      place: 'config.yaml:3:3',
    });
    expect(of('aggregator.servicePrefix')).deep.include({ value: 'x', source: 'default' });
    expect(of('plugins.idempotency.config.keepSeconds')).deep.include({ place: 'config.yaml:7:28' });
    expect(of('aggregator.admin.port')).deep.include({ value: 0, source: 'other' });
    expect(definitions).deep.include({ kind: 'MCPServer', name: 'shop', place: 'mcpservers/shop.yaml:1:1' });
    expect(lastReload).deep.include({ applied: true, problems: [] });
    const { text } = await site.get('/config');
    expect(text).include('config.yaml:3:3').and.include('defaults').and.include('by a flag');
    expect(text).include('&lt;script&gt;alert(1)').and.not.include(EVIL);
  });

  it('shows unsaved changes, and saves them by its form', async () => {
    await change();
    expect((await facts()).unsaved).deep.equal(['aggregator.servicePrefix']);
    expect((await site.get('/config')).text).include('1 change not saved: aggregator.servicePrefix');
    const foreign = { origin: 'http://evil.example' };
    expect((await site.post('/config/save', {}, foreign)).status).equal(403);
    expect((await site.post('/config/save', {}, { origin: site.url })).status).equal(403);
    expect(readFileSync(site.gateway.directory.at('config.yaml'), 'utf8')).equal(CONFIG);
    expect(await site.submit('/config/save')).include({ status: 303 });
    expect(readFileSync(site.gateway.directory.at('config.yaml'), 'utf8')).include('servicePrefix: y');
    expect((await facts()).unsaved).deep.equal([]);
    const again = await site.post('/config/save', {}, { accept: 'application/json' });
    expect(again.text).include('nothing to save');
  });

  it('reads the files again, which drops unsaved changes, for a form with its token only', async () => {
    await change();
    expect((await site.post('/config/reload', {}, { origin: site.url })).status).equal(403);
    expect((await facts()).unsaved).not.deep.equal([]);
    expect(await site.submit('/config/reload')).include({ status: 303 });
    expect((await facts()).unsaved).deep.equal([]);
  });

  it('says with file, line and column why a reload was refused, and what stays in force', async () => {
    site.gateway.directory.replace('config.yaml', CONFIG.replace('1234', `"${EVIL}"`));
    const refused = await site.post('/config/reload');
    expect(refused.status).equal(409);
    expect(refused.text).include('config.yaml:3:3').and.not.include(EVIL);
    const { lastReload, values } = await facts();
    expect(lastReload.applied).equal(false);
    expect(lastReload.problems[0]).include({ place: 'config.yaml:3:3' });
    expect(values.find(({ path }) => path.at(-1) === 'resultBudget')).include({
      value: 1234,
      source: 'other',
    });
    const { text } = await site.get('/config');
    expect(text).include('The last reload was refused').and.include('config.yaml:3:3').and.not.include(EVIL);
  });

  it('shows the problems of definitions', async () => {
    site.gateway.directory.replace('mcpservers/shop.yaml', 'type: stdio\ncommnd: [a]\n');
    await site.post('/config/reload');
    const { problems } = (await facts()).lastReload;
    expect(problems.map(({ place }) => place)).include('mcpservers/shop.yaml:2:1');
  });
});
