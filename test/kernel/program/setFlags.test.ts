import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { UsageError } from '../../../kernel/program/commandLine.ts';
import { readSetFlags } from '../../../kernel/program/setFlags.ts';
import { makeDirectory } from '../../support/directory.ts';
import { runPegboard, servePegboard } from '../../support/serve.ts';
import { until } from '../../support/until.ts';

describe('--set', function () {
  this.timeout(60_000);

  it('reads dotted paths and values in YAML; the later of two counts', () => {
    const flags = ['a.b=1', 'a.c=[x, "y=z"]', 'd=', 'a.b=two', 'e={ f: true }', 'e.g.h=1.5'];
    expect(readSetFlags(flags).values).deep.equal({
      a: { b: 'two', c: ['x', 'y=z'] },
      d: null,
      e: { f: true, g: { h: 1.5 } },
    });
    for (const flag of ['port', '=1', 'a..b=1', '.a=1', '__proto__.x=1'])
      expect(() => readSetFlags([flag]), flag).throw(
        UsageError,
        `--set ${flag.split('=', 1)[0]!}: write it as key=value`,
      );
    expect(() => readSetFlags(['a..b=hunter2'])).throw(/^((?!hunter2).)*$/);
    expect(() => readSetFlags(['a.b=[hunter2'])).throw(/^((?!hunter2).)*$/);
    expect(() => readSetFlags(['a.b=[1'])).throw(UsageError, /^--set a\.b: the value is not YAML: /);
  });

  it('names --workers, not the key that it sets', async () => {
    const { stderr, code } = await runPegboard(
      ['serve', '--config-path', makeDirectory().path, '--port', '0', '--workers', 'x'],
      {},
    );
    expect(code).equal(2);
    expect(stderr).contain('--workers: error: plugin workers: count must be an integer, not "x"');
    expect(() => readSetFlags([], '[')).throw(UsageError, /^--workers: the value is not YAML: /);
  });

  it('wins over config.yaml, also after a live reload', async () => {
    const directory = makeDirectory({
      'config.yaml': 'aggregator: { logLevel: error }\nplugins: { http: { config: { anyPort: false } } }\n',
    });
    const gateway = await servePegboard(directory.path, [
      ...['--set', 'aggregator.logLevel=info', '--set', 'plugins.transport-sse=false'],
    ]);
    const status = async (): Promise<number> => (await fetch(`${gateway.url}/sse`)).status;
    expect(await status()).equal(404);
    directory.write(
      'config.yaml',
      'aggregator: { logLevel: error }\nplugins: { transport-sse: true, limits: true }\n',
    );
    await until(() => gateway.lines.some((line) => JSON.stringify(line).includes('limits')), {
      withinMs: 10_000,
    });
    expect(await status()).equal(404);
    expect(readFileSync(directory.at('config.yaml'), 'utf8')).contain('transport-sse: true');
    await gateway.stop();
  });

  it('is checked as the file is, and named as the place of a fault', async () => {
    const directory = makeDirectory({ 'config.yaml': 'plugins:\n  http: { config: { drainMs: 1 } }\n' });
    const check = (...flags: readonly string[]) =>
      runPegboard(['check', '--config-path', directory.path, ...flags.flatMap((flag) => ['--set', flag])]);
    const root = await check('aggregator.prt=1', 'aggregator.port=x');
    expect(root.code).equal(2);
    expect(root.stdout)
      .contain('--set aggregator.prt: error: unknown key "prt"; did you mean "port"? (CONFIG_INVALID)\n')
      .and.contain('--set aggregator.port: error: aggregator.port must be an integer');
    const whole = await check('aggregator=5');
    expect(whole.code).equal(2);
    expect(whole.stdout).contain('--set aggregator: error: aggregator must be an object');
    const plugin = await check('plugins.http.config.drainMs=-1');
    expect(plugin.stdout).match(/^--set plugins\.http\.config\.drainMs: error: .*drainMs/);
    const served = await runPegboard(['serve', '--config-path', directory.path, '--set', 'nothing']);
    expect(served).include({ code: 64, stdout: '' });
    expect(served.stderr).contain('--set nothing: write it as key=value');
    directory.write('config.yaml', 'aggregator:\n  port: y\n');
    const both = await check('aggregator.port=1');
    expect(both.stdout).contain(
      `${directory.at('config.yaml')}:2:3: error: aggregator.port must be an integer`,
    );
    expect(existsSync(directory.at('state'))).equal(false);
  });
});
