import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { SilenceGuard } from '../../../../plugins/store-kubernetes/watch/silenceGuard.ts';
import { defer } from '../../../support/cleanup.ts';
import { heldTimers } from '../../../support/heldTimers.ts';

function guarded(probe: () => Promise<unknown>) {
  const timers = heldTimers();
  const calls: string[] = [];
  const guard = new SilenceGuard({
    silenceMs: 20,
    maxSilenceMs: 60,
    probe: () => {
      calls.push('probe');
      return probe();
    },
    alive: () => calls.push('alive'),
    dead: ({ message }) => calls.push(message),
  });
  defer(() => guard.stop());
  guard.start();
  const pass = async (ms: number): Promise<void> => {
    timers.pass(ms);
    await turn();
  };
  return { guard, calls, pass };
}

describe('store-kubernetes: silence on a watch', () => {
  it('does not count while something arrives', async () => {
    const { guard, calls, pass } = guarded(() => Promise.resolve());
    for (let at = 0; at < 5; at += 1) {
      await pass(19);
      guard.heard();
    }
    expect(calls).to.deep.equal([]);
    await pass(20);
    expect(calls).to.deep.equal(['probe', 'alive']);
  });

  it('ends it when the server does not answer a probe', async () => {
    const { calls, pass } = guarded(() => Promise.reject(new Error('no answer')));
    await pass(20);
    await pass(100);
    expect(calls).to.deep.equal(['probe', 'no answer']);
  });

  it('ends it in the end though the server answers probes', async () => {
    const { calls, pass } = guarded(() => Promise.resolve());
    for (let at = 0; at < 5; at += 1) await pass(20);
    const probed = ['probe', 'alive'];
    expect(calls).to.deep.equal([...probed, ...probed, 'nothing has arrived on the watch for 60 ms']);
  });

  it('counts what arrives during a probe more than the probe', async () => {
    let refuse: (error: Error) => void = () => undefined;
    const { guard, calls, pass } = guarded(() => new Promise((_, reject) => (refuse = reject)));
    await pass(20);
    guard.heard();
    refuse(new Error('no answer'));
    await pass(19);
    expect(calls).to.deep.equal(['probe']);
    await pass(1);
    expect(calls).to.deep.equal(['probe', 'probe']);
  });

  it('is not looked at after stop', async () => {
    const { guard, calls, pass } = guarded(() => Promise.resolve());
    guard.stop();
    await pass(1_000);
    expect(calls).to.deep.equal([]);
  });
});
