import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { Snapshot } from '../../../../plugins/cli/plan/readSnapshot.ts';
import { toolChanges } from '../../../../plugins/cli/plan/toolChanges.ts';

const snapshot = (servers: readonly JsonObject[], tools: Readonly<Record<string, string>>): Snapshot => ({
  servers,
  tools: new Map(Object.entries(tools)),
  presets: new Map([['all', new Set(Object.keys(tools))]]),
});
const before = snapshot([], { x_a: 'a', x_b: 'b', x_team: 'team' });

describe('toolChanges', () => {
  it('does not call the tools of a server and of its family lost while they are not known', () => {
    const away = { name: 'a', sessionStatus: 'auth_required', family: { name: 'team', instanceArg: 'of' } };
    const { all, presets, unknown } = toolChanges(before, snapshot([away], {}));
    expect([all, presets]).deep.equal([
      { gained: [], lost: ['x_b'] },
      [{ name: 'all', gained: [], lost: ['x_b'] }],
    ]);
    expect(unknown).deep.equal([
      { name: 'a', reason: 'needs a sign-in, which the trial does not have', tools: ['x_a', 'x_team'] },
    ]);
  });

  it('counts the tools of a suspended server as lost', () => {
    const off = { name: 'a', sessionStatus: 'disconnected', suspended: true, state: 'Disconnected' };
    const { all, unknown } = toolChanges(before, snapshot([off], { x_b: 'b', x_team: 'team' }));
    expect([all.lost, unknown]).deep.equal([['x_a'], []]);
  });

  it('names servers that were too slow or start on request only, if they have tools now', () => {
    const idle = { sessionStatus: 'disconnected', state: 'Stopped' };
    const slow = { name: 'b', sessionStatus: 'disconnected', state: 'Starting' };
    const { unknown } = toolChanges(
      before,
      snapshot([{ ...idle, name: 'a' }, slow, { ...idle, name: 'c' }], {}),
    );
    expect(unknown.map(({ name, reason }) => [name, reason])).deep.equal([
      ['a', 'does not start by itself'],
      ['b', 'has not connected in time'],
    ]);
  });

  it('names a server that failed and is tried again at that moment, though it has no tools', () => {
    const again = { sessionStatus: 'disconnected', state: 'Starting', consecutiveFailures: 1 };
    const { unknown } = toolChanges(before, snapshot([{ ...again, name: 'c' }], {}));
    expect(unknown).deep.equal([{ name: 'c', reason: 'could not start: it is tried again', tools: [] }]);
  });
});
