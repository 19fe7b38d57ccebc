import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { SharedRendering } from '../../../../plugins/metrics/exporters/sharedRendering.ts';

/** Counts its renderings; each keeps the process busy for so long. */
function renderingOf(busyMs: number) {
  let count = 0;
  const rendering = new SharedRendering(() => {
    count += 1;
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    return Promise.resolve(count);
  });
  return { rendering, count: () => count };
}

describe('a rendering for scrapers', () => {
  it('is one for all who ask before it begins, and a new one for who asks later', async () => {
    const { rendering } = renderingOf(0);
    expect(await Promise.all([rendering.get(), rendering.get(), rendering.get()])).deep.equal([1, 1, 1]);
    expect(await rendering.get()).equal(2);
  });

  it('leaves half of the time to others, however many ask', async () => {
    const { rendering, count } = renderingOf(20);
    await rendering.get();
    const begun = performance.now();
    const answers: Promise<number>[] = [];
    while (performance.now() < begun + 200) {
      answers.push(rendering.get());
      await nextTurn();
    }
    await Promise.all(answers);
    expect(answers.length).above(count());
    expect(count() * 40).most(performance.now() - begun + 2 * 40);
  });

  it('fails for those who share it, and is tried again for the next', async () => {
    let count = 0;
    const rendering = new SharedRendering(() => {
      count += 1;
      return count === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(count);
    });
    const failed = await Promise.allSettled([rendering.get(), rendering.get()]);
    expect(failed.map(({ status }) => status)).deep.equal(['rejected', 'rejected']);
    expect(await rendering.get()).equal(2);
  });
});
