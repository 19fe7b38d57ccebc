import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError, messageOf } from '../../../../../kernel/index.ts';
import type { JsonObject } from '../../../../../kernel/index.ts';
import { Listening } from '../../../../../plugins/upstream/client/conversation/listening.ts';
import type { ListeningParts } from '../../../../../plugins/upstream/client/conversation/listening.ts';
import { heldTimers } from '../../../../support/heldTimers.ts';
import type { HeldTimers } from '../../../../support/heldTimers.ts';
import { captureLog } from '../../../../support/log.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const WAITS = { resumeMs: 100, maxResumeMs: 400, minResumeMs: 1 };
const GONE = new GatewayError('UPSTREAM_CLOSED', 'gone');

describe('upstream: the subscription of a server', () => {
  let timers: HeldTimers;
  let listening: Listening;
  /** The requests sent so far: the function that ends one as its server would, and whether it was ended from here. */
  let sent: { readonly lose: () => void; isEnded: boolean }[];
  let missed: number;
  beforeEach(() => {
    timers = heldTimers();
    sent = [];
    missed = 0;
    const stand: ListeningParts['requests']['stand'] = (_, { reject }) => {
      const one = { lose: () => reject(GONE), isEnded: false };
      sent.push(one);
      return { id: sent.length, end: () => void (one.isEnded = true) };
    };
    listening = new Listening({
      server: 's',
      requests: { stand },
      log: captureLog(),
      timeoutMs: () => 1_000,
      waits: () => WAITS,
      wantsLists: true,
      uris: () => [],
      missed: () => void (missed += 1),
    });
  });
  afterEach(() => listening.end());

  const begin = (): void => listening.begin({ tools: { listChanged: true } });
  /** Acknowledges the last request, as the server does. */
  const acknowledge = (): void =>
    listening.acknowledged({ _meta: { [SUBSCRIPTION_KEY]: sent.length }, notifications: {} });
  /** After that time, and just before it, how many requests were sent. */
  const sentAfter = async (ms: number): Promise<readonly number[]> => {
    timers.pass(ms - 1);
    await nextTurn();
    const before = sent.length;
    timers.pass(1);
    await nextTurn();
    return [before, sent.length];
  };

  it('begins again after growing waits if each ends at once, and what was missed is read again', async () => {
    begin();
    for (const [at, ms] of [100, 200, 400, 400].entries()) {
      acknowledge();
      sent.at(-1)?.lose();
      expect(await sentAfter(ms), `${ms} ms`).deep.equal([at + 1, at + 2]);
      expect(missed).equal(at);
    }
  });

  it('begins again after growing waits if none is acknowledged', async () => {
    begin();
    for (const [at, ms] of [100, 200, 400, 400].entries()) {
      timers.pass(1_000);
      expect(sent.at(-1)?.isEnded).equal(true);
      expect(await sentAfter(ms), `${ms} ms`).deep.equal([at + 1, at + 2]);
    }
  });

  it('is replaced once for all who want more before it is acknowledged, however many there are', async () => {
    begin();
    const updates: Promise<JsonObject>[] = [];
    for (let at = 0; at < 100; at += 1) {
      updates.push(listening.update());
      await nextTurn();
    }
    expect(sent.map(({ isEnded }) => isEnded)).deep.equal([false]);
    acknowledge();
    expect(sent.map(({ isEnded }) => isEnded)).deep.equal([false, false]);
    acknowledge();
    expect(await Promise.all(updates)).deep.equal(updates.map(() => ({})));
    expect(sent.map(({ isEnded }) => isEnded)).deep.equal([true, false]);
    expect(await sentAfter(1_000)).deep.equal([2, 2]);
  });

  it('is asked for again at once for those who wait when the server ends it', async () => {
    begin();
    const update = listening.update();
    await nextTurn();
    sent[0]?.lose();
    acknowledge();
    expect([await update, sent.length, missed]).deep.equal([{}, 2, 1]);
  });

  it('keeps the former one until the next is acknowledged, and leaves it if that ends before', async () => {
    begin();
    acknowledge();
    const update = listening.update();
    await nextTurn();
    expect(sent[0]?.isEnded).equal(false);
    sent[0]?.lose();
    acknowledge();
    expect([await update, missed]).deep.equal([{}, 1]);
    expect(await sentAfter(1_000)).deep.equal([2, 2]);
  });

  it('keeps the former one if the server refuses the next', async () => {
    begin();
    acknowledge();
    const update = listening.update().catch((error: unknown) => error);
    await nextTurn();
    sent[1]?.lose();
    expect(await update).equal(GONE);
    expect(sent[0]?.isEnded).equal(false);
    expect(await sentAfter(1_000)).deep.equal([2, 2]);
  });

  it('ends with the connection, and who waits is refused', async () => {
    begin();
    acknowledge();
    const update = listening.update().catch(messageOf);
    await nextTurn();
    const late = listening.update().catch(messageOf);
    listening.end();
    expect(await Promise.all([update, late])).deep.equal([
      'the connection to the server ended',
      'the connection to the server ended',
    ]);
    expect(sent.every(({ isEnded }) => isEnded)).equal(true);
    expect(await sentAfter(1_000)).deep.equal([2, 2]);
  });

  it('is not confirmed by an acknowledgement of another one', async () => {
    begin();
    acknowledge();
    const update = listening.update().catch(messageOf);
    await nextTurn();
    listening.acknowledged({ _meta: { [SUBSCRIPTION_KEY]: 1 }, notifications: {} });
    listening.acknowledged({});
    listening.acknowledged({ _meta: { [SUBSCRIPTION_KEY]: { toString: 2 } } });
    timers.pass(1_000);
    expect(await update).equal('server s did not acknowledge subscriptions/listen');
  });
});
