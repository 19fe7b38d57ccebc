import { expect } from 'chai';
import { askCore } from '../../support/coreTools.ts';
import { changingServers, pinnedGateway, until } from './support.ts';
import type { Declared } from './support.ts';

const COUNT = 3_000;
const words = (seed: number): string =>
  Array.from({ length: 60 }, (_, at) => (seed * 7919 + at * 104_729).toString(36)).join(' ');
const tools = (more: string): Declared[] =>
  Array.from({ length: COUNT }, (_, at) => ({
    name: `t${at}`,
    description: words(at) + more,
    inputSchema: { type: 'object' },
  }));

describe('plugins/pins: many held tools', () => {
  it('holds a server that changes thousands of tools in seconds of CPU', async () => {
    const pinned = await pinnedGateway(changingServers({ rug: { tools: tools('') } }, { mode: 'hold' }));
    await until(() => pinned.gateway.kernel.catalogue.shared(`x_rug_t${COUNT - 1}`));
    const before = process.cpuUsage();
    await pinned.declare('rug', { tools: tools('!') });
    await until(async () => (await pinned.pending()).length === COUNT);
    const { user } = process.cpuUsage(before);
    expect(user / 1e6).to.be.below(8);
  });

  it('are looked at in seconds of CPU when their server changes all of them again and again', async () => {
    const some = (more: string): Declared[] => tools(more).slice(0, 1_000);
    const pinned = await pinnedGateway(changingServers({ rug: { tools: some('') } }));
    await until(() => pinned.gateway.kernel.catalogue.shared('x_rug_t999'));
    const before = process.cpuUsage();
    for (const more of ['1', '2', '3', '4', '5']) await pinned.declare('rug', { tools: some(more) });
    await until(async () => (await pinned.pending()).length === 1_000);
    expect(process.cpuUsage(before).user / 1e6).to.be.below(8);
  });

  it('are shown with what has changed in seconds of CPU, however long their texts are', async () => {
    const long = (step: number): Declared[] =>
      Array.from({ length: 200 }, (_, at) => ({
        name: `t${at}`,
        description: Array.from({ length: 950 }, (__, word) => (word * step) % 9_973).join(' '),
        inputSchema: { type: 'object' },
      }));
    const pinned = await pinnedGateway(changingServers({ rug: { tools: long(7) } }));
    await until(() => pinned.gateway.kernel.catalogue.shared('x_rug_t199'));
    await pinned.declare('rug', { tools: long(13) });
    await until(async () => (await pinned.pending()).length === 200);
    const before = process.cpuUsage();
    const { pins } = await askCore(pinned.gateway, 'core_pins_list', { name: 'rug' });
    expect(pins).to.have.length(200);
    expect(process.cpuUsage(before).user / 1e6).to.be.below(2);
  });
});
