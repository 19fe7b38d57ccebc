import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { CTRL_C, onTerminal } from '../../../support/onTerminal.ts';
import type { OnTerminal } from '../../../support/onTerminal.ts';
import { runPegboard } from '../../../support/serve.ts';
import { ROOT } from '../../../support/sources.ts';
import { until } from '../../../support/until.ts';

const FAILING = join(ROOT, 'test/plugins/isolate/fixtures/failing.mjs');
const SERVER = join(ROOT, 'test/plugins/isolate/fixtures/asking.mjs');

describe('pegboard add --isolate', function () {
  this.timeout(60_000);
  before(function () {
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    if (process.platform !== 'linux' || !folders.some((at) => existsSync(join(at, 'bwrap')))) this.skip();
  });

  let temporary: ReturnType<typeof makeDirectory>;
  beforeEach(() => (temporary = makeDirectory()));
  const add = async (
    directory: string,
    ...words: readonly string[]
  ): Promise<{ readonly code: number | null; readonly stderr: string }> =>
    runPegboard(['add', 'demo', '--config-path', directory, '--unpinned', '--isolate', ...words], {
      TMPDIR: temporary.path,
    });

  it('writes what the server asked for in a sandbox, hosts and paths of its arguments, once --yes agrees', async () => {
    const directory = makeDirectory();
    const data = makeDirectory({ 'a.txt': '' });
    const { code, stderr } = await add(
      directory.path,
      ...['--yes', '--', process.execPath, SERVER, data.path, '--file', data.at('a.txt')],
    );
    expect(code, stderr).equal(0);
    const { spec } = parse(readFileSync(directory.at('mcpservers/demo.yaml'), 'utf8')) as {
      readonly spec: JsonObject;
    };
    expect(spec['isolate']).equal('sandbox');
    expect(spec['grants']).deep.equal({
      network: ['first.invalid:443', 'second.invalid:443'],
      files: [SERVER, data.path, data.at('a.txt')].map((path) => ({ path, mode: 'ro' })),
      ...(process.getuid?.() === 0 && { processes: 0 }),
    });
    expect(readdirSync(temporary.path)).deep.equal([]);
  });

  it('adds nothing without leave, and grants neither the directories of Pegboard nor keys', async () => {
    const directory = makeDirectory({ 'secrets/x': '', 'state/y': '' });
    const { code, stderr } = await add(directory.path, '--', process.execPath, SERVER);
    expect(code).equal(1);
    expect(stderr).match(/first\.invalid:443[^]*nothing was added, as there is no terminal to ask on/);
    const data = makeDirectory({ id_rsa: '' });
    const kept = [directory.path, directory.at('state'), directory.at('secrets/x'), '/tmp'];
    for (const path of [...kept, data.at('id_rsa')]) {
      const refused = await add(directory.path, '--yes', '--', process.execPath, SERVER, path);
      expect([refused.code, refused.stderr.includes(`path: ${path}\n`)], refused.stderr).deep.equal([
        1,
        false,
      ]);
      expect(refused.stderr, path).contain('does not start in a sandbox');
    }
    expect(existsSync(directory.at('mcpservers/demo.yaml'))).equal(false);
  });

  const typed = (directory: string, home: string, ...words: readonly string[]): OnTerminal => {
    const env = { ...(process.env as Record<string, string>), TMPDIR: temporary.path, HOME: home };
    const before = ['add', 'demo', '--config-path', directory, '--unpinned', '--isolate', '--'];
    return onTerminal([...before, process.execPath, FAILING, ...words], { env });
  };

  it('proposes a path with which a server failed to a person, but none that holds keys, whatever it says', async () => {
    const real = makeDirectory({
      'home/.config/token': '',
      'home/.ssh/id_rsa': '',
      'home/work/a.txt': '',
      'gateway/secrets/x': '',
      'data/notes.txt': '',
      'data/tls.key': '',
    });
    for (const name of ['home', 'gateway']) symlinkSync(real.at(name), real.at(`to-${name}`));
    symlinkSync(real.at('home/.ssh'), real.at('data/link'));
    const own = ['home', 'home/.config', 'home/.config/token', 'home/.ssh', 'gateway', 'gateway/secrets/x'];
    const others = [...own, 'data/tls.key', 'data/link', 'data/link/id_rsa'].map((path) => real.at(path));
    const system = ['/', '/etc', '/etc/passwd', '/proc/1/environ', '/tmp', '/var/log', '/run'];
    const all = [real.at('data/notes.txt'), ...others, ...system, `${real.path}/data/../home/work`];
    const terminal = typed(
      real.at('to-gateway'),
      real.at('to-home'),
      Buffer.from(JSON.stringify(all)).toString('hex'),
    );
    await terminal.shows('Grant this?');
    const proposed = [...terminal.shown().matchAll(/path: (\S+)/g)].map(([, path]) => path);
    expect(new Set(proposed)).deep.equal(new Set([FAILING, real.at('data/notes.txt')]));
    terminal.type('y\r');
    await terminal.shows('starts in a sandbox with');
    await until(() => (terminal.shown().match(/Grant this\?/g) ?? []).length === 2);
    terminal.type('y\r');
    expect(await terminal.exited, terminal.shown()).equal(0);
    const { spec } = parse(readFileSync(real.at('gateway/mcpservers/demo.yaml'), 'utf8')) as {
      readonly spec: JsonObject;
    };
    expect((spec['grants'] as JsonObject)['files']).deep.equal([
      { path: FAILING, mode: 'ro' },
      { path: real.at('data/notes.txt'), mode: 'ro' },
    ]);
  });

  it('adds nothing that a person declines, and shows no control characters of the server', async () => {
    const [directory, data] = [makeDirectory(), makeDirectory({ 'notes.txt': '' })];
    const words = Buffer.from(JSON.stringify([data.at('notes.txt')])).toString('hex');
    const terminal = typed(directory.path, makeDirectory().path, words);
    await terminal.shows('Grant this?');
    terminal.type('n\r');
    expect(await terminal.exited).equal(1);
    expect(terminal.shown()).contain('nothing was added');
    const absent = Buffer.from(JSON.stringify(['/absent/x'])).toString('hex');
    const failed = typed(directory.path, makeDirectory().path, absent);
    expect(await failed.exited).equal(1);
    expect(failed.shown()).contain('does not start in a sandbox');
    for (const { shown } of [terminal, failed])
      for (const text of ['\u001b]0', '\u001b[2J', '\u202e', '\u0007']) expect(shown()).not.contain(text);
    expect(existsSync(directory.at('mcpservers'))).equal(false);
  });

  it('leaves no process and no file behind after Ctrl-C', async () => {
    const directory = makeDirectory();
    mkdirSync(directory.at('mcpservers'));
    const terminal = typed(directory.path, makeDirectory().path);
    await terminal.shows('trying demo in a sandbox');
    const running = (): readonly string[] =>
      readdirSync('/proc').filter((pid) => {
        if (!/^\d+$/.test(pid)) return false;
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(temporary.path);
        } catch {
          return false;
        }
      });
    await until(() => running().length > 1);
    terminal.type(CTRL_C);
    expect(await terminal.exited).not.equal(0);
    await until(() => running().length === 0);
    expect(readdirSync(temporary.path)).deep.equal([]);
    expect(readdirSync(directory.at('mcpservers'))).deep.equal([]);
  });

  it('is for servers that run here', async () => {
    const { code, stderr } = await add(makeDirectory().path, 'https://mcp.example.com/mcp');
    expect([code, stderr]).deep.equal([
      1,
      'pegboard: --isolate is for servers that Pegboard runs; a remote one runs elsewhere\n',
    ]);
  });
});
