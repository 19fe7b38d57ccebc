import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { RedisPeers } from '../../../plugins/vault-redis/redisPeers.ts';
import { defer } from '../../support/cleanup.ts';
import { valuesOf } from '../../support/metrics.ts';
import { joinChannel, needRedis, startRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: channel and peers', function () {
  this.timeout(20_000);
  before(function () {
    needRedis(this);
  });

  it('brings messages in order to all other processes, and to subscribers of their topic only', async () => {
    const { url } = await startRedis();
    const ring = newKeyRing();
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((own) => joinChannel({ url }, own, ring)));
    a?.channel.publish('other', { at: 0 });
    for (const at of [1, 2, 3]) a?.channel.publish('news', { at });
    const all = [{ at: 1 }, { at: 2 }, { at: 3 }];
    await until(() => b?.received.length === 3 && c?.received.length === 3, { what: 'the messages' });
    expect([a?.received, b?.received, c?.received]).deep.equal([[], all, all]);
  });

  it('ignores and reports messages that were sealed with other keys', async () => {
    const { url } = await startRedis();
    const [a, b] = await Promise.all([
      joinChannel({ url }, 'a', newKeyRing()),
      joinChannel({ url }, 'b', newKeyRing()),
    ]);
    a.channel.publish('news', { at: 1 });
    await b.log.heard('was not sealed with the keys of this process');
    expect(b.received).deep.equal([]);
  });

  it('reports a gap after Redis was away, and brings messages again', async () => {
    const server = await startRedis();
    const ring = newKeyRing();
    const [a, b] = await Promise.all([
      joinChannel({ url: server.url }, 'a', ring),
      joinChannel({ url: server.url }, 'b', ring),
    ]);
    await server.kill();
    a.channel.publish('news', { at: 'lost' });
    // It waits for the connection, within its time limit.
    await a.log.heard('a message to other processes is lost');
    await server.restart();
    await until(() => b.gaps() === 2, { what: 'the gap' });
    await until(
      () => {
        a.channel.publish('news', { at: 'new' });
        return b.received.length > 0;
      },
      { what: 'a message' },
    );
    expect(b.received[0]).deep.equal({ at: 'new' });
    const { metrics } = b.channel;
    expect(valuesOf(metrics, 'pegboard.channel.connected')).deep.equal({ '': 1 });
    expect(valuesOf(metrics, 'pegboard.channel.gaps')).deep.equal({ '': 2 });
    expect(valuesOf(metrics, 'pegboard.channel.messages')['direction=received']).above(0);
    const sent = valuesOf(a.channel.metrics, 'pegboard.channel.messages');
    expect(sent['direction=sent']).above(1);
    expect(sent['direction=lost']).above(0);
    expect(sent).not.property('direction=received');
  });

  it('knows which processes live, and gives all of them time after Redis was away', async () => {
    const { url } = await startRedis();
    const ring = newKeyRing();
    const [a, b] = await Promise.all([joinChannel({ url }, 'a', ring), joinChannel({ url }, 'b', ring)]);
    let now = 0;
    const peers = new RedisPeers(a.connection, a.config, a.log, () => now);
    defer(() => peers.close());
    await peers.open();
    expect(await peers.isAlive('gone')).equal(true, 'Redis may just have lost its sign');
    now = 30_000;
    expect(await peers.isAlive('gone')).equal(false);
    expect(await new RedisPeers(b.connection, b.config, b.log, () => now + 30_000).isAlive(peers.own)).equal(
      true,
    );
  });

  it('is not opened again by a verification that comes after its end', async () => {
    const { url } = await startRedis();
    const { channel, gaps } = await joinChannel({ url }, 'a', newKeyRing());
    const before = gaps();
    channel.close();
    await channel.verify();
    expect(gaps()).equal(before);
  });
});
