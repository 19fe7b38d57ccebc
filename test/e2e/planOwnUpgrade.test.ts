import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { packedFolder, tarball } from '../support/packed.ts';
import { runPegboard } from '../support/serve.ts';

/** The tarball of a later version, in which a key is gone. */
function laterVersion(): string {
  const folder = makeDirectory();
  const at = (path: string): string => join(folder.at('package'), path);
  cpSync(packedFolder(), folder.at('package'), { recursive: true });
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(at(path), change(readFileSync(at(path), 'utf8')));
  edit('package.json', (text) => text.replace('"version": "0.1.0"', '"version": "0.2.0"'));
  edit('CHANGELOG.md', (text) => text.replace('## 0.1.0', '## 0.2.0 (2027-01-31)\n\n- Gone.\n\n## 0.1.0'));
  const isSource = (path: string): boolean => /\.(?:js|schema\.json)$/.test(path);
  for (const path of readdirSync(folder.at('package'), { recursive: true, encoding: 'utf8' }).filter(
    isSource,
  ))
    edit(path, (text) => text.replaceAll('answerWithinMs', 'waitMs'));
  execFileSync('tar', ['-czf', 'later.tgz', 'package'], { cwd: folder.path });
  return folder.at('later.tgz');
}

describe('e2e: pegboard upgrade --plan', function () {
  this.timeout(120_000);

  const plan = (wanted: string, config: string, ...more: readonly string[]) => {
    const directory = makeDirectory({ 'config.yaml': config });
    return runPegboard(['upgrade', '--plan', wanted, '--config-path', directory.path, ...more]);
  };

  it('shows the changelog between the versions, and what only the other one refuses', async () => {
    const config =
      'aggregator: { localToken: yes please }\nplugins: { core-config: { config: { answerWithinMs: 5 } } }\n';
    const { code, stdout, stderr } = await plan(laterVersion(), config);
    expect(code, stderr).equal(1);
    expect(stdout)
      .match(/^## 0\.2\.0 \(2027-01-31\)\n\n- Gone\.\n/)
      .and.not.include('## 0.1.0');
    expect(stdout).match(
      /0\.2\.0 finds in .* what 0\.1\.0 does not: 1\n.*config\.yaml:2:\d+: .*answerWithinMs/,
    );
    expect(stdout).not.include('yes please');
  });

  it('has no changes to the version that runs, as data too, and refuses what is not Pegboard', async () => {
    const same = await plan(tarball(), '', '-o', 'json');
    expect(same.code, same.stderr).equal(0);
    expect(JSON.parse(same.stdout)).deep.equal({ from: '0.1.0', to: '0.1.0', changelog: '', issues: [] });
    const other = makeDirectory({ 'package/package.json': '{"name":"other","version":"1.0.0"}' });
    execFileSync('tar', ['-czf', 'other.tgz', 'package'], { cwd: other.path });
    const refused = await plan(other.at('other.tgz'), '');
    expect(refused.code).equal(1);
    expect(refused.stderr).include('is not Pegboard');
    const missing = await plan('/nowhere.tgz', '');
    expect(missing.stderr).include('npm cannot fetch /nowhere.tgz');
  });
});
