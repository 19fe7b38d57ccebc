import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { releaseLock, takeLock } from '../../../plugins/cli/fileLock.ts';
import { makeDirectory } from '../../support/directory.ts';

const DEAD = 2_147_483_646;

describe('plugins/cli: fileLock', () => {
  it('gives the lock to one of many, and to the next after it', async () => {
    const folder = makeDirectory();
    const takers = await Promise.all(Array.from({ length: 20 }, () => takeLock(folder.at('lock'))));
    expect(takers.filter((holder) => holder === undefined)).length(1);
    expect(takers.filter((holder) => holder === process.pid)).length(19);
    await releaseLock(folder.at('lock'));
    expect(await takeLock(folder.at('lock'))).equal(undefined);
    expect(readdirSync(folder.path)).deep.equal(['lock']);
  });

  it('gives the lock of a dead process to one of many', async () => {
    const folder = makeDirectory();
    for (let round = 0; round < 40; round += 1) {
      writeFileSync(folder.at('lock'), String(DEAD));
      const takers = await Promise.all(Array.from({ length: 20 }, () => takeLock(folder.at('lock'))));
      expect(takers.filter((holder) => holder === undefined)).length(1);
      await releaseLock(folder.at('lock'));
    }
    expect(readdirSync(folder.path)).deep.equal([]);
  });

  it('gives it also if a process has died while it took it over', async () => {
    const folder = makeDirectory();
    writeFileSync(folder.at('lock'), String(DEAD));
    writeFileSync(folder.at('lock.takeover'), String(DEAD));
    const takers = await Promise.all(Array.from({ length: 10 }, () => takeLock(folder.at('lock'))));
    expect(takers.filter((holder) => holder === undefined)).length(1);
    expect(readdirSync(folder.path)).deep.equal(['lock']);
  });

  it('takes a lock that is older than allowed, also from a process that runs', async () => {
    const folder = makeDirectory();
    writeFileSync(folder.at('lock'), `${process.pid} x`);
    const hourAgo = Date.now() / 1_000 - 3_600;
    utimesSync(folder.at('lock'), hourAgo, hourAgo);
    expect(await takeLock(folder.at('lock'))).equal(process.pid);
    expect(await takeLock(folder.at('lock'), 60_000)).equal(undefined);
  });
});
