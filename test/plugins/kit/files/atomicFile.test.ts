import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { expect } from 'chai';
import { createFile, replaceFile } from '../../../../plugins/kit/files/atomicFile.ts';
import { movableClock } from '../../../support/clock.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('atomicFile', () => {
  it('deletes old leftovers of a killed write, and nothing else', async () => {
    const { at, write } = makeDirectory();
    const names = ['.a.yaml.0123456789ab.tmp', '.b.yaml.0123456789ab.tmp', 'mine.tmp', '.a.yaml'];
    for (const name of names) write(name, 'half');
    for (const name of names) if (!name.startsWith('.b')) utimesSync(at(name), 0, 0);
    expect(await createFile(at('a.yaml'), 'whole')).equal(true);
    expect(names.filter((name) => existsSync(at(name)))).deep.equal(names.slice(1));
  });

  it('writes where the clock of the file system is an hour behind', async () => {
    movableClock().later(3_600_000);
    const { at } = makeDirectory({ a: 'one' });
    expect(await replaceFile(at('a'), 'one', 'two')).equal(true);
    expect(await createFile(at('b'), 'whole')).equal(true);
  });

  it('replaces only the expected content', async () => {
    const { at, write } = makeDirectory({ a: 'one' });
    expect(await replaceFile(at('a'), 'one', 'two')).equal(true);
    write('a', 'three');
    expect(await replaceFile(at('a'), 'two', 'four')).equal(false);
    expect(readFileSync(at('a'), 'utf8')).equal('three');
  });
});
