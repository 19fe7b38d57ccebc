import { expect } from 'chai';
import { singleFlight } from '../../../kernel/lib/singleFlight.ts';
import { gate } from '../../support/until.ts';

/** Work that ends on demand; counts concurrent runs. */
function makeWork() {
  const gates: ReturnType<typeof gate>[] = [];
  const facts = { running: 0, most: 0, runs: 0 };
  const work = async (): Promise<number> => {
    const run = (facts.runs += 1);
    facts.running += 1;
    facts.most = Math.max(facts.most, facts.running);
    const own = gate();
    gates.push(own);
    await own.opened;
    facts.running -= 1;
    return run;
  };
  return { work, facts, finish: () => gates.shift()!.open() };
}

describe('singleFlight', () => {
  it('serves a call made during a run by the one run that begins after it', async () => {
    const { work, facts, finish } = makeWork();
    const fly = singleFlight(work);
    const first = fly();
    const joined = [fly(), fly(), fly()];
    finish();
    expect(await first).to.equal(1);
    await Promise.resolve();
    finish();
    expect(await Promise.all(joined)).to.deep.equal([2, 2, 2]);
    expect(facts).to.deep.equal({ running: 0, most: 1, runs: 2 });
  });

  it('begins at once when nothing runs', async () => {
    const { work, finish } = makeWork();
    const fly = singleFlight(work);
    for (const run of [1, 2]) {
      const flight = fly();
      finish();
      expect(await flight).to.equal(run);
    }
  });

  it('runs one at a time when calls arrive in the moment a run ends', async () => {
    let running = 0;
    let most = 0;
    const fly = singleFlight(async () => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
    });
    const storm = async (): Promise<void> => {
      for (let at = 0; at < 50; at += 1) await fly();
    };
    await Promise.all([storm(), storm(), storm()]);
    expect(most).to.equal(1);
  });

  it('runs the next although the run before failed, and settles each call with its own outcome', async () => {
    let runs = 0;
    const fly = singleFlight(async () => {
      await Promise.resolve();
      if ((runs += 1) === 1) throw new Error('first');
      return runs;
    });
    const [first, second] = await Promise.allSettled([fly(), fly()]);
    expect(first.status).to.equal('rejected');
    expect(second).to.deep.equal({ status: 'fulfilled', value: 2 });
  });
});
