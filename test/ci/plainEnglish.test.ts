import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { packageFile } from 'pegboard';

describe('Plain English', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'english-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  /** The lines with findings in a source of these lines. */
  function found(...lines: readonly string[]): readonly number[] {
    writeFileSync(join(folder, 'one.ts'), lines.map((line) => `${line}\nexport {};\n`).join(''));
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(packageFile('.ci/plainEnglish.mjs')), folder],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).to.equal('');
    return [...stdout.matchAll(/^one\.ts:(\d+):/gm)].map(([, line]) => (Number(line) + 1) / 2);
  }

  it('refuses a docstring that is a bare preposition with its noun', () => {
    const fragments = [
      '/** For the log. */',
      '/** In ms since 1970, by the clock. */',
      '/** In apply() only. @throws Error */',
      '/** For tests: the address. */',
      '/** After 1.5 times that it ends. */',
      '/** Of the client, or of its server. */',
    ];
    expect(found(...fragments)).to.deep.equal([1, 3, 4, 5, 6]);
  });

  it('takes a sentence, a noun phrase, and a sentence after a clause', () => {
    const sentences = [
      '/** Time in ms since 1970. */',
      '/** The words for the log. */',
      '/** After a start, a process waits. */',
      '/** At most one at a time. */',
      '// For the log.',
    ];
    expect(found(...sentences)).to.deep.equal([]);
  });

  it('refuses turns of phrase that have to be read twice', () => {
    expect(found('/** The server hardly answers. */')).to.deep.equal([1]);
  });
});
