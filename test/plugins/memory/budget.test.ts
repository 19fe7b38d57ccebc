import { expect } from 'chai';
import fc from 'fast-check';
import { GatewayError } from '../../../kernel/index.ts';
import { Budget } from '../../../plugins/memory/budget.ts';
import type { MemoryShare } from '../../../plugins/contracts/memory.ts';
import { defer } from '../../support/cleanup.ts';
import { callOf } from './calls.ts';

const MB = 1_000_000;

function budgetOf(maxBytes: number, waitMs = 60_000): Budget {
  const budget = new Budget(() => ({ maxBytes, waitMs }));
  defer(() => budget.close());
  return budget;
}
/** A share that has, or waits for, that many bytes. */
function shareOf(
  budget: Budget,
  owner: string,
  bytes: number,
): MemoryShare & { readonly isReady: () => boolean } {
  const share = budget.open('answer', owner);
  let isReady = share.size(bytes);
  if (!isReady)
    share.room().then(
      () => (isReady = true),
      () => undefined,
    );
  return { size: (next) => share.size(next), room: () => share.room(), isReady: () => isReady };
}
const turn = (): Promise<void> => new Promise(setImmediate);

describe('memory: the budget of large messages', () => {
  it('is by default a part of the heap that Node.js allows', () => {
    const budget = new Budget(() => ({ maxBytes: 0, waitMs: 1 }), 1_600 * MB);
    expect(budget.maxBytes).to.equal(100 * MB);
  });

  it('does not count small messages, also when it is full', () => {
    const budget = budgetOf(MB);
    shareOf(budget, 'a', 700_000);
    shareOf(budget, 'b', 300_000);
    expect(budget.open('request', 'c').size(65_536)).to.equal(true);
    expect(budget.used).to.equal(MB);
    expect(budget.open('request', 'c').size(65_537)).to.equal(false);
  });

  it('lets those that wait go on in their order, once others have ended', async () => {
    const budget = budgetOf(10 * MB);
    const first = shareOf(budget, 'a', 7 * MB);
    const large = shareOf(budget, 'b', 6 * MB);
    const small = shareOf(budget, 'c', MB);
    await turn();
    expect([large.isReady(), small.isReady()], 'the small one would fit').to.deep.equal([false, false]);
    first.size(0);
    await turn();
    expect([large.isReady(), small.isReady()]).to.deep.equal([true, true]);
    expect(budget.used).to.equal(7 * MB);
  });

  it('leaves a quarter to others, whatever one owner asks for', async () => {
    const budget = budgetOf(8 * MB);
    const own = [1, 2, 3, 4].map(() => shareOf(budget, 'greedy', 2 * MB));
    await turn();
    expect(own.map(({ isReady }) => isReady())).to.deep.equal([true, true, true, false]);
    const other = shareOf(budget, 'b', 2 * MB);
    await turn();
    expect(other.isReady(), 'does not wait behind the one that has had its share').to.equal(true);
  });

  it('refuses at once what can never fit, and says which numbers to change', async () => {
    const budget = budgetOf(8 * MB);
    const share = budget.open('request', 'a');
    expect(share.size(7 * MB)).to.equal(false);
    const error = await share.room().then(
      () => undefined,
      (refusal: unknown) => refusal as GatewayError,
    );
    expect(error?.code).to.equal('MEMORY_FULL');
    expect(error?.message).to.match(/7000000 bytes.*6000000.*plugins\.memory\.config\.maxBytes/);
    expect([...budget.refusals.samples()]).to.deep.equal([{ value: 1, labels: { use: 'request' } }]);
  });

  it('gives up after waitMs, in all waits together, and says when to try again', async () => {
    const budget = budgetOf(8 * MB, 30);
    shareOf(budget, 'a', 6 * MB);
    shareOf(budget, 'b', 2 * MB);
    const late = budget.open('answer', 'c');
    expect(late.size(MB)).to.equal(false);
    const error = await late.room().then(
      () => undefined,
      (refusal: unknown) => refusal as GatewayError,
    );
    expect(error?.code).to.equal('MEMORY_FULL');
    expect(error?.details.retryAfter).to.equal(1);
    expect(budget.used).to.equal(8 * MB);
    expect([...budget.waits.samples()]).to.deep.equal([{ value: 1, labels: { use: 'answer' } }]);
  });

  it('lets a stream that waited in vain wait again only once a message has had room', async () => {
    const budget = budgetOf(8 * MB, 200);
    const other = shareOf(budget, 'a', 6 * MB);
    shareOf(budget, 'b', 2 * MB);
    const line = budget.open('answer', 'server s');
    const waitsFor = async (): Promise<number> => {
      const since = performance.now();
      expect(line.size(MB)).to.equal(false);
      expect(await line.room().catch((error: unknown) => (error as GatewayError).code)).to.equal(
        'MEMORY_FULL',
      );
      line.size(0);
      return performance.now() - since;
    };
    expect(await waitsFor()).above(190);
    expect(await waitsFor(), 'others are behind it').below(100);
    other.size(0);
    expect(line.size(MB)).to.equal(true);
    line.size(0);
    other.size(6 * MB);
    expect(await waitsFor()).above(190);
  });

  it('counts a result until the meta-tool above its call has settled, for the owner of the call', () => {
    const budget = budgetOf(8 * MB);
    const { meta, inner } = callOf('alice');
    budget.hold(inner, 4 * MB);
    budget.hold(inner, 1_000);
    expect(budget.used).to.equal(4 * MB);
    budget.settled(inner);
    expect(budget.used, 'the meta-tool stores it').to.equal(4 * MB);
    budget.settled(meta);
    expect(budget.used).to.equal(0);
    const late = callOf('alice');
    late.meta.cancel.cancel('the client left');
    budget.hold(late.inner, 4 * MB);
    expect(budget.used, 'no client waits for it').to.equal(0);
    const { step } = callOf('alice');
    budget.hold(step, 4 * MB);
    budget.settled(step);
    expect(budget.used, 'the run counts what it keeps').to.equal(0);
  });

  it('lets the oldest go on if all that have begun wait for one another', async () => {
    const budget = budgetOf(8 * MB);
    const owners = ['a', 'b', 'c', 'd'];
    const shares = owners.map((owner) => shareOf(budget, owner, 2 * MB));
    const grown = shares.map((share) => {
      let isThrough = share.size(3 * MB);
      share.room().then(
        () => (isThrough = true),
        () => undefined,
      );
      return { share, isThrough: () => isThrough };
    });
    await turn();
    expect(grown.map(({ isThrough }) => isThrough())).to.deep.equal([true, false, false, false]);
    // It is still the oldest: with turns, each would get a part and none its end.
    expect(shares[0]?.size(4 * MB)).to.equal(false);
    await shares[0]?.room();
    expect(grown.map(({ isThrough }) => isThrough())).to.deep.equal([true, false, false, false]);
    shares[0]?.size(0);
    await turn();
    expect(grown.map(({ isThrough }) => isThrough())).to.deep.equal([true, true, true, false]);
  });

  it('lets everything go on when it ends, and after a reload with more', async () => {
    let maxBytes = 2 * MB;
    const budget = new Budget(() => ({ maxBytes, waitMs: 60_000 }));
    shareOf(budget, 'a', MB);
    shareOf(budget, 'c', MB);
    const [one, other] = [shareOf(budget, 'b', MB), shareOf(budget, 'b', MB)];
    maxBytes = 3 * MB;
    budget.resized();
    await turn();
    expect([one.isReady(), other.isReady()]).to.deep.equal([true, false]);
    budget.close();
    await turn();
    expect(other.isReady()).to.equal(true);
    expect(other.size(9 * MB), 'the plugin is gone').to.equal(true);
  });

  it('never counts more than the bound and one message, and nothing once all have ended', async () => {
    const steps = fc.array(
      fc.record({ at: fc.nat({ max: 7 }), bytes: fc.integer({ min: 0, max: 6 * MB }) }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const budget = budgetOf(8 * MB);
        const shares = Array.from({ length: 8 }, (_, at) => budget.open('answer', `owner ${at % 3}`));
        for (const { at, bytes } of all) {
          const share = shares[at];
          if (share?.size(bytes) === false) void share.room().catch(() => undefined);
          await Promise.resolve();
          expect(budget.used).to.be.within(0, 8 * MB + 6 * MB);
        }
        for (const share of shares) share.size(0);
        expect(budget.used).to.equal(0);
      }),
    );
  });
});
