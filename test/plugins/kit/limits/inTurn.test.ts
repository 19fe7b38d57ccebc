import { expect } from 'chai';
import { inTurn } from '../../../../plugins/kit/limits/inTurn.ts';

describe('inTurn', () => {
  it('runs work one piece after another, also after a failure, and returns each outcome', async () => {
    const queued = inTurn();
    const steps: string[] = [];
    const work =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        steps.push(`${name} begins`);
        await Promise.resolve();
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const all = await Promise.allSettled([queued(work('a')), queued(work('b', true)), queued(work('c'))]);
    expect(steps).deep.equal(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(all.map(({ status }) => status)).deep.equal(['fulfilled', 'rejected', 'fulfilled']);
  });
});
