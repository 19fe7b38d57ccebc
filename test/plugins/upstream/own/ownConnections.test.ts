import { expect } from 'chai';
import { ANYONE, GatewayError } from '../../../../kernel/index.ts';
import type { CallerCredential } from '../../../../plugins/contracts/credentials.ts';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import { OwnConnections } from '../../../../plugins/upstream/own/ownConnections.ts';
import type { ServerCalls } from '../../../../plugins/upstream/connection/serverCalls.ts';
import type { Dialing } from '../../../../plugins/upstream/connection/dialer.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { captureLog } from '../../../support/log.ts';
import { gate } from '../../../support/until.ts';

const credentialOf = (owner: string): CallerCredential => ({ owner, values: {} }) as CallerCredential;

/** @param hanging owners whose connections do not end */
function pool(more: object = {}, hanging: readonly string[] = []) {
  const begun: string[] = [];
  const ended: string[] = [];
  const hang = gate();
  const connectionOf = (owner: string): ServerCalls =>
    ({
      status: { state: 'ready' },
      start: () => Promise.resolve(void begun.push(owner)),
      stop: async () => {
        if (hanging.includes(owner)) await hang.opened;
        ended.push(owner);
      },
    }) as unknown as ServerCalls;
  const shared = connectionOf('shared');
  const definition = readDefinition({ type: 'streamable-http', url: 'http://127.0.0.1:1', ...more });
  const instances = new OwnConnections(
    { log: captureLog(), config: () => ({ backoffFirstMs: 1, backoffMaxMs: 1 }) },
    {
      name: 's',
      definition,
      output: { read: () => ({ lines: [], next: 'shared' }) },
      dialerFor: (credential) =>
        ({ output: { read: () => ({ lines: [], next: credential?.owner }) } }) as unknown as Dialing,
      isWanted: true,
      callsFor: () => shared,
      connectionWith: (_dialer, _client, credential) => connectionOf(credential?.owner ?? 'none'),
    },
  );
  const credentials = new Map(['ann', 'bob'].map((owner) => [owner, credentialOf(owner)]));
  const use = (owner: string, sessionId?: string): ServerCalls =>
    instances.callsOf({
      credential: credentials.get(owner)!,
      request: sessionId === undefined ? undefined : { ...ANYONE, sessionId },
      client: undefined,
    });
  return { instances, begun, ended, use, hang };
}

describe('upstream: the connections of owners of credentials', () => {
  it('end at a sign-out, which waits for no other connection that ends', async () => {
    heldTimers();
    const { instances, ended, use, hang } = pool({}, ['bob']);
    for (const owner of ['ann', 'bob']) use(owner);
    void instances.drop('bob');
    await instances.drop('ann');
    expect(ended).to.deep.equal(['ann']);
    hang.open();
    await instances.end();
  });

  it('delay a sign-out for a limited time only, and end later', async () => {
    const timers = heldTimers();
    const { instances, ended, use, hang } = pool({}, ['bob']);
    use('bob');
    const dropped = instances.drop('bob');
    timers.pass(1_000);
    await dropped;
    expect([instances.size, ended]).to.deep.equal([0, []]);
    hang.open();
    await instances.end();
    expect(ended).to.deep.equal(['bob']);
  });

  it('end and begin anew in any number, and count for their owner only', async () => {
    const { instances, begun, use } = pool({ instances: 'perSession', maxInstancesPerOwner: 1 });
    use('ann', 'one');
    use('ann', 'one');
    use('bob', 'two');
    // What an owner is listed is read on one more.
    use('ann');
    expect(() => use('ann', 'three'))
      .to.throw(GatewayError)
      .with.property('message')
      .that.includes('you have 1 of 1 instances');
    instances.release('one');
    use('ann', 'three');
    expect([instances.size, begun]).to.deep.equal([3, ['ann', 'bob', 'ann', 'ann']]);
    await instances.drop('ann');
    expect(instances.size).to.equal(1);
    use('ann', 'one');
    await instances.end();
    expect(instances.size).to.equal(0);
  });

  it('show their output to their owner only, and that of the shared one where there is no other', async () => {
    const outputIn =
      ({ instances }: ReturnType<typeof pool>) =>
      (owner?: string, sessionId?: string): string | undefined =>
        instances
          .outputFor(
            { ...ANYONE, sessionId, anonymousOwner: undefined },
            owner === undefined ? undefined : credentialOf(owner),
          )
          ?.read({ lines: 1 }).next;
    const [shared, perCaller, perSession] = ['shared', 'perCaller', 'perSession'].map((mode) =>
      pool({ instances: mode }),
    ) as [ReturnType<typeof pool>, ReturnType<typeof pool>, ReturnType<typeof pool>];
    expect(outputIn(shared)()).to.equal('shared');
    expect(outputIn(shared)('ann')).to.equal(undefined);
    perCaller.use('ann');
    expect(outputIn(perCaller)('ann', 'any')).to.equal('ann');
    expect(outputIn(perCaller)('bob', 'any')).to.equal(undefined);
    expect(outputIn(perCaller)()).to.equal(undefined);
    perSession.use('ann', 'one');
    expect(outputIn(perSession)('ann', 'one')).to.equal('ann');
    expect(outputIn(perSession)('ann', 'two')).to.equal(undefined);
    expect(outputIn(perSession)('bob', 'one')).to.equal(undefined);
    await Promise.all([perCaller, perSession].map(({ instances }) => instances.end()));
  });
});
