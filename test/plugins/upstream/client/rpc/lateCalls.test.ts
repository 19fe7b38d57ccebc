import { expect } from 'chai';
import type { Client } from '../../../../../kernel/index.ts';
import { LateCalls } from '../../../../../plugins/upstream/client/rpc/lateCalls.ts';

const [a, b] = ['a', 'b'].map((id) => ({ id }) as Client);
const clientsIn = (late: LateCalls): readonly (string | undefined)[] =>
  late.calls().map(({ client }) => client?.id);

describe('upstream: calls that were given up', () => {
  it('count until their answer arrives', () => {
    const late = new LateCalls(() => ({ lateMs: 60_000, maxLateCalls: 10 }));
    late.add(1, a);
    late.add(2, b);
    expect(clientsIn(late)).deep.equal(['a', 'b']);
    expect(late.answered(1)).equal(true);
    expect(clientsIn(late)).deep.equal(['b']);
    late.clear();
    expect(clientsIn(late)).deep.equal([]);
  });

  it('count no longer than lateMs', () => {
    let lateMs = 60_000;
    const late = new LateCalls(() => ({ lateMs, maxLateCalls: 10 }));
    lateMs = 0;
    late.add(1, a);
    lateMs = 60_000;
    late.add(2, b);
    expect(clientsIn(late)).deep.equal(['b']);
  });

  it('may have one answer each, also after lateMs and when they are not kept', () => {
    const late = new LateCalls(() => ({ lateMs: 0, maxLateCalls: 1 }));
    late.add(1, a);
    late.add(2, b);
    expect([2, 1, 1].map((id) => late.answered(id))).deep.equal([true, true, false]);
    late.add(3, a);
    late.clear();
    expect(late.answered(3)).equal(false);
  });

  it('leave their client open when there are more than are kept', () => {
    const late = new LateCalls(() => ({ lateMs: 60_000, maxLateCalls: 1 }));
    late.add(1, a);
    late.add(2, b);
    expect(clientsIn(late)).deep.equal(['a', undefined]);
    late.clear();
    expect(clientsIn(late)).deep.equal([]);
  });
});
