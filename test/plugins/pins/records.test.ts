import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { fingerprint } from '../../../plugins/pins/index.ts';
import { requestOf } from '../../support/requests.ts';
import { TOOL, changingServers, pinnedGateway, until } from './support.ts';
import type { Declared, PinnedGateway } from './support.ts';

const KEY = 'pins:rug';
const LONG = 'n'.repeat(120);
const vaultOf = ({ gateway }: PinnedGateway): Vault => gateway.kernel.registry.all(Vault.id)[0] as Vault;
const words = (seed: number): string =>
  Array.from({ length: 40 }, (_, at) => (seed * 7919 + at * 104_729).toString(36)).join(' ');
const many = (count: number, more = ''): Declared[] =>
  Array.from({ length: count }, (_, at) => ({ ...TOOL, name: `t${at}`, description: words(at) + more }));
async function statesOf({ pending }: PinnedGateway, count: number): Promise<readonly string[]> {
  await until(async () => (await pending()).length === count);
  return (await pending()).map(({ name, held }) => `${name} ${held}`);
}
async function again({ gateway, directory }: PinnedGateway): Promise<PinnedGateway> {
  await gateway.stop();
  return pinnedGateway(directory);
}

describe('plugins/pins: what is kept of a server', () => {
  it('is written a few times, however many tools are seen at once, and others get their turn', async () => {
    const directory = changingServers({ rug: { tools: [TOOL] } }, { mode: 'hold' });
    const pinned = await pinnedGateway(directory);
    const vault = vaultOf(pinned);
    let writes = 0;
    const swap = vault.compareAndSwap.bind(vault);
    vault.compareAndSwap = (key, ...rest) => {
      if (key === KEY) writes += 1;
      return swap(key, ...rest);
    };
    let turns = 0;
    let isSeen = false;
    const turn = (): void => {
      turns += 1;
      if (!isSeen) setImmediate(turn);
    };
    setImmediate(turn);
    await pinned.declare('rug', { tools: [TOOL, ...many(4_000)] });
    await until(async () => JSON.stringify(await vault.get(KEY)).length > 100_000);
    isSeen = true;
    expect(writes).to.be.within(1, 12);
    expect(turns).to.be.above(10);
    const later = await again(pinned);
    expect(await later.pending()).to.deep.equal([]);
    await later.declare('rug', { tools: [TOOL, ...many(3, '!')] });
    expect(await statesOf(later, 3)).to.deep.equal(['x_rug_t0 held', 'x_rug_t1 held', 'x_rug_t2 held']);
  });

  it('counts in the form that former versions have written, also of a long name', async () => {
    const named = { ...TOOL, name: LONG };
    const directory = changingServers({ rug: { tools: [TOOL, named] } }, { mode: 'hold' });
    const pinned = await pinnedGateway(directory);
    const tools = pinned.gateway.kernel.catalogue.visibleTo(requestOf());
    const offeredAs = new Map(tools.map(({ name, declared }) => [declared?.['name'], name]));
    const pins = [TOOL, named].map((tool) => [
      `tools ${tool.name}`,
      offeredAs.get(tool.name),
      [[fingerprint('tools', tool), 1]],
      [],
    ]);
    const texts = [TOOL, named].map((tool) => [`tools ${tool.name}`, JSON.stringify(tool)]);
    const packed = deflateRawSync(JSON.stringify(texts)).toString('base64');
    await vaultOf(pinned).set(KEY, { pins, packed });
    const others = [TOOL, named].map((tool) => ({ ...tool, description: 'Other.' }));
    directory.write('rug.json', JSON.stringify({ tools: others }));
    const later = await again(pinned);
    const states = await statesOf(later, 2);
    expect(states.map((one) => one.replace(/n{10,}\S*/, 'n'))).to.have.members([
      'x_rug_safe held',
      'x_rug_n held',
    ]);
  });

  it('is kept in a form that is not known, and makes no change a first sight', async () => {
    const pinned = await pinnedGateway(changingServers({ rug: { tools: [TOOL] } }, { mode: 'hold' }));
    const newer = { parts: ['of a newer version'] };
    await until(async () => (await vaultOf(pinned).get(KEY)) !== undefined);
    await vaultOf(pinned).set(KEY, newer);
    pinned.directory.write('rug.json', JSON.stringify({ tools: [{ ...TOOL, description: 'Other.' }] }));
    const later = await again(pinned);
    const warning = await later.gateway.log.heard('could not be read or kept');
    expect(JSON.stringify(warning)).to.include('a form that this version of Pegboard does not know');
    await until(() => later.gateway.kernel.catalogue.shared('x_rug_safe'));
    await later.gateway.stop();
    const last = await pinnedGateway(later.directory);
    expect(await vaultOf(last).get(KEY)).to.deep.equal(newer);
  });

  it('has the fingerprints of former versions, also where other forms of JSON sort keys otherwise', () => {
    const inputSchema = { required: ['b', 'a'], properties: { 10: {}, 9: { type: 'string' }, b: {} } };
    expect(fingerprint('tools', { name: 'a', inputSchema })).to.equal(
      '7e007bd501df3e13f105c452ff802ec701109d5cbffef59df92bebf9058b7929',
    );
  });
});
