import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { McpClient } from '../support/mcpClient.ts';
import { clientOf, needRedis, startRedis, startSentinel } from '../support/redis.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const SECRET = 'one secret of thirty-two characters or more';
const SESSIONS = 6;
const VERIFY_MS = 1_000;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** What a Redis needs, how it is emptied, and a client of the one that is then used. */
interface Emptied {
  readonly config: object;
  /** Whether processes keep their connection, so that only the next verification notices. */
  readonly isSilent: boolean;
  readonly empty: () => Promise<void>;
}

async function flushed(): Promise<Emptied> {
  const redis = await startRedis();
  const empty = async (): Promise<void> => {
    await clientOf(redis).flushall();
  };
  return { config: { url: redis.url }, isSilent: true, empty };
}

async function restarted(): Promise<Emptied> {
  const redis = await startRedis(['--appendonly', 'no']);
  return { config: { url: redis.url }, isSilent: false, empty: () => redis.restart() };
}

async function failedOver(): Promise<Emptied> {
  const { master, replica, sentinel } = await startSentinel();
  const client = clientOf(replica);
  const empty = async (): Promise<void> => {
    await client.config('SET', 'replica-read-only', 'no');
    await client.flushall();
    await master.kill();
    await until(async () => (await client.info('replication')).includes('role:master'), {
      what: 'the failover',
    });
  };
  return { config: { url: [sentinel.url], sentinelMaster: 'main' }, isSilent: false, empty };
}

describe('e2e: two processes under load whose Redis loses everything', function () {
  this.timeout(120_000);
  before(function () {
    needRedis(this);
  });

  for (const [how, prepare] of [
    ['FLUSHALL', flushed],
    ['a restart without persistence', restarted],
    ['a failover to an empty node', failedOver],
  ] as const)
    it(`by ${how}: sessions go on at all of them and at one that begins then, and ended ones stay ended`, async () => {
      const { config, isSilent, empty } = await prepare();
      const directory = makeDirectory({
        'config.yaml': JSON.stringify({
          plugins: {
            'vault-file': false,
            'vault-redis': { config: { ...config, secret: SECRET, timeoutMs: 500, verifyMs: VERIFY_MS } },
          },
        }),
      });
      const start = (name: string): Promise<Pegboard> =>
        servePegboard(directory.path, ['--state-path', directory.at(`states/${name}`)]);
      const running = await Promise.all(['a', 'b'].map(start));
      const begin = (count: number): Promise<readonly McpClient[]> =>
        Promise.all(Array.from({ length: count }, (_, at) => McpClient.connect(running[at % 2]?.url ?? '')));
      const [sessions, ended] = [await begin(SESSIONS), await begin(2)];
      for (const client of ended) expect(await client.end()).equal(204);

      const answers = new Map<number, number>();
      let isLoaded = true;
      const load = sessions.map(async (client, at) => {
        for (let turn = at; isLoaded; turn += 1) {
          const { status } = await client.movedTo(running[turn % 2]?.url ?? '').post(PING);
          answers.set(status, (answers.get(status) ?? 0) + 1);
        }
      });
      await empty();
      const begun = await start('c');
      const all = [...running, begun];
      const statusesOf = (client: McpClient): Promise<readonly number[]> =>
        Promise.all(all.map(async ({ url }) => (await client.movedTo(url).post(PING)).status));
      const [first] = sessions;
      const after = performance.now();
      await until(async () => first !== undefined && (await statusesOf(first)).every((one) => one === 200), {
        what: 'the first session everywhere',
      });
      await until(
        async () => {
          const tables = await Promise.all(ended.map(statusesOf));
          return tables.flat().every((one) => one === 404);
        },
        { what: 'the ends everywhere' },
      );
      const agreedMs = Math.round(performance.now() - after);
      isLoaded = false;
      await Promise.all(load);

      for (const client of sessions) expect(await statusesOf(client)).deep.equal([200, 200, 200]);
      for (const { url } of all) {
        expect((await fetch(`${url}/ready`)).status).equal(200);
        expect(await statusesOf(await McpClient.connect(url))).deep.equal([200, 200, 200]);
      }
      expect([...answers.keys()], 'answers under load').deep.equal([200]);
      if (isSilent)
        for (const { lines } of running)
          await until(() => lines.some(({ text }) => text.startsWith('Redis has lost what it held')), {
            what: 'the warning',
          });
      for (const { lines } of all) expect(lines.filter(({ level }) => level === 'error')).deep.equal([]);
      console.log(
        `      ${answers.get(200)} answers, all 200; the third process agreed after ${agreedMs} ms`,
      );
    });
});
