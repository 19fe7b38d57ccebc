import { expect } from 'chai';
import { Subscriptions } from '../../../../plugins/front/client/subscriptions.ts';
import type { SubscriptionLimits } from '../../../../plugins/front/client/subscriptions.ts';

interface Begun {
  readonly updated: () => void;
  isEnded: boolean;
}

describe('front: subscriptions of sessions', () => {
  let begun: Begun[];
  let told: string[];
  let subscriptions: Subscriptions;
  let limits: SubscriptionLimits;
  beforeEach(() => {
    limits = {
      maxSubscriptions: 1,
      maxWatchingSessions: 1,
      subscriptionIdleMs: 60_000,
      listChangedMs: 1_000,
    };
    begun = [];
    told = [];
    subscriptions = new Subscriptions(
      () => limits,
      (sessionId, uri) => told.push(`${sessionId} ${uri}`),
      () => 0,
    );
  });
  afterEach(() => subscriptions.stop());

  const begin = (updated: () => void): Promise<() => void> => {
    const one: Begun = { updated, isEnded: false };
    begun.push(one);
    return Promise.resolve(() => void (one.isEnded = true));
  };

  it('are renewed when they are requested again, because the former server may be gone', async () => {
    await subscriptions.add('s', 'a://b', begin);
    await subscriptions.add('s', 'a://b', begin);
    expect(begun.map(({ isEnded }) => isEnded)).deep.equal([true, false]);
    begun[1]!.updated();
    expect(told).deep.equal(['s a://b']);
    subscriptions.remove('s', 'a://b');
    expect(begun.map(({ isEnded }) => isEnded)).deep.equal([true, true]);
  });

  it('leave nothing behind when the renewal fails', async () => {
    await subscriptions.add('s', 'a://b', begin);
    const refused = await subscriptions
      .add('s', 'a://b', () => Promise.reject(new Error('gone')))
      .catch((error: unknown) => (error as Error).message);
    expect(refused).equal('gone');
    expect(begun[0]!.isEnded).equal(true);
    await subscriptions.add('s', 'another://one', begin);
    expect(begun).have.length(2);
  });

  it('are refused to one session too many, and accepted once there is room', async () => {
    await subscriptions.add('s', 'a://b', begin);
    const refused = await subscriptions.add('t', 'a://b', begin).catch((error: unknown) => error as Error);
    expect(refused).property('message').include('1 sessions watch resources already');
    subscriptions.remove('s', 'a://b');
    await subscriptions.add('t', 'a://b', begin);
    expect(begun).have.length(2);
  });

  it('are unreachable when their session has been without a stream for a while', async () => {
    limits = { ...limits, maxWatchingSessions: 2 };
    await subscriptions.add('s', 'a://b', begin);
    await subscriptions.add('t', 'a://b', begin);
    limits = { ...limits, subscriptionIdleMs: -1 };
    expect(subscriptions.unreachable((id) => id === 's')).deep.equal(['t']);
    expect(subscriptions.unreachable(() => false)).deep.equal(['s', 't']);
  });
});
