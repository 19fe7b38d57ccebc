import { expect } from 'chai';
import * as api from '../../../../kernel/index.ts';
import { definePlugin, many, one } from '../../../../kernel/index.ts';
import type { Plugin } from '../../../../kernel/index.ts';
import { builtInNames, loadBuiltIn } from '../../../../kernel/loader.ts';
import { planMove } from '../../../../kernel/plan.ts';
import { BY_KERNEL, startGraph } from '../../../../plugins/cli/graph/startGraph.ts';
import * as contracts from '../../../../plugins/contracts.ts';
import { composeGateway } from '../../../support/gateway.ts';
import { tokensOf } from '../../../support/tokens.ts';

const [A, B, C] = [one<string>('a'), one<string>('b'), many<string>('c')];

const plugin = (name: string, rest: Partial<Plugin> = {}): Plugin =>
  definePlugin({ name, api: 1, configSchema: {}, apply: () => undefined, ...rest });

describe('startGraph', () => {
  it('puts each plugin on the floor above the highest of those for which it waits, edges last', () => {
    const graph = startGraph([
      plugin('door', { edge: true }),
      plugin('third', { requires: [B], uses: [A] }),
      plugin('second', { uses: [A, C], provides: [B] }),
      plugin('first', { provides: [A] }),
      plugin('also', { provides: [C] }),
    ]);
    expect(graph.map(({ plugin: { name }, floor, waits }) => [name, floor, waits])).deep.equal([
      ['also', 1, []],
      ['first', 1, []],
      ['second', 2, ['also', 'first']],
      ['third', 3, ['second']],
      ['door', 1, []],
    ]);
  });

  it('waits neither for a capability that is only asked for, nor for those of the kernel', () => {
    const [asking] = startGraph([
      plugin('asking', { asks: [A], requires: [one('config-control')] }),
      plugin('first', { provides: [A] }),
    ]);
    expect(asking).include({ floor: 1 }).and.deep.include({ waits: [] });
  });

  it('has no floor for plugins that wait for one another, nor for those above', () => {
    const graph = startGraph([
      plugin('hen', { requires: [A], provides: [B] }),
      plugin('egg', { uses: [B], provides: [A] }),
      plugin('farm', { uses: [A] }),
    ]);
    expect(graph.map(({ floor }) => floor)).deep.equal([undefined, undefined, undefined]);
    expect(graph.find(({ plugin: { name } }) => name === 'hen')?.waits).deep.equal(['egg']);
  });

  it('knows what the kernel and the program provide', async () => {
    const { kernel } = await composeGateway();
    const ids = tokensOf(api, contracts).map(([, { id }]) => id);
    expect([...BY_KERNEL].sort()).deep.equal(ids.filter((id) => kernel.registry.all(id).length > 0).sort());
  });

  it('agrees with the order in which the kernel starts the built-in plugins', async () => {
    const isLeftOut = ['pods', 'store-kubernetes', 'vault-memory', 'vault-redis'];
    const all = await Promise.all((await builtInNames()).map(loadBuiltIn));
    const plugins = all.filter(({ name }) => !isLeftOut.includes(name));
    const wanted = plugins.map((one) => ({ plugin: one, config: {} }));
    const order = planMove(new Map(), wanted, new Set(BY_KERNEL)).order.map((one) => one.plugin.name);
    const early = startGraph(plugins).flatMap(({ plugin: { name }, floor, waits }) =>
      floor !== undefined && waits.every((other) => order.indexOf(other) < order.indexOf(name)) ? [] : [name],
    );
    expect(early).deep.equal([]);
  });
});
