import { expect } from 'chai';
import { StartQueue } from '../../../../plugins/upstream/connection/startQueue.ts';
import type { StartTurn } from '../../../../plugins/upstream/connection/startQueue.ts';
import { until } from '../../../support/until.ts';

const NEVER_MS = 3_600_000;

describe('upstream: the order in which servers start', () => {
  let begun: string[];
  beforeEach(() => (begun = []));
  const join = (queue: StartQueue, ...names: readonly string[]): readonly StartTurn[] =>
    names.map((name) => {
      const turn = queue.turn();
      void turn.come.then(() => begun.push(name));
      return turn;
    });
  const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('starts a limited number at a time, in order of arrival, and the next when one has ended', async () => {
    const [first, second] = join(new StartQueue(() => 2, NEVER_MS), 'a', 'b', 'c', 'd');
    await nextTick();
    expect(begun).deep.equal(['a', 'b']);
    second?.end();
    second?.end();
    await nextTick();
    expect(begun).deep.equal(['a', 'b', 'c']);
    first?.end();
    await nextTick();
    expect(begun).deep.equal(['a', 'b', 'c', 'd']);
  });

  it('skips a server that left the queue', async () => {
    const [first, second] = join(new StartQueue(() => 1, NEVER_MS), 'a', 'b', 'c');
    second?.end();
    await nextTick();
    expect(begun).deep.equal(['a', 'b']);
    first?.end();
    await nextTick();
    expect(begun).deep.equal(['a', 'b', 'c']);
  });

  it('starts the next when one takes long', async () => {
    join(new StartQueue(() => 1, 1), 'a', 'b', 'c');
    await until(() => begun.length === 3, { what: 'all' });
    expect(begun).deep.equal(['a', 'b', 'c']);
  });

  it('starts all servers once it is open', async () => {
    const queue = new StartQueue(() => 1, NEVER_MS);
    join(queue, 'a', 'b');
    queue.open();
    join(queue, 'c');
    await nextTick();
    expect(begun).deep.equal(['a', 'b', 'c']);
  });
});
