import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { EndedSessions } from '../../../../plugins/front/session/endedSessions.ts';
import type { EndLimits } from '../../../../plugins/front/session/endedSessions.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { heapUsed } from '../../../support/heap.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { captureLog } from '../../../support/log.ts';
import type { CapturedLog } from '../../../support/log.ts';
import { until } from '../../../support/until.ts';

const DAY = 86_400_000;
const BEGUN = Date.parse('2026-02-03T10:00:00Z');
const LIMITS = { sessionTtlSeconds: 30 * 86_400, maxEndedSessions: 100_000 };

interface Some {
  readonly id: string;
  readonly subject: string | undefined;
  readonly createdAt: number;
}
function session(subject?: string, createdAt = BEGUN): Some {
  return { id: randomUUID(), subject, createdAt };
}
function sessions(count: number, subject?: string): readonly Some[] {
  return Array.from({ length: count }, () => session(subject));
}

describe('front: ended sessions', () => {
  let path: string;
  let log: CapturedLog;
  beforeEach(() => {
    ({ path } = makeDirectory());
    log = captureLog();
  });
  const open = (now = BEGUN, change: Partial<EndLimits> = {}, directory: string | undefined = path) => {
    const ended = new EndedSessions(directory, () => ({ ...LIMITS, ...change }), log);
    ended.load(now);
    return ended;
  };
  const folder = (): string => `${path}/sessions-ended`;
  const text = (day: string): string => readFileSync(`${folder()}/${day}`, 'latin1');

  it('take effect at once, and are on disk, readable by their owner alone, when the end is acknowledged', async () => {
    const [ended, one] = [open(), session()];
    const end = ended.add(one);
    expect(ended.has(one)).equal(true);
    await end;
    expect(open().has(one)).equal(true);
    expect([folder(), `${folder()}/2026-02-03`].map((at) => statSync(at).mode & 0o777)).deep.equal([
      0o700, 0o600,
    ]);
  });

  it('occupy 23 bytes in the file of the day on which they began, or 40 with a caller', async () => {
    const ended = open();
    await ended.add(session());
    await ended.add(session('ann', BEGUN + DAY));
    expect(readdirSync(folder())).deep.equal(['2026-02-03', '2026-02-04']);
    expect(text('2026-02-03')).match(/^\n[\w-]{22}\n$/);
    expect(text('2026-02-04')).match(/^\n[\w-]{22} [\w-]{16}\n$/);
  });

  it('share their writes: 10,000 at once cause two writes and use less than a megabyte of memory', async () => {
    const all = sessions(10_000);
    const ended = open();
    await ended.add(session());
    const before = heapUsed();
    await Promise.all(all.map((one) => ended.add(one)));
    expect(heapUsed() - before).lessThan(1_000_000);
    // Each write begins with a line break.
    expect(text('2026-02-03').match(/^$/gm)).length(1 + 2 + 1);
    expect(statSync(`${folder()}/2026-02-03`).size).equal(10_001 * 23 + 3);
    const restarted = open();
    expect(all.every((one) => ended.has(one) && restarted.has(one))).equal(true);
  });

  it('leave memory and disk when the last handle of their day has expired, not before', async () => {
    const [one, next] = [session(), session(undefined, BEGUN + DAY)];
    const ended = open();
    for (const some of [one, next]) await ended.add(some);
    const lastOfDay = Date.parse('2026-02-04') + LIMITS.sessionTtlSeconds * 1_000 - 1;
    ended.sweep(lastOfDay);
    expect([ended.has(one), open(lastOfDay).has(one)]).deep.equal([true, true]);
    ended.sweep(lastOfDay + 1);
    expect([ended.has(one), ended.has(next)]).deep.equal([false, true]);
    await until(() => readdirSync(folder()).join() === '2026-02-04', { what: 'the file of the day goes' });
    open(lastOfDay + 1 + DAY);
    await until(() => readdirSync(folder()).length === 0, { what: 'that of the next day goes at a start' });
  });

  it('survive a truncated write, and so do those written after it', async () => {
    const all = sessions(4);
    await Promise.all(all.map((one) => open().add(one)));
    const file = `${folder()}/2026-02-03`;
    truncateSync(file, statSync(file).size - 5);
    const after = session();
    await open().add(after);
    appendFileSync(file, 'nonsense\n\u0000\n');
    appendFileSync(`${folder()}/nonsense`, 'nonsense');
    const restarted = open();
    expect(all.filter((one) => restarted.has(one))).length(3);
    expect(restarted.has(after)).equal(true);
  });

  it('of another process on the same directory are all read at the next start', async () => {
    const [one, other] = [open(), open()];
    const all = sessions(2_000);
    await Promise.all(all.map((some, at) => (at % 2 === 0 ? one : other).add(some)));
    one.sweep(BEGUN);
    const restarted = open();
    expect(all.every((some) => restarted.has(some))).equal(true);
  });

  it('leave room for others: one caller, or all clients without sign-in together, get a share and are refused beyond it', async () => {
    const limits = { maxEndedSessions: 12 };
    const ended = open(BEGUN, limits);
    const taken = async (subject?: string): Promise<number> => {
      for (let count = 0; ; count += 1) {
        const one = session(subject);
        const error = await ended.add(one).then(
          () => undefined,
          (thrown: unknown) => thrown as Error,
        );
        expect(ended.has(one)).equal(error === undefined);
        if (error !== undefined) refusals.push(error.message);
        if (error !== undefined || count > 20) return count;
      }
    };
    const refusals: string[] = [];
    expect([await taken(), await taken('ann'), await taken('bob')]).deep.equal([6, 3, 2]);
    const [first, second] = refusals;
    const fix =
      'the handle stays valid until 2026-03-05T10:00:00.000Z; raise plugins.front.config.maxEndedSessions';
    expect(first).equal(
      'the calls of the session were cancelled, but it was not ended: sessions without sign-in have 6 of at most 12 ' +
        `stored ends, and the remaining 6 are reserved for others; ${fix}`,
    );
    expect(second).include('this caller has 3 of at most 12 stored ends, and the remaining 3');
    // Shares survive a restart, and are freed with the day.
    const restarted = open(BEGUN, limits);
    for (const subject of [undefined, 'ann'])
      expect(await refusalOf(() => restarted.add(session(subject)))).include({ code: 'STORE_FORBIDDEN' });
    restarted.sweep(BEGUN + 32 * DAY);
    await restarted.add(session());
  });

  it('count once when ended twice', async () => {
    const ended = open(BEGUN, { maxEndedSessions: 4 });
    const one = session();
    for (let at = 0; at < 10; at += 1) await ended.add(one);
    await ended.add(session());
  });

  it('work without the file, with a log message that states the consequence', async () => {
    const { at } = makeDirectory({ file: 'in the way' });
    const ended = open(BEGUN, {}, at('file'));
    const one = session();
    await ended.add(one);
    expect(ended.has(one)).equal(true);
    expect(log.having('ended sessions cannot be written', 'warn')).length(1);
  });
});
