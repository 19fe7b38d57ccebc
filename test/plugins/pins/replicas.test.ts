import { inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { defer } from '../../support/cleanup.ts';
import type { Directory } from '../../support/directory.ts';
import { needRedis, startRedis } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { TOOL, changingServers, pinnedGateway, until } from './support.ts';
import type { PinnedGateway, ServerDeclares } from './support.ts';

const SECRET = 'a secret of all processes, in tests'.padEnd(40, '.');
const ONE: ServerDeclares = { tools: [TOOL], resources: [{ uri: 'note://a', name: 'A' }] };
const saying = (description: string): ServerDeclares => ({ ...ONE, tools: [{ ...TOOL, description }] });

/** A directory of a process with that Redis. */
function directoryWith(redis: RedisServer): Directory {
  const directory = changingServers({ rug: ONE });
  const state = {
    'vault-file': false,
    'vault-redis': { config: { url: redis.url, secret: SECRET, verifyMs: 100 } },
  };
  const plugins = { ...state, pins: { config: { mode: 'hold' } } };
  directory.write('config.yaml', JSON.stringify({ operators: { local: 'define' }, plugins }));
  return directory;
}
async function statesOf({ pending }: PinnedGateway): Promise<readonly string[]> {
  return (await pending()).map(({ name, held }) => `${name} ${held}`);
}
/** How many declarations of the server are written. */
async function pinsIn({ gateway }: PinnedGateway): Promise<number> {
  const [vault] = gateway.kernel.registry.all(Vault.id) as readonly Vault[];
  const record = (await vault?.get('pins:rug')) as { readonly lines: readonly string[] } | undefined;
  const [part = ''] = record?.lines ?? [];
  return part === '' ? 0 : inflateRawSync(Buffer.from(part, 'base64')).toString().trim().split('\n').length;
}
const hasSafe = ({ gateway }: PinnedGateway): Promise<unknown> =>
  until(() => gateway.kernel.catalogue.shared('x_rug_safe'));

describe('plugins/pins: two processes with one Redis', function () {
  this.timeout(30_000);
  before(function () {
    needRedis(this);
  });

  it('know what either has seen, and what was accepted at either', async () => {
    const redis = await startRedis();
    const one = await pinnedGateway(directoryWith(redis));
    await hasSafe(one);
    const two = await pinnedGateway(directoryWith(redis));
    await hasSafe(two);
    expect(await two.pending()).to.deep.equal([]);
    await two.declare('rug', saying('Other.'));
    await until(async () => (await two.pending()).length === 1);
    expect(await statesOf(two)).to.deep.equal(['x_rug_safe held']);
    await one.declare('rug', saying('Other.'));
    await until(async () => (await one.pending()).length === 1);
    const [pin] = await two.pending();
    await two.accept('x_rug_safe', pin?.hash ?? '');
    await one.gateway.stop();
    const again = await pinnedGateway(one.directory);
    await hasSafe(again);
    expect(await again.pending()).to.deep.equal([]);
  });

  it('keep what they know when Redis loses all, also from a process that starts then', async () => {
    const redis = await startRedis();
    const one = await pinnedGateway(directoryWith(redis));
    await hasSafe(one);
    const client = new Redis(redis.port);
    defer(() => client.disconnect());
    await until(async () => (await pinsIn(one)) === 3, { what: 'all that it has seen is written' });
    for (const key of await client.keys('*pins*')) await client.del(key);
    const directory = directoryWith(redis);
    directory.write('rug.json', JSON.stringify(saying('Other.')));
    const two = await pinnedGateway(directory);
    await hasSafe(two);
    // A first sight, or a change if the other process has written once more before.
    expect((await statesOf(two)).join()).to.be.oneOf(['', 'x_rug_safe held']);
    await until(async () => (await client.keys('*pins*')).length > 0);
    await one.declare('rug', saying('Other.'));
    await until(async () => (await one.pending()).length === 1);
    // Other tools are written meanwhile, beside what the other process has written.
    await one.declare('rug', saying('Other.'));
    await one.declare('rug', saying('Other.'));
    expect(await statesOf(one)).to.deep.equal(['x_rug_safe held']);
    const [pin] = await one.pending();
    await one.accept('x_rug_safe', pin?.hash ?? '');
    expect(await one.pending()).to.deep.equal([]);
  });

  it('write back what they know after FLUSHALL: a change is found by them and by a new process', async () => {
    const redis = await startRedis();
    const one = await pinnedGateway(directoryWith(redis));
    await hasSafe(one);
    const two = await pinnedGateway(directoryWith(redis));
    await hasSafe(two);
    await two.declare('rug', saying('Refused.'));
    await until(async () => (await two.pending()).length === 1);
    const [bad] = await two.pending();
    await two.accept('x_rug_safe', bad?.hash ?? '', true);
    await until(async () => (await one.pending()).length === 0);
    const client = new Redis(redis.port);
    defer(() => client.disconnect());
    await client.flushall();
    await until(async () => (await client.keys('*pins:rug*')).length > 0, { what: 'the pins are back' });
    await one.declare('rug', saying('Other.'));
    await until(async () => (await one.pending()).length === 1);
    expect(await statesOf(one)).to.deep.equal(['x_rug_safe held']);
    for (const each of [one, two]) await each.gateway.stop();
    const directory = directoryWith(redis);
    directory.write('rug.json', JSON.stringify(saying('Other.')));
    const three = await pinnedGateway(directory);
    await hasSafe(three);
    expect(await statesOf(three)).to.deep.equal(['x_rug_safe held']);
    await three.declare('rug', saying('Refused.'));
    await until(async () => (await three.pending()).some(({ state }) => state === 'refused'));
  });
});
