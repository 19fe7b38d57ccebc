import { createConnection, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { MetricSource } from '../../../plugins/contracts/metrics.ts';
import type { Metric } from '../../../plugins/contracts/metrics.ts';
import { Quotas } from '../../../plugins/contracts/processes.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { defer } from '../../support/cleanup.ts';
import { valuesOf } from '../../support/metrics.ts';
import { clientOf, needRedis, startRedis } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { textOf } from '../../support/sources.ts';
import { until } from '../../support/until.ts';

const RIGHTS = '~pegboard:* &pegboard:* +@read +@write +@connection +@pubsub +@scripting +info +time';
const LINE = `ACL SETUSER pegboard ${RIGHTS}`;

describe('plugin vault-redis: rights', function () {
  this.timeout(20_000);
  let server: RedisServer;
  let redis: Redis;
  before(async function () {
    needRedis(this);
    server = await startRedis();
    redis = clientOf(server);
  });

  const allow = (rights: string): Promise<unknown> =>
    redis.acl('SETUSER', 'pegboard', 'reset', 'on', '>word', ...rights.split(' '));
  async function start(config: object): Promise<TestGateway> {
    const secret = 's'.repeat(32);
    const settings = { secret, timeoutMs: 400, verifyMs: 100, ...config };
    const gateway = await startGateway({
      plugins: { 'vault-redis': { config: settings } },
      builtIns: ['vault-redis', 'http'],
    });
    defer(() => gateway.stop());
    return gateway;
  }
  const USER = () => ({ url: server.url, username: 'pegboard', password: 'word' });

  /** What a start is refused with. */
  async function refused(config: object): Promise<string> {
    const error = await start(config).catch((thrown: unknown) => thrown);
    const { issues = [] } = error as { readonly issues?: readonly { readonly message: string }[] };
    return issues.map(({ message }) => message).join('\n');
  }

  for (const [what, rights, missing] of [
    ['channels', '~pegboard:* +@all -@dangerous +info', 'SUBSCRIBE to pegboard:"channel": NOPERM'],
    ['PUBLISH', `${RIGHTS} -publish`, 'PUBLISH to pegboard:"channel": '],
    ['scripts', `${RIGHTS} -@scripting`, 'scripts (EVAL): NOPERM'],
    ['what scripts call', `${RIGHTS} -time`, 'scripts (EVAL): '],
    ['INFO', '~pegboard:* &pegboard:* +@all -@dangerous', 'INFO: NOPERM'],
    ['its keys', '~other:* &pegboard:* +@all', 'scripts (EVAL): NOPERM'],
  ] as const)
    it(`are missing for ${what}: the start names what is refused, and the line that gives them`, async () => {
      await allow(rights);
      const message = await refused(USER());
      expect(message).include(`Redis refuses ${missing}`).and.include(LINE);
      expect(message).not.include('word');
    });

  it('are enough as the README has them, also where Redis allows no other', async () => {
    const readme = textOf('plugins/vault-redis/README.md');
    expect(readme).include(RIGHTS);
    await allow(RIGHTS);
    const gateway = await start(USER());
    expect(valuesOf(metricsIn(gateway), 'pegboard.channel.connected')).deep.equal({ '': 1 });
    const [first] = gateway.all(Quotas);
    const draw = { calls: 1, spare: 0, back: 0, hold: 1 };
    const quota = { callsPerMinute: 60, burst: 2, concurrent: 2 };
    expect(await first?.draw('a', quota, draw)).include({ calls: 1, held: 1 });
    await gateway.get(Vault).set('note:a', 1);
    expect(await gateway.get(Vault).list('')).deep.equal(['note:a']);
    expect(await gateway.get(Vault).take('note:a')).equal(1);
  });

  it('that are taken later make the process not ready, and its channel not connected, until they are back', async () => {
    await allow(RIGHTS);
    const gateway = await start({ ...USER(), verifyMs: 3_600_000 });
    await redis.acl('SETUSER', 'pegboard', 'resetchannels');
    const isReady = async (): Promise<boolean> => (await fetch(`${gateway.url()}/ready`)).ok;
    await until(async () => !(await isReady()), { what: 'it is not ready' });
    expect(valuesOf(metricsIn(gateway), 'pegboard.channel.connected')).deep.equal({ '': 0 });
    const [error] = gateway.log.filter(({ level }) => level === 'error');
    expect(String(error?.data['reason']))
      .include('SUBSCRIBE to pegboard:"channel": NOPERM')
      .and.include(LINE);
    await redis.acl('SETUSER', 'pegboard', '&pegboard:*');
    await until(isReady, { what: 'it is ready' });
    expect(valuesOf(metricsIn(gateway), 'pegboard.channel.connected')).deep.equal({ '': 1 });
  });

  for (const command of ['SUBSCRIBE', 'EVAL', 'PUBLISH'])
    it(`are missing where ${command} has another name, and the start says so`, async () => {
      const { url } = await startRedis(['--rename-command', command, `other-${command}`]);
      const message = await refused({ url });
      expect(message)
        .match(/Redis refuses .*(unknown command|Unknown Redis command)/i)
        .and.include('(rename-command)');
    });

  it('are missing behind a proxy that ends connections which subscribe', async () => {
    const message = await refused({ url: await proxyWithoutChannels(server) });
    expect(message).include('no message between processes passes Redis').and.include('instead of a proxy');
  });
});

/** As twemproxy does. @returns its url */
async function proxyWithoutChannels({ port }: RedisServer): Promise<string> {
  const proxy = createServer((client) => {
    const redis = createConnection(port, '127.0.0.1');
    const end = (): void => [client, redis].forEach((socket) => void socket.destroy());
    for (const socket of [client, redis]) socket.on('error', end).on('close', end);
    client.on('data', (bytes: Buffer) => {
      if (/subscribe/i.test(bytes.toString('latin1'))) end();
      else redis.write(bytes);
    });
    redis.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  defer(() => void proxy.close());
  return `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function metricsIn(gateway: TestGateway): readonly Metric[] {
  return gateway.all(MetricSource).flatMap(({ metrics }) => metrics);
}
