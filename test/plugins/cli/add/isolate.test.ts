import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { runPegboard } from '../../../support/serve.ts';
import { ROOT } from '../../../support/sources.ts';

const SERVER = join(ROOT, 'test/plugins/isolate/fixtures/asking.mjs');

describe('pegboard add --isolate', function () {
  this.timeout(60_000);
  before(function () {
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    if (process.platform !== 'linux' || !folders.some((at) => existsSync(join(at, 'bwrap')))) this.skip();
  });

  const add = async (
    directory: string,
    ...words: readonly string[]
  ): Promise<{ readonly code: number | null; readonly stderr: string }> =>
    runPegboard(['add', 'demo', '--config-path', directory, '--unpinned', '--isolate', ...words], {});

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
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('pegboard-add-'))).deep.equal([]);
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

  it('is for servers that run here', async () => {
    const { code, stderr } = await add(makeDirectory().path, 'https://mcp.example.com/mcp');
    expect([code, stderr]).deep.equal([
      1,
      'pegboard: --isolate is for servers that Pegboard runs; a remote one runs elsewhere\n',
    ]);
  });
});
