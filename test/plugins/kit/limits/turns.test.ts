import { expect } from 'chai';
import { Turns } from '../../../../plugins/kit/limits/turns.ts';
import { turnCounter, turnsDuring } from '../../../support/turns.ts';

describe('Turns', () => {
  function* counting(name: string, pieces: number, done: string[]): Generator<undefined, string> {
    for (let at = 1; at < pieces; at += 1) {
      done.push(`${name}${at}`);
      yield undefined;
    }
    done.push(`${name}${pieces}`);
    return name;
  }

  it('runs work in pieces to its end, one piece a turn, all workers in turn', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const { value, count } = await turnsDuring(() =>
      Promise.all(['a', 'b', 'c'].map((name, at) => turns.run(counting(name, 3 - at, done)))),
    );
    expect(value).to.deep.equal(['a', 'b', 'c']);
    expect(done).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(count).to.be.at.least(6);
  });

  it('is due once a turn has lasted, for all workers in it, and each then waits for a turn of its own', async () => {
    let now = 0;
    const turns = new Turns(() => now);
    const turn = turnCounter();
    const went: string[] = [];
    const lane = async (name: string, ms: number): Promise<void> => {
      while (turns.isDue) await turns.next();
      went.push(`${name} in ${turn()}`);
      now += ms;
    };
    await Promise.all([lane('a', 4), lane('b', 5), lane('c', 90), lane('d', 90), lane('e', 1)]);
    expect(went).to.deep.equal(['a in 0', 'b in 0', 'c in 0', 'd in 1', 'e in 2']);
    await new Promise((resolve) => setImmediate(resolve));
    now += 1_000;
    expect(turns.isDue).to.equal(false);
    now += 10;
    expect(turns.isDue).to.equal(true);
  });

  it('runs nothing before the first turn, and passes on errors of the work', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const work = turns.run(counting('a', 1, done));
    expect(done).to.deep.equal([]);
    await work;
    const failing = {
      next: () => {
        throw new Error('broken');
      },
    };
    const error = await turns.run(failing).catch((cause: unknown) => cause);
    expect(error).to.have.property('message', 'broken');
    await turns.next();
  });
});
