import { expect } from 'chai';
import type { Directory } from '../../../support/directory.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { toolsPlugin } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { toolOf } from '../../../support/kernel.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

const NAMES = ['invoice_create', 'invoice_delete', 'forecast_get', 'mail_send'];
const TOOLS = NAMES.map((name) => toolOf(name, { description: name.replace('_', ' ') }));
const REQUESTS = [
  { query: 'forecast', want: 'forecast_get' },
  { query: 'send a mail', want: [['mail_send', 'letter_send']] },
  { query: 'delete an invoice, then send a mail', want: ['invoice_delete', 'mail_send'] },
  { query: 'zeppelin', want: 'zeppelin_fly' },
];

describe('pegboard eval', () => {
  let directory: Directory;
  let url: string;
  before(async () => {
    directory = makeDirectory({
      'config.yaml': JSON.stringify({ plugins: { tools: { module: './tools.mjs' } } }),
      'tools.mjs': moduleOf(toolsPlugin('tools', TOOLS)),
    });
    ({ url } = await serveHere(directory));
  });
  const linesOf = (requests: readonly unknown[]): string =>
    requests.map((request) => `${JSON.stringify(request)}\n`).join('\n');
  const run = (text: string, ...args: readonly string[]): Promise<Typed> => {
    directory.write('requests', text);
    const where = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
    return typeVerb(['eval', directory.at('requests'), ...where, ...args]);
  };
  const place = (line: number): string => `${directory.at('requests')}:${line}`;

  it('scores requests, and lists those whose tools are not among the first five', async () => {
    const { code, stdout } = await run(linesOf(REQUESTS), '-o', 'json');
    const { misses, ...figures } = JSON.parse(stdout) as { misses: readonly Record<string, unknown>[] };
    expect(figures).deep.include({ requests: 4, recallAt1: 0.75, recallAt5: 0.75, mrr: 0.75 });
    expect(figures).keys('requests', 'recallAt1', 'recallAt5', 'mrr', 'confident', 'confidentPrecision');
    expect(misses).deep.equal([
      {
        place: place(7),
        query: 'zeppelin',
        want: [['zeppelin_fly']],
        got: [],
        confident: false,
        unknown: ['zeppelin_fly'],
      },
    ]);
    expect(code).equal(0);
  });

  it('prints the figures in a line, and the misses as a table', async () => {
    const { stdout, stderr } = await run(linesOf(REQUESTS));
    expect(stdout).match(
      /^4 requests: R@1 75.0 %, R@5 75.0 %, MRR 0.750; confident \d+\.\d %, of which \d+\.\d % right\n/,
    );
    expect(stdout).match(/zeppelin +zeppelin_fly \(unknown\)/);
    expect(stderr).equal('');
    const perfect = await run(linesOf(REQUESTS.slice(0, 1)));
    expect(perfect.stdout.trimEnd().split('\n')).length(1);
  });

  it('reads YAML and JSON lists as well as lines', async () => {
    const yaml = '- query: forecast\n  want: forecast_get\n- q: zeppelin\n  want: [[zeppelin_fly]]\n';
    for (const text of [yaml, JSON.stringify(REQUESTS.slice(0, 2), null, 1), `\n${linesOf(REQUESTS)}`])
      expect((await run(text)).code, text).equal(0);
    const { stdout } = await run(yaml, '-o', 'json');
    expect((JSON.parse(stdout) as { misses: readonly { place: string }[] }).misses[0]?.place).equal(place(3));
  });

  it('counts a request that no tool fits as right when the gateway is not confident', async () => {
    const { stdout } = await run(linesOf([REQUESTS[0], { query: 'zeppelin', want: [] }]), '-o', 'json');
    expect(JSON.parse(stdout)).deep.include({ requests: 2, recallAt1: 1, recallAt5: 1, misses: [] });
    const wrong = await run(linesOf([{ query: 'forecast get', want: [] }]), '-o', 'json');
    expect(JSON.parse(wrong.stdout)).deep.include({ confident: 1, confidentPrecision: 0, recallAt5: null });
  });

  it('ends with 1 below --min-recall, and with 0 otherwise', async () => {
    const low = await run(linesOf(REQUESTS), '--min-recall', '0.9');
    expect(low).include({ code: 1, stderr: 'pegboard: R@5 is 0.750, below --min-recall 0.9\n' });
    expect(await run(linesOf(REQUESTS), '--min-recall', '0.75')).include({ code: 0 });
    expect((await run(linesOf(REQUESTS), '--min-recall', '90')).stderr).equal(
      'pegboard: --min-recall must be a number from 0 to 1, not 90\n',
    );
  });

  it('names every line that is wrong, with what to write, and asks nothing', async () => {
    const form = 'write {"query": "what to do", "want": ["x_server_tool"]}';
    const lines = [
      '{"query": "a"',
      '{"want": "a"}',
      '{"query": " ", "want": "a"}',
      '{"query": "a", "want": [3]}',
      '7',
    ];
    const { code, stdout, stderr } = await run(lines.join('\n'));
    expect(stderr.split('\n')[0]).match(/^pegboard: .*requests:1: it is not JSON \(.*\); write \{/);
    expect(stderr.split('\n').slice(1)).deep.equal([
      `${place(2)}: query is missing; ${form}`,
      `${place(3)}: query is missing; ${form}`,
      `${place(4)}: want must be the name of a tool, a list of names, or a list of lists of names; ${form}`,
      `${place(5)}: it is not an object; ${form}`,
      '',
    ]);
    expect([code, stdout]).deep.equal([1, '']);
    expect((await run('- query: a\n  want: b\n- query: c\n  wants: d\n')).stderr).match(
      /requests:4:3: unknown key wants; did you mean want\?; write/,
    );
    expect((await run('')).stderr).match(/requests has no request; write/);
    expect((await typeVerb(['eval', '/nowhere/at-all'])).stderr).match(/cannot be read: ENOENT/);
  });
});
