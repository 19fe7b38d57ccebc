import { expect } from 'chai';
import { definePlugin, textResult } from '../../../kernel/index.ts';
import { MetricSource } from '../../../plugins/contracts/metrics.ts';
import { Tally } from '../../../plugins/kit/metrics/tally.ts';
import { toolsPlugin } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { toolOf } from '../../support/kernel.ts';
import { requestOf } from '../../support/requests.ts';
import { until } from '../../support/until.ts';
import { SHELF } from '../upstream/support.ts';
import { scrapedGateway, seriesIn } from './support.ts';

const TOOLS = 10_000;

describe('an answer to a scraper', () => {
  it('has fewer than 2,000 series after calls of 10,000 tools and of 10,000 guessed names', async () => {
    const tools = Array.from({ length: TOOLS }, (_, at) =>
      toolOf(`x_s${at % 10}_tool${at}`, { server: `s${at % 10}`, invoke: () => textResult('done') }),
    );
    const files = {
      'config.yaml': JSON.stringify({ plugins: { tools: { module: './tools.mjs' } } }),
      'tools.mjs': moduleOf(toolsPlugin('tools', tools)),
    };
    const { gateway, scrape } = await scrapedGateway({ builtIns: ['metatools', 'metrics'], files });
    const { calls } = gateway.kernel;
    const call = (name: string) => calls.call('call_tool', { name }, requestOf());
    for (const { name } of tools) await call(name);
    for (let at = 0; at < 100; at += 1) await call('x_s7_tool9997');
    const refused: unknown = await calls.call('guessed_0', {}, requestOf()).catch((error: unknown) => error);
    // As the kernel emits it: the search for near names would take minutes.
    const facts = { args: {}, request: requestOf(), parent: undefined, meta: undefined, error: refused };
    for (let at = 1; at < TOOLS; at += 1)
      gateway.kernel.emit({ type: 'call.refused', name: `guessed_${at}`, ...facts });
    const text = await scrape();
    expect(seriesIn(text)).length.within(100, 1_999);
    expect(text).not.include('guessed_');
    expect(text).include('pegboard_call_refusals_total{code="TOOL_NOT_FOUND"} 10000');
    expect(text, 'the top tool').match(/^pegboard_tool_calls_total\{tool="x_s7_tool9997",.*\} \d{2,3}$/m);
    expect(text, 'all others').match(/^pegboard_tool_calls_total\{tool="other",.*\} \d{4}$/m);
  });

  it('escapes quotes, line breaks and backslashes in labels', async () => {
    const bad = definePlugin({
      name: 'bad',
      api: 1,
      configSchema: { type: 'object' },
      provides: [MetricSource],
      apply(scope) {
        const names = new Tally();
        names.add({ name: 'a "b"\nc\\d' });
        const metric = {
          name: 'bad.names',
          kind: 'counter',
          unit: '{name}',
          description: 'Names,\nof two lines.',
        };
        scope.provide(MetricSource, {
          metrics: [{ ...metric, kind: 'counter', read: () => names.samples() }],
        });
      },
    });
    const files = {
      'config.yaml': JSON.stringify({ plugins: { bad: { module: './bad.mjs' } } }),
      'bad.mjs': moduleOf(bad),
    };
    const { scrape } = await scrapedGateway({ builtIns: ['metrics'], files });
    const lines = (await scrape()).split('\n').filter((line) => line.includes('bad_names'));
    expect(lines).deep.equal([
      '# HELP bad_names_total Names,\\nof two lines.',
      '# UNIT bad_names_total {name}',
      '# TYPE bad_names_total counter',
      'bad_names_total{name="a \\"b\\"\\nc\\\\d"} 1',
    ]);
  });

  it('has no series of a server from the moment its definition is removed', async () => {
    const definition = JSON.stringify({ type: 'stdio', command: [process.execPath, SHELF], autoStart: true });
    const files = { 'config.yaml': '{}', 'mcpservers/shelf.yaml': definition };
    const builtIns = ['core-mcpservers', 'store-file', 'upstream', 'metatools', 'metrics'];
    const { gateway, scrape } = await scrapedGateway({ builtIns, files });
    await until(async () => (await scrape()).includes('pegboard_upstream_up{server="shelf"} 1'));
    const tool = gateway.kernel.catalogue.visibleTo(requestOf()).find(({ server }) => server === 'shelf');
    await gateway.kernel.calls.call('call_tool', { name: tool?.name, arguments: {} }, requestOf());
    const connected = await scrape();
    const named = seriesIn(connected).filter((line) => line.includes('server="shelf"'));
    expect(named.filter((line) => line.startsWith('pegboard_upstream_state{'))).deep.equal([
      'pegboard_upstream_state{server="shelf",state="ready"} 1',
    ]);
    expect(named.join('\n'))
      .include('pegboard_tool_calls_total')
      .and.include('pegboard_upstream_connect_duration_seconds_count');
    if (process.platform === 'linux')
      expect(named.join('\n')).match(/pegboard_upstream_process_memory_usage_bytes\{server="shelf"\} \d{7,}/);
    gateway.directory.remove('mcpservers/shelf.yaml');
    await gateway.pipeline.reload();
    const after = await scrape();
    expect(after).not.include('server="shelf"');
    expect(after).include('pegboard_config_reloads_total{result="applied"} 2');
  });

  it('is at /metrics only, for GET and HEAD', async () => {
    const { gateway } = await scrapedGateway({ builtIns: ['metrics'] });
    const url = String(gateway.log.having('metrics are served')[0]?.data['url']);
    expect((await fetch(`${url}?name=x`)).status).equal(200);
    expect((await fetch(url, { method: 'HEAD' })).status).equal(200);
    expect((await fetch(url, { method: 'POST' })).status).equal(405);
    expect((await fetch(new URL('/', url))).status).equal(404);
  });
});
