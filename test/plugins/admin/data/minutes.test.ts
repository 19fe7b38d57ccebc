import { expect } from 'chai';
import { textResult } from '../../../../kernel/index.ts';
import type { KernelEvent, Tool } from '../../../../kernel/index.ts';
import { Minutes, sumOfMinutes } from '../../../../plugins/admin/data/minutes.ts';
import { movableClock } from '../../../support/clock.ts';
import { requestOf } from '../../../support/requests.ts';

function settled(tool: Partial<Tool>, isError = false, transport = 'http'): KernelEvent {
  const request = { ...requestOf(), transport };
  const call = { tool: { kind: 'tool', name: 't', server: 'shop', ...tool }, request };
  return {
    type: 'call.settled',
    call,
    ms: 1,
    outcome: 'ok',
    result: textResult('x', isError),
  } as unknown as KernelEvent;
}

describe('the counters of the last hour', () => {
  it('count what clients called, with its errors, by server, and not the meta-tool around it', () => {
    const minutes = new Minutes();
    minutes.take(settled({}));
    minutes.take(settled({}, true));
    minutes.take(settled({ kind: 'meta' }));
    minutes.take(settled({ kind: 'core' }, false, 'admin'));
    minutes.take({
      type: 'call.refused',
      name: 'x',
      args: {},
      request: requestOf(),
      parent: undefined,
      meta: undefined,
      error: 1,
    });
    expect(minutes.all()).length(60);
    expect(sumOfMinutes(minutes.all())).deep.equal({ calls: 3, errors: 2 });
    expect(minutes.servers()).deep.equal({ shop: { calls: 2, errors: 1 } });
  });

  it('give the durations of an hour, a day and a week by estimate, and forget older calls', () => {
    const clock = movableClock();
    const minutes = new Minutes();
    const event = settled({});
    for (let call = 1; call <= 100; call += 1)
      minutes.take({ ...event, ms: call <= 90 ? 30 : 3_000 } as KernelEvent);
    const { p50 = 0, p95 = 0, ...counts } = minutes.series('shop').whole('hour');
    expect(counts).deep.equal({ calls: 100, errors: 0 });
    expect([p50, p95].map((ms, at) => ms > [20, 2_000][at]! && ms <= [50, 5_000][at]!)).deep.equal([
      true,
      true,
    ]);
    clock.later(2 * 3_600_000);
    expect(minutes.series('shop').whole('hour')).deep.equal({ calls: 0, errors: 0 });
    expect(minutes.figures('day')['shop']?.calls).equal(100);
    clock.later(2 * 86_400_000);
    expect([minutes.figures('day'), minutes.figures('week')['shop']?.calls]).deep.equal([{}, 100]);
    clock.later(7 * 86_400_000);
    expect(
      minutes
        .series()
        .parts('week')
        .every(({ calls }) => calls === 0),
    ).equal(true);
  });

  it('forget servers that are not defined any more', () => {
    const minutes = new Minutes();
    minutes.take(settled({}));
    minutes.forgetOthers(new Set());
    expect(minutes.servers()).deep.equal({});
  });
});
