import { expect } from 'chai';
import { Reloads } from '../../../../plugins/store-kubernetes/store/reloads.ts';
import { VirtualClock } from '../../../support/virtualClock.ts';

/** Changes every 10 ms for that time. @returns when each reload began */
async function reloadsDuring(burstMs: number, stopAtMs = Infinity): Promise<readonly number[]> {
  const clock = new VirtualClock();
  const begun: number[] = [];
  const reloads = new Reloads(() => Promise.resolve(begun.push(clock.now)));
  for (let at = 0; at <= burstMs; at += 10) {
    if (at >= stopAtMs) reloads.stop();
    reloads.request();
    await clock.run(at === burstMs ? 1_000 : 10);
  }
  return begun;
}

describe('store-kubernetes: reloads', () => {
  it('are one for changes that follow each other at once, soon after the last', async () => {
    expect(await reloadsDuring(0)).to.deep.equal([25]);
    expect(await reloadsDuring(100)).to.deep.equal([125]);
  });

  it('let no change wait for longer than 250 ms, however many follow', async () => {
    expect(await reloadsDuring(600)).to.deep.equal([250, 500, 625]);
  });

  it('end when the store stops, with those that wait', async () => {
    expect(await reloadsDuring(300, 10)).to.deep.equal([]);
  });
});
