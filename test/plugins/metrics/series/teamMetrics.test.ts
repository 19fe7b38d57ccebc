import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { until } from '../../../support/until.ts';
import { scrapedGateway, seriesIn } from '../support.ts';

/** The line of the first process, as the plugin workers has it; `tell` reaches the workers of the test. */
const LINE = `
const answers = new Map();
export const told = [];
export const workers = new Map();
export const answer = (from, question) => answers.get('metrics')(question, from);
const line = {
  number: 0,
  living: () => [...workers.keys()],
  answer: (topic, take) => void answers.set(topic, take) ?? (() => answers.delete(topic)),
  ask: async () => undefined,
  tell: (message) => {
    told.push(message);
    for (const worker of workers.values()) worker(message);
  },
  hear: () => () => undefined,
};
export const plugin = {
  name: 'line',
  api: 1,
  configSchema: { type: 'object' },
  provides: [{ id: 'worker-line', cardinality: 'one' }],
  apply: (scope) => scope.provide({ id: 'worker-line', cardinality: 'one' }, line),
};
`;

interface Line {
  readonly workers: Map<number, (message: { readonly round: number }) => void>;
  readonly told: readonly { readonly round: number }[];
  readonly answer: (from: number, question: object) => void;
}
type Value = number | readonly number[];

const KINDS = { histogram: 0, gauge: 2, counter: 3 };

/** A metric as a worker tells it; the value of a histogram is its counts below and above 1 s. */
function metric(
  kind: keyof typeof KINDS,
  name: string,
  points: readonly (readonly [object, Value])[],
): object {
  return {
    descriptor: { name, description: 'A test.', unit: '1', valueType: 1 },
    aggregationTemporality: 1,
    dataPointType: KINDS[kind],
    isMonotonic: true,
    dataPoints: points.map(([attributes, value]) => ({
      startTime: [0, 0],
      endTime: [0, 0],
      attributes,
      value:
        typeof value === 'number'
          ? value
          : { buckets: { boundaries: [1], counts: value }, sum: 2, count: value.reduce((a, b) => a + b) },
    })),
  };
}

describe('The metrics of workers', () => {
  let line: Line;
  let lines: (name: string) => Promise<readonly string[]>;
  let warnings: () => readonly unknown[];
  /** A worker that answers each question with these metrics. */
  const work = (number: number, id: string, metrics: () => readonly object[]): void =>
    void line.workers.set(number, ({ round }) => line.answer(number, { id, round, metrics: metrics() }));

  beforeEach(async () => {
    const directory = makeDirectory({ 'line.mjs': LINE });
    const plugins = { line: { module: directory.at('line.mjs') } };
    const files = { 'config.yaml': JSON.stringify({ plugins }) };
    const { gateway, scrape } = await scrapedGateway({ builtIns: ['metrics'], files });
    line = (await import(directory.at('line.mjs'))) as Line;
    lines = async (name) => seriesIn(await scrape()).filter((series) => series.startsWith(name));
    warnings = () => gateway.log.having('a worker does not tell').map(({ data }) => data['worker']);
  });

  it('are summed by equal labels, and a gauge of the first process has its number', async () => {
    const metrics = (at: number) => () => [
      metric('counter', 'acme.done', [[{ of: 'a' }, at], ...(at > 1 ? ([[{ of: 'b' }, 9]] as const) : [])]),
      metric('histogram', 'acme.took', [[{}, [at, 1]]]),
      metric('gauge', 'acme.now', [[{ worker: String(at) }, 5]]),
    ];
    work(1, 'one', metrics(1));
    work(2, 'two', metrics(2));
    expect(await lines('acme_')).deep.equal([
      'acme_done_total{of="a"} 3',
      'acme_done_total{of="b"} 9',
      'acme_took_count 5',
      'acme_took_sum 4',
      'acme_took_bucket{le="1"} 3',
      'acme_took_bucket{le="+Inf"} 5',
      'acme_now{worker="1"} 5',
      'acme_now{worker="2"} 5',
    ]);
    expect((await lines('process_memory'))[0]).match(/^process_memory_usage_bytes\{worker="0"\} \d+$/);
  });

  it('keep the counters of ended ones, also of several in one place, but not what they had under way', async () => {
    const counts = (id: string, value: number): void =>
      work(1, id, () => [
        metric('counter', 'acme.done', [[{}, value]]),
        metric('gauge', 'acme.running', [[{}, value]]),
      ]);
    counts('one', 7);
    expect(await lines('acme_')).deep.equal(['acme_done_total 7', 'acme_running 7']);
    line.workers.clear();
    expect(await lines('acme_'), 'none runs').deep.equal(['acme_done_total 7']);
    counts('two', 2);
    expect(await lines('acme_')).deep.equal(['acme_done_total 9', 'acme_running 2']);
    counts('three', 1);
    expect(await lines('acme_')).deep.equal(['acme_done_total 10', 'acme_running 1']);
  });

  it('forget the series of a server that no worker has any longer', async () => {
    const of = (id: string, servers: readonly string[]): void =>
      work(1, id, () => [
        metric(
          'counter',
          'acme.done',
          servers.map((server) => [{ server }, 1]),
        ),
      ]);
    of('one', ['a', 'b']);
    await lines('acme_');
    of('two', ['b']);
    expect(await lines('acme_'), 'not seen again yet').deep.equal([
      'acme_done_total{server="b"} 2',
      'acme_done_total{server="a"} 1',
    ]);
    of('two', ['a', 'b']);
    await lines('acme_');
    of('two', ['b']);
    expect(await lines('acme_')).deep.equal(['acme_done_total{server="b"} 2']);
  });

  it('have the last counters of one that hangs, say so once, and count no answer to an earlier question', async () => {
    work(1, 'one', () => [
      metric('counter', 'acme.done', [[{}, 3]]),
      metric('gauge', 'acme.running', [[{}, 1]]),
    ]);
    await lines('acme_');
    line.workers.set(1, () => undefined);
    expect(await lines('acme_')).deep.equal(['acme_done_total 3']);
    const before = line.told.length;
    const scraped = lines('acme_');
    await until(() => line.told.length > before, { what: 'a question' });
    const [late, now] = line.told.slice(-2);
    const done = (value: number) => [metric('counter', 'acme.done', [[{}, value]])];
    line.answer(1, { id: 'one', round: late?.round, metrics: done(4) });
    line.answer(1, { id: 'one', round: now?.round, metrics: done(5) });
    expect(await scraped).deep.equal(['acme_done_total 5']);
    expect(warnings()).deep.equal([1]);
  });
});
