import { expect } from 'chai';
import { LateCalls } from '../../../../plugins/upstream/rpc/lateCalls.ts';

describe('upstream: calls that were given up', () => {
  it('count until their answer arrives', () => {
    const late = new LateCalls(() => ({ lateMs: 60_000, maxLateCalls: 10 }));
    late.add(1, 'a');
    late.add(2, 'b');
    expect(late.clients()).deep.equal(['a', 'b']);
    late.answered(1);
    expect(late.clients()).deep.equal(['b']);
    late.clear();
    expect(late.clients()).deep.equal([]);
  });

  it('count no longer than lateMs', () => {
    let lateMs = 60_000;
    const late = new LateCalls(() => ({ lateMs, maxLateCalls: 10 }));
    lateMs = 0;
    late.add(1, 'a');
    lateMs = 60_000;
    late.add(2, 'b');
    expect(late.clients()).deep.equal(['b']);
  });

  it('leave their client open when there are more than are kept', () => {
    const late = new LateCalls(() => ({ lateMs: 60_000, maxLateCalls: 1 }));
    late.add(1, 'a');
    late.add(2, 'b');
    expect(late.clients()).deep.equal(['a', undefined]);
    late.clear();
    expect(late.clients()).deep.equal([]);
  });
});
