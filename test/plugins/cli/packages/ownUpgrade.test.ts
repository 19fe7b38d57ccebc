import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { startPackageRegistry } from '../../../support/packageRegistry.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';

describe('pegboard upgrade --plan', function () {
  this.timeout(60_000);

  const words = (plan: string): readonly string[] => [
    ...['upgrade', '--plan', plan],
    ...['--config-path', makeDirectory({ 'config.yaml': '' }).path],
  ];

  it('takes a tag as one of Pegboard, and not as the name of the package of another', async () => {
    const registry = await startPackageRegistry();
    registry.npm.push({ name: 'next', version: '1.0.0', archive: Buffer.from('x') });
    for (const plan of ['next', 'pegboard@next', '1.2.0']) {
      const { code, stderr } = await typeVerb(words(plan), registry.env);
      expect(code).equal(1);
      expect(stderr).include(`npm cannot fetch pegboard@${plan.replace('pegboard@', '')}: `);
    }
    expect(new Set(registry.asked)).deep.equal(new Set(['/npm/pegboard']));
  });

  it('refuses folders, git and other packages before npm is asked', async () => {
    for (const plan of [
      './folder',
      'git+ssh://example.com/a',
      'acme/pegboard',
      '@acme/pegboard',
      'notes@1.0.0',
    ])
      expect((await typeVerb(words(plan))).stderr).include(`--plan is ${plan}; name a version`);
  });

  it('connects to no machine that the name in a tarball is like', async () => {
    const folder = makeDirectory({ 'package/package.json': '{"name":"machine:x","version":"1.0.0"}' });
    execFileSync('tar', ['-czf', 'other.tgz', 'package'], { cwd: folder.path });
    const { stderr } = await typeVerb(words(folder.at('other.tgz')));
    expect(stderr).include('is not Pegboard; name its tarball');
  });

  it('leaves nothing behind once it is interrupted', async () => {
    const registry = await startPackageRegistry();
    const temporary = makeDirectory();
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = temporary.path;
    try {
      const typing = typeAtTerminal(words('1.0.0'), registry.env);
      await typing.shows(/(fetching) pegboard@1\.0\.0/);
      typing.cancel.cancel('SIGINT');
      expect((await typing.ended).code).not.equal(0);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(readdirSync(temporary.path).filter((name) => name.startsWith('pegboard-upgrade-'))).deep.equal([]);
  });
});
