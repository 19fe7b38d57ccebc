import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import type { CallResult } from '../../../../kernel/index.ts';
import { Watches } from '../../../../plugins/upstream/rpc/watches.ts';
import { captureLog } from '../../../support/log.ts';

describe('upstream: subscriptions to resources', () => {
  it('a second watcher fails with the first one, rather than watch nothing', async () => {
    let refuse: (error: GatewayError) => void = () => undefined;
    const requests = {
      call: (): Promise<CallResult> => new Promise((_, reject) => (refuse = reject)),
      ask: (): Promise<string> => Promise.resolve('{}'),
    };
    const watches = new Watches({ server: 's', requests, log: captureLog(), timeoutMs: () => 1_000 });
    const both = ['one', 'two'].map(() =>
      watches.add('a://b', () => undefined).catch((error: unknown) => (error as GatewayError).message),
    );
    refuse(new GatewayError('UPSTREAM_ERROR', 'no'));
    expect(await Promise.all(both)).deep.equal(['no', 'no']);
  });
});
