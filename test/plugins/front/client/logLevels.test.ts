import { expect } from 'chai';
import { LogLevels } from '../../../../plugins/front/client/logLevels.ts';

describe('front: log levels of sessions', () => {
  const session = (id: string, createdAt = 0): { readonly id: string; readonly createdAt: number } => ({
    id,
    createdAt,
  });

  it('drop the session that asked longest ago when there are too many', () => {
    const levels = new LogLevels(
      () => 2,
      () => undefined,
    );
    for (const id of ['a', 'b', 'a', 'c']) levels.set(session(id), 'error');
    expect(['a', 'b', 'c'].map((id) => levels.wants(id, 'error'))).deep.equal([true, false, true]);
  });

  it('end with their session, and servers are sent the remaining level', () => {
    const told: string[] = [];
    const levels = new LogLevels(
      () => 10,
      (least) => told.push(least),
    );
    levels.set(session('old', 1), 'debug');
    levels.set(session('new', 2), 'error');
    levels.dropBefore(2);
    expect(['old', 'new'].map((id) => levels.wants(id, 'emergency'))).deep.equal([false, true]);
    expect(told).deep.equal(['debug', 'error']);
  });

  it("of single requests do not replace a session's level, and change the servers' level at most once a sweep", () => {
    const told: string[] = [];
    const levels = new LogLevels(
      () => 1,
      (least) => told.push(least),
    );
    levels.set(session('a'), 'error');
    for (let request = 0; request < 3; request += 1) {
      const [first, second] = [levels.hold('debug'), levels.hold('info')];
      levels.dropBefore(0);
      first();
      second();
    }
    expect(told).deep.equal(['error', 'debug']);
    levels.dropBefore(0);
    expect(levels.wants('a', 'error')).equal(true);
    expect(told).deep.equal(['error', 'debug', 'error']);
  });
});
