import { expect } from 'chai';
import { LineLimit } from '../../../../plugins/kit/http/lineLimit.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import type { HeldTimers } from '../../../support/heldTimers.ts';
import { captureLog } from '../../../support/log.ts';
import type { CapturedLog } from '../../../support/log.ts';

describe('plugins/http: log lines about one source', () => {
  let timers: HeldTimers;
  let log: CapturedLog;
  let limit: LineLimit;
  beforeEach(() => {
    timers = heldTimers();
    log = captureLog();
    limit = new LineLimit(log, () => 2);
  });
  const write = (address: string, times: number, reason = 'wrong'): void => {
    for (let at = 0; at < times; at += 1) limit.write('info', 'refused', { address, reason });
  };
  const leftOut = (): readonly unknown[] => log.having('left out').map(({ data }) => data);

  it('are so many a minute; at its end one line says how many were left out, though the storm has ended', () => {
    write('a', 1_000);
    write('b', 2);
    write('b', 5, 'other');
    expect(log.having('refused', 'info').map(({ data }) => data['address'])).deep.equal([
      'a',
      'a',
      'b',
      'b',
      'b',
      'b',
    ]);
    timers.pass(59_999);
    write('a', 1);
    expect(leftOut()).deep.equal([]);
    timers.pass(1);
    const most = { address: 'a', reason: 'wrong', lines: 999 };
    expect(leftOut()).deep.equal([{ lines: 1_002, most, sources: 2 }]);
    timers.pass(600_000);
    expect(leftOut()).length(1);
    write('a', 1);
    expect(log.records.at(-1)).deep.include({ text: 'refused' });
  });

  it('are counted at the level that they would have had', () => {
    for (let at = 0; at < 3; at += 1) limit.write('debug', 'refused', { address: 'a', reason: 'wrong' });
    timers.pass(60_000);
    expect(log.records.filter(({ level }) => level !== 'debug')).deep.equal([]);
    expect(leftOut()).length(1);
  });

  it('are bounded over all sources too, and told when the minute is cut short', () => {
    for (let at = 0; at < 5_000; at += 1) write(`address ${at}`, 1);
    expect(log.records).length(1_002);
    limit.end();
    const most = { address: 'others', reason: 'others', lines: 3_998 };
    expect(leftOut()).deep.equal([{ lines: 3_998, most, sources: 1 }]);
    timers.pass(600_000);
    expect(log.records).length(1_003);
  });
});
