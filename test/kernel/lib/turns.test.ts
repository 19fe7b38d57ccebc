import { expect } from 'chai';
import { Turns } from '../../../kernel/lib/turns.ts';
import { turnsDuring } from '../../support/turns.ts';

describe('Turns', () => {
  function* counting(name: string, pieces: number, done: string[]): Generator<undefined, string> {
    for (let at = 1; at < pieces; at += 1) {
      done.push(`${name}${at}`);
      yield undefined;
    }
    done.push(`${name}${pieces}`);
    return name;
  }

  it('runs work in pieces to its end, one piece a turn, everybody in turn', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const { value, count } = await turnsDuring(() =>
      Promise.all(['a', 'b', 'c'].map((name, at) => turns.run(counting(name, 3 - at, done)))),
    );
    expect(value).to.deep.equal(['a', 'b', 'c']);
    expect(done).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(count).to.be.at.least(6);
  });

  it('runs nothing before the first turn, and hands on what work throws', async () => {
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
