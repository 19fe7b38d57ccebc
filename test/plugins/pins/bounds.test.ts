import { expect } from 'chai';
import { TOOL, called, changingServers, pinnedGateway, until } from './support.ts';
import type { Declared, PinnedGateway } from './support.ts';

const tool = (name: string, description: string): Declared => ({ ...TOOL, name, description });
const long = (step: number): string =>
  Array.from({ length: 6_000 }, (_, at) => ((at * step * 7_919) % 1_000_003).toString(36)).join(' ');
async function heldOf({ pending }: PinnedGateway, count: number): Promise<readonly string[]> {
  await until(async () => (await pending()).length === count);
  return (await pending()).map(({ name, state, held }) => `${name} ${state} ${held}`);
}

describe('plugins/pins: bounds', () => {
  it('keep the texts that fit beside one that does not, which hold takes out', async () => {
    const tools = (more: string): Declared[] => [
      tool('a', `One.${more}`),
      tool('huge', long(3) + more),
      tool('z', `Two.${more}`),
    ];
    const config = { mode: 'hold', maxTextBytes: 4_096 };
    const pinned = await pinnedGateway(changingServers({ rug: { tools: tools('') } }, config));
    await until(() => pinned.gateway.kernel.catalogue.shared('x_rug_z'));
    await pinned.declare('rug', { tools: tools('!') });
    expect(await heldOf(pinned, 3)).to.deep.equal([
      'x_rug_a changed held',
      'x_rug_huge changed blocked',
      'x_rug_z changed held',
    ]);
  });

  it('take out what cannot be pinned where what changes is not to be offered', async () => {
    const two = [tool('a', 'One.'), tool('b', 'Two.')];
    const modes = { held: { pin: 'hold' }, blocked: { pin: 'block' } };
    const servers = { held: { tools: two }, blocked: { tools: two }, warned: { tools: two } };
    // Besides the two tools a server has its own name.
    const pinned = await pinnedGateway(changingServers(servers, { maxPins: 2 }, modes));
    const states = await heldOf(pinned, 3);
    expect(states.map((one) => one.replace(/^x_(\w+?)_[ab] |^(\w+) /, '$1$2 '))).to.have.members([
      'held beyond blocked',
      'blocked beyond blocked',
      'warned beyond warned',
    ]);
    const [pin] = (await pinned.pending()).filter(({ name }) => name.startsWith('x_held'));
    if (pin === undefined) return;
    expect(await called(pinned.client, pin.name, { note: 'n' })).to.contain('maxPins');
    await pinned.accept(pin.name, pin.hash);
    expect(await called(pinned.client, pin.name, { note: 'n' })).to.contain('n');
  });
});
