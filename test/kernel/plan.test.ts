import { expect } from 'chai';
import fc from 'fast-check';
import type { Capability } from '../../kernel/capabilities.ts';
import { many, one } from '../../kernel/capabilities.ts';
import type { Plugin, PluginDefinition } from '../../kernel/contracts/plugin.ts';
import { planMove } from '../../kernel/plan.ts';
import type { Wanted } from '../../kernel/contracts/plugin.ts';
import type { RunningFacts } from '../../kernel/plan.ts';
import { pluginOf, refusalOf, wantedOf } from '../support/kernel.ts';

const Pool = one<string>('pool');
const Store = one<string>('store');
const Route = many<string>('route');

function plugin(name: string, more: Partial<PluginDefinition<unknown>> = {}): Plugin {
  return pluginOf(name, () => undefined, more);
}
function orderOf(wanted: readonly Wanted[], provided: readonly string[] = []): string[] {
  return planMove(new Map(), wanted, new Set(provided)).order.map((next) => next.plugin.name);
}
function runningOf(
  ...facts: readonly (Wanted & Partial<RunningFacts['scope']>)[]
): Map<string, RunningFacts> {
  return new Map(
    facts.map(({ plugin, config, canReload = false, hasStarted = true }) => [
      plugin.name,
      { plugin, config, scope: { canReload, hasStarted } },
    ]),
  );
}

describe('planMove', () => {
  it('starts providers before those that require them, ties by name', () => {
    const wanted = wantedOf(
      plugin('a', { requires: [Store] }),
      plugin('z', { provides: [Store], requires: [Pool] }),
      plugin('m', { provides: [Pool] }),
      plugin('b'),
    );
    expect(orderOf(wanted)).to.deep.equal(['b', 'm', 'z', 'a']);
  });

  it('starts all providers of a `many` capability before the plugins that require it', () => {
    const wanted = wantedOf(
      plugin('a', { requires: [Route] }),
      plugin('b', { provides: [Route] }),
      plugin('c', { provides: [Route] }),
    );
    expect(orderOf(wanted)).to.deep.equal(['b', 'c', 'a']);
  });

  it('starts providers before the plugins that use them optionally, and plans without them', () => {
    const user = plugin('a', { uses: [Store] });
    expect(orderOf(wantedOf(user, plugin('b', { provides: [Store] })))).to.deep.equal(['b', 'a']);
    expect(orderOf(wantedOf(user))).to.deep.equal(['a']);
    expect(orderOf(wantedOf(user), ['store'])).to.deep.equal(['a']);
  });

  it('starts edges last', () => {
    expect(orderOf(wantedOf(plugin('a', { edge: true }), plugin('b'), plugin('c')))).to.deep.equal([
      'b',
      'c',
      'a',
    ]);
  });

  it('counts capabilities of the kernel as provided', () => {
    expect(orderOf(wantedOf(plugin('a', { requires: [Pool] })), ['pool'])).to.deep.equal(['a']);
  });

  it('refuses a requirement without a provider, naming plugin, capability and what to do', async () => {
    const error = await refusalOf(() => orderOf(wantedOf(plugin('a', { requires: [Pool] }))));
    expect(error.code).to.equal('CONFIG_REFERENCE');
    expect(error.message).to.equal(
      'plugin a requires pool, which no plugin provides; enable a plugin that does, or switch a off',
    );
  });

  it('refuses two providers of a `one` capability, naming both', async () => {
    const wanted = wantedOf(plugin('b', { provides: [Pool] }), plugin('a', { provides: [Pool] }));
    const error = await refusalOf(() => orderOf(wanted));
    expect(error.code).to.equal('CONFIG_REFERENCE');
    expect(error.message).to.contain('a and b both provide pool');
  });

  it('refuses a plugin that provides a `one` capability of the kernel', async () => {
    const error = await refusalOf(() => orderOf(wantedOf(plugin('a', { provides: [Pool] })), ['pool']));
    expect(error.code).to.equal('CONFIG_REFERENCE');
    expect(error.message).to.contain('a').and.contain('kernel').and.contain('pool');
  });

  it('refuses a circle, naming its members only', async () => {
    const wanted = wantedOf(
      plugin('a', { requires: [Pool], provides: [Store] }),
      plugin('b', { requires: [Store], provides: [Pool] }),
      plugin('free'),
    );
    const error = await refusalOf(() => orderOf(wanted));
    expect(error.code).to.equal('CONFIG_REFERENCE');
    expect(error.message).to.match(/circle: a, b$/);
  });

  it('plans start, stop, restart, reload and keep by deep equality of the configuration', () => {
    const [keep, reload, restart, recoded, gone] = ['keep', 'reload', 'restart', 'recoded', 'gone'].map(
      (name) => plugin(name),
    ) as [Plugin, Plugin, Plugin, Plugin, Plugin];
    const running = runningOf(
      { plugin: keep, config: { a: [1] } },
      { plugin: reload, config: 1, canReload: true },
      { plugin: restart, config: 1 },
      { plugin: recoded, config: 1, canReload: true },
      { plugin: gone, config: 1 },
    );
    const wanted: Wanted[] = [
      { plugin: keep, config: { a: [1] } },
      { plugin: reload, config: 2 },
      { plugin: restart, config: 2 },
      { plugin: plugin('recoded'), config: 1 },
      { plugin: plugin('fresh'), config: 1 },
    ];
    expect(Object.fromEntries(planMove(running, wanted, new Set()).actions)).to.deep.equal({
      keep: 'keep',
      reload: 'reload',
      restart: 'restart',
      recoded: 'restart',
      gone: 'stop',
      fresh: 'start',
    });
  });

  it('starts a plugin that never started, whatever its configuration', () => {
    const left = plugin('a');
    const running = runningOf({ plugin: left, config: 1, canReload: true, hasStarted: false });
    for (const config of [1, 2]) {
      expect(planMove(running, [{ plugin: left, config }], new Set()).actions.get('a')).to.equal('restart');
    }
  });

  it('restarts a plugin when forced', () => {
    const kept = plugin('a');
    const running = runningOf({ plugin: kept, config: 1, canReload: true });
    const { actions } = planMove(running, [{ plugin: kept, config: 1 }], new Set(), new Set(['a']));
    expect(actions.get('a')).to.equal('restart');
  });

  it('always respects requirements, and does not depend on the order of config.yaml', () => {
    // A plugin requires only capabilities of plugins with smaller numbers, so there is no circle; names are shuffled.
    const graph = fc.integer({ min: 1, max: 9 }).chain((size) =>
      fc.record({
        names: fc.shuffledSubarray(Array.from('abcdefghi'), { minLength: size, maxLength: size }),
        edges: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 }),
        shuffle: fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
      }),
    );
    fc.assert(
      fc.property(graph, ({ names, edges, shuffle }) => {
        const needs = (user: number): number[] =>
          edges.filter(([a, b]) => a === user && b < user).map(([, b]) => b);
        const plugins = names.map((name, at) => {
          const requires: Capability<unknown>[] = needs(at).map((provider) => one(`cap-${provider}`));
          return plugin(name, { provides: [one(`cap-${at}`)], requires });
        });
        const order = orderOf(wantedOf(...plugins));
        for (const [at, name] of names.entries()) {
          for (const provider of needs(at))
            expect(order.indexOf(names[provider]!)).below(order.indexOf(name));
        }
        expect(orderOf(wantedOf(...shuffle.map((at) => plugins[at]!)))).to.deep.equal(order);
      }),
    );
  });
});
