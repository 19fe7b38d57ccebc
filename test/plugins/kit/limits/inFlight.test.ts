import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { InFlight } from '../../../../plugins/kit/limits/inFlight.ts';
import { NODE_FLAGS, moduleAt } from '../../../support/programs.ts';

const MODULE = moduleAt('plugins/kit/limits/inFlight.ts');
/** 32 entries of 10 kB at a time, 20,000 in all, beginning in the old generation. */
const CHURN = `
  const { InFlight } = await import(${JSON.stringify(MODULE)});
  const flying = new InFlight();
  const take = () => flying.add((number) => ({ number, load: new Array(1_250).fill(number) })).number;
  for (let n = 0; n < 32; n += 1) take();
  gc();
  console.log('churn');
  for (let n = 0; n < 20_000; n += 1) flying.delete(take() - 32);
`;

describe('InFlight', () => {
  it('numbers its entries, returns them in that order, and forgets removed ones', () => {
    const flying = new InFlight<string>();
    for (const name of ['a', 'b', 'c']) flying.add((number) => `${name}${number}`);
    expect(flying.delete(2)).to.equal(true);
    expect(flying.delete(2)).to.equal(false);
    expect(flying.add((number) => `d${number}`)).to.equal('d4');
    expect(flying.values()).to.deep.equal(['a1', 'c3', 'd4']);
    expect([flying.get(3), flying.get(2), flying.get(Number.NaN), flying.size]).to.deep.equal([
      'c3',
      undefined,
      undefined,
      3,
    ]);
  });

  it('holds any number of entries at once, also some that stay very long', () => {
    const flying = new InFlight<number>();
    const stays = (number: number): boolean => number % 100 === 0;
    for (let n = 1; n <= 2_000; n += 1) {
      flying.put(n * 7, n);
      if (n > 300 && !stays(n - 300)) expect(flying.delete((n - 300) * 7)).equal(true);
    }
    const left = Array.from({ length: 2_000 }, (_, at) => at + 1).filter((n) => n > 1_700 || stays(n));
    expect(flying.values()).deep.equal(left);
    expect(flying.size).equal(left.length);
    expect(left.map((n) => flying.get(n * 7))).deep.equal(left);
    for (const n of left) expect(flying.delete(n * 7)).equal(true);
    expect([flying.size, flying.values()]).deep.equal([0, []]);
  });

  it('leaves nothing behind that only a major collection can free', () => {
    const args = [...NODE_FLAGS, '--expose-gc', '--trace-gc', '--input-type=module', '--eval', CHURN];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const [, churn = stderr] = stdout.split('churn\n');
    expect(churn).to.include('Scavenge').and.not.to.include('Mark-Compact');
  });
});
