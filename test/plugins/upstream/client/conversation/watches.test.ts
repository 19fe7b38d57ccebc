import { expect } from 'chai';
import { GatewayError } from '../../../../../kernel/index.ts';
import { Watches } from '../../../../../plugins/upstream/client/conversation/watches.ts';

describe('upstream: subscriptions to resources', () => {
  it('a second watcher fails with the first one, rather than watch nothing', async () => {
    let refuse: (error: GatewayError) => void = () => undefined;
    const watches = new Watches(
      () => new Promise((_, reject) => (refuse = reject)),
      () => undefined,
    );
    const both = ['one', 'two'].map(() =>
      watches.add('a://b', () => undefined).catch((error: unknown) => (error as GatewayError).message),
    );
    refuse(new GatewayError('UPSTREAM_ERROR', 'no'));
    expect(await Promise.all(both)).deep.equal(['no', 'no']);
  });
});
