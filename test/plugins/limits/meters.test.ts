import { expect } from 'chai';
import { Meter } from '../../../plugins/limits/meter.ts';
import { Meters } from '../../../plugins/limits/meters.ts';

const NONE = { callsPerMinute: 0, burst: 1, concurrent: 0 };

describe('meters', () => {
  it('forget the longest unused first', () => {
    const meters = new Meters(() => new Meter());
    const first = meters.use('a', 2);
    meters.use('b', 2);
    expect(meters.use('a', 2)).equal(first);
    meters.use('c', 2);
    expect(meters.size).equal(2);
    expect(meters.use('a', 2)).equal(first);
  });

  it('keep running ones, even beyond the limit', () => {
    const meters = new Meters(() => new Meter());
    const busy = [meters.use('a', 2), meters.use('b', 2)];
    for (const meter of busy) meter.take(NONE, 0);
    meters.use('c', 2);
    expect(meters.size).equal(3);
    for (const meter of busy) meter.release();
    meters.use('d', 2);
    expect(meters.size).equal(2);
  });
});
