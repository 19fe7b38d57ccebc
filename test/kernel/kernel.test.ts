import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { DecisionLayer } from '../../kernel/contracts/decision.ts';
import { many, one } from '../../kernel/capabilities.ts';
import type { Plugin, PluginDefinition, Scope } from '../../kernel/contracts/plugin.ts';
import { ToolTable } from '../../kernel/contracts/decision.ts';
import { CallPath } from '../../kernel/contracts/call.ts';
import { RequestGate } from '../../kernel/contracts/request.ts';
import { GatewayError, messageOf } from '../../kernel/errors.ts';
import { makeKernel, pluginOf, refusalOf, toolOf, wantedOf } from '../support/kernel.ts';
import { factsOf } from '../support/requests.ts';
import { within } from '../support/until.ts';

const Pool = one<string>('pool');
const Item = many<string>('item');

/** A plugin that records its life cycle in `story`. */
function teller(story: string[], name: string, more: Partial<PluginDefinition<unknown>> = {}): Plugin {
  return pluginOf(
    name,
    (scope) => {
      scope.onStart(() => void story.push(`+${name}`));
      scope.onStop(() => void story.push(`-${name}`));
    },
    more,
  );
}

describe('Kernel', () => {
  it('provides the call path, the request gate and the tool table', () => {
    const { kernel } = makeKernel();
    for (const { id } of [CallPath, RequestGate, ToolTable])
      expect(kernel.registry.get(id)).not.to.equal(undefined);
  });

  it('starts providers first, stops them last, and stops the old before it starts the new', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const user = teller(story, 'a-user', { requires: [Pool] });
    await kernel.move(wantedOf(user, teller(story, 'b-provider', { provides: [Pool] })));
    await kernel.move(wantedOf(teller(story, 'c-next')));
    expect(story).to.deep.equal(['+b-provider', '+a-user', '-a-user', '-b-provider', '+c-next']);
  });

  it('reports what it did to each plugin', async () => {
    const { kernel } = makeKernel();
    const [a, b, c] = [pluginOf('a'), pluginOf('b'), pluginOf('c')];
    expect(Object.fromEntries(await kernel.move(wantedOf(a, b)))).to.deep.equal({ a: 'start', b: 'start' });
    const second = await kernel.move(wantedOf(a, [b, { changed: true }], c));
    expect(Object.fromEntries(second)).to.deep.equal({ a: 'keep', b: 'restart', c: 'start' });
    expect(Object.fromEntries(await kernel.move(wantedOf(a)))).to.include({ b: 'stop', c: 'stop' });
  });

  it('keeps a plugin whose configuration is equal: same scope, nothing called', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const plugin = teller(story, 'a');
    await kernel.move(wantedOf([plugin, { deep: [1, { x: 1 }] }]));
    await kernel.move(wantedOf([plugin, { deep: [1, { x: 1 }] }]));
    expect(story).to.deep.equal(['+a']);
  });

  it('hands a changed configuration to onReload instead of restarting', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    let scope: Scope<unknown> | undefined;
    const plugin = pluginOf('a', (own) => {
      scope = own;
      story.push('apply');
      own.onReload((next) => void story.push(`reload ${JSON.stringify(next)}`));
    });
    await kernel.move(wantedOf([plugin, 1]));
    const actions = await kernel.move(wantedOf([plugin, 2]));
    expect(actions.get('a')).to.equal('reload');
    expect(story).to.deep.equal(['apply', 'reload 2']);
    expect(scope!.config).to.equal(2);
    expect((await kernel.move(wantedOf([plugin, 2]))).get('a')).to.equal('keep');
  });

  it('warns when a guarding plugin is switched off, and not for other plugins', async () => {
    const { kernel, log } = makeKernel();
    const layer = { layer: 'x', order: 1, judge: () => undefined };
    const deciding = { provides: [DecisionLayer] };
    await kernel.move(
      wantedOf(
        pluginOf('a-requests', (scope) => scope.tap('onRequest', () => undefined)),
        pluginOf('b-calls', (scope) => scope.tap('onCall', () => undefined)),
        pluginOf('times', (scope) => scope.tap('onCall', (_, next) => next())),
        pluginOf('c-decides', (scope) => scope.provide(DecisionLayer, layer), deciding),
        pluginOf('d-watches', (scope) => scope.tap('onEvent', () => undefined)),
      ),
    );
    await kernel.move([]);
    const told = log.having('that guards requests or calls was switched off', 'warn');
    expect(told.map(({ data }) => data['plugin'])).to.deep.equal(['a-requests', 'b-calls', 'c-decides']);
    await kernel.stop();
    expect(log.having('was switched off')).to.have.length(3);
  });

  it('does not warn of a guarding plugin when the first start fails', async () => {
    const { kernel, log } = makeKernel();
    const start = kernel.move(
      wantedOf(
        pluginOf('a-guards', (scope) => scope.tap('onRequest', () => undefined)),
        pluginOf('b-fails', (scope) => scope.onStart(() => Promise.reject(new Error('no port')))),
      ),
    );
    expect(await start.then(String, String)).to.include('no port');
    expect(log.having('was switched off')).to.deep.equal([]);
  });

  it('restarts a plugin whose onReload throws', async () => {
    const story: string[] = [];
    const { kernel, log } = makeKernel();
    const plugin = pluginOf('a', (own) => {
      own.onReload(() => {
        throw new Error('too much');
      });
      own.onStart(() => void story.push(`start ${String(own.config)}`));
      own.onStop(() => void story.push(`stop ${String(own.config)}`));
    });
    await kernel.move(wantedOf([plugin, 1]));
    const actions = await kernel.move(wantedOf([plugin, 2]));
    expect(actions.get('a')).to.equal('restart');
    expect(story).to.deep.equal(['start 1', 'stop 1', 'start 2']);
    expect(log.having('restarting it', 'warn')[0]?.data).to.include({ plugin: 'a' });
  });

  it('refuses the whole change when onReload throws PLUGIN_START, and restarts nothing', async () => {
    const { kernel } = makeKernel();
    const ran: string[] = [];
    const picky = pluginOf('picky', (scope) => {
      scope.onStart(() => void ran.push('start'));
      scope.onStop(() => void ran.push('stop'));
      scope.onReload(() => {
        throw new GatewayError('PLUGIN_START', 'the port is taken');
      });
    });
    await kernel.move(wantedOf([picky, 1]));
    const refusal = await refusalOf(() => kernel.move(wantedOf([picky, 2], pluginOf('other'))));
    expect([refusal.code, refusal.message]).to.deep.equal([
      'PLUGIN_START',
      'plugin picky did not start: the port is taken',
    ]);
    expect(kernel.running.map(({ plugin, config }) => [plugin.name, config])).to.deep.equal([['picky', 1]]);
    expect(ran).to.deep.equal(['start']);
  });

  it('changes nothing when apply() throws', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const good = teller(story, 'good');
    await kernel.move(wantedOf(good));
    const { generation } = kernel.bus;
    const bad = pluginOf('bad', (scope) => {
      scope.addTool(toolOf('x'));
      scope.tap('onRequest', () => ({ status: 500 }));
      throw new Error('boom');
    });
    const error = await refusalOf(() => kernel.move(wantedOf(bad)));
    expect(error.code).to.equal('PLUGIN_START');
    expect(error.message).to.contain('bad').and.contain('apply()').and.contain('boom');
    expect(kernel.bus.generation).to.equal(generation);
    expect(kernel.catalogue.owned).to.deep.equal([]);
    expect(kernel.running.map(({ plugin }) => plugin.name)).to.deep.equal(['good']);
    expect(story).to.deep.equal(['+good']);
  });

  it('changes nothing when the plan has a fault', async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(pluginOf('good')));
    const error = await refusalOf(() =>
      kernel.move(wantedOf(pluginOf('bad', undefined, { requires: [Pool] }))),
    );
    expect(error.code).to.equal('CONFIG_REFERENCE');
    expect(kernel.running.map(({ plugin }) => plugin.name)).to.deep.equal(['good']);
  });

  it('returns to the former set, once, when onStart throws, and reports it', async () => {
    const story: string[] = [];
    const { kernel, log } = makeKernel();
    const kept = teller(story, 'kept');
    const gone = teller(story, 'gone');
    const bad = pluginOf('bad', (scope) => {
      scope.tap('onRequest', () => ({ status: 500 }));
      scope.addTool(toolOf('of-bad'));
      scope.onStart(() => {
        throw new Error('port is taken');
      });
      scope.onStop(() => void story.push('-bad'));
    });
    await kernel.move(wantedOf(kept, gone));
    story.length = 0;
    const error = await refusalOf(() => kernel.move(wantedOf(bad, kept)));
    expect(error.code).to.equal('PLUGIN_START');
    expect(error.message).to.contain('plugin bad did not start: port is taken');
    expect(log.having('going back', 'error')).to.have.length(1);
    expect(story).to.deep.equal(['-gone', '-bad', '+gone']);
    expect(kernel.running.map(({ plugin }) => plugin.name)).to.deep.equal(['gone', 'kept']);
    expect(kernel.catalogue.owned).to.deep.equal([]);
    expect(kernel.bus.hooks.onRequest.isUsed()).to.equal(false);
  });

  it('restores the former configuration when a restarted plugin does not start with the new one', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const plugin = pluginOf('a', (own) => {
      own.onStart(() => {
        if (own.config === 2) throw new Error('boom');
        story.push(`start ${String(own.config)}`);
      });
      own.onReload(() => {
        throw new Error('cannot');
      });
    });
    await kernel.move(wantedOf([plugin, 1]));
    await refusalOf(() => kernel.move(wantedOf([plugin, 2])));
    expect(story).to.deep.equal(['start 1', 'start 1']);
    expect(kernel.running[0]?.config).to.equal(1);
  });

  it('starts a plugin that a failed start kept from starting, also when it could have reloaded', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const reloadable = (name: string, startFails: boolean): Plugin => {
      let reloads = 0;
      return pluginOf(name, (own) => {
        own.onReload(() => {
          if (reloads++ === 0) throw new Error('cannot');
        });
        own.onStart(() => {
          if (startFails && own.config === 2) throw new Error('boom');
          story.push(`+${name} ${String(own.config)}`);
        });
      });
    };
    const [first, second] = [reloadable('a', true), reloadable('b', false)];
    await kernel.move(wantedOf([first, 1], [second, 1]));
    await refusalOf(() => kernel.move(wantedOf([first, 2], [second, 2])));
    expect(story).to.deep.equal(['+a 1', '+b 1', '+a 1', '+b 1']);
  });

  it('names both plugins when restoring the former set fails too', async () => {
    const { kernel } = makeKernel();
    let starts = 0;
    const once = pluginOf('once', (scope) =>
      scope.onStart(() => {
        if (starts++ > 0) throw new Error('only once');
      }),
    );
    const bad = pluginOf('bad', (scope) =>
      scope.onStart(() => {
        throw new Error('boom');
      }),
    );
    await kernel.move(wantedOf(once));
    const error = await refusalOf(() => kernel.move(wantedOf(bad)));
    expect(error.code).to.equal('PLUGIN_START');
    expect(error.message).to.contain('bad').and.contain('boom').and.contain('once').and.contain('only once');
  });

  it('stops edges before all others, so that requests they accepted are still served', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const edge = pluginOf(
      'a-edge',
      (scope) => {
        scope.onStart(() => void story.push('+edge'));
        scope.onStop(async () => {
          await kernel.gate.open(factsOf());
          story.push('-edge');
        });
      },
      { edge: true },
    );
    const guard = pluginOf('b-guard', (scope) => {
      scope.tap('onRequest', () => void story.push('guarded'));
      scope.onStop(() => void story.push('-guard'));
    });
    await kernel.move(wantedOf(edge, guard));
    await kernel.stop();
    expect(story).to.deep.equal(['+edge', 'guarded', '-edge', '-guard']);
  });

  it('stops everything although a plugin requires what an edge provides', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const edge = teller(story, 'edge', { edge: true, provides: [Pool] });
    await kernel.move(wantedOf(edge, teller(story, 'user', { requires: [Pool] })));
    await kernel.stop();
    expect(story.slice(2)).to.have.members(['-edge', '-user']);
    expect(kernel.running).to.deep.equal([]);
  });

  it('drains leaving plugins while the others still have their tools and capabilities, and does not drain staying ones', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    const worker = pluginOf('a-worker', (scope) => {
      scope.onDrain(async () => {
        await Promise.resolve();
        story.push(
          `drained with ${scope.get(Pool)} and ${kernel.catalogue.shared('helper')?.name ?? 'no tool'}`,
        );
      });
      scope.onStop(() => void story.push('-worker'));
    });
    const pool = pluginOf(
      'b-pool',
      (scope) => {
        scope.provide(Pool, 'water');
        scope.addTool(toolOf('helper'));
      },
      { provides: [Pool] },
    );
    await kernel.move(wantedOf(worker, pool));
    await kernel.move(wantedOf(worker, pool, teller(story, 'c')));
    expect(story).to.deep.equal(['+c']);
    await kernel.stop();
    expect(story.slice(1)).to.deep.equal(['drained with water and helper', '-c', '-worker']);
  });

  it('continues when a drain takes too long or throws', async () => {
    const { kernel, log } = makeKernel({ drainMs: 20 });
    const slow = pluginOf('slow', (scope) => {
      scope.onDrain(() => new Promise(() => undefined));
    });
    const broken = pluginOf('broken', (scope) => {
      scope.onDrain(() => {
        throw new Error('stuck');
      });
    });
    await kernel.move(wantedOf(slow, broken));
    await kernel.stop();
    expect(kernel.running).to.deep.equal([]);
    expect(log.having('plugin did not drain cleanly', 'error')).to.have.length(1);
  });

  it('waits longer for the drain of an edge, which serves clients until a load balancer sends them elsewhere', async () => {
    const { kernel } = makeKernel({ drainMs: 20 });
    const story: string[] = [];
    const edge = pluginOf(
      'front',
      (scope) => {
        scope.onDrain(async () => {
          await pause(200);
          story.push('drained');
        });
        scope.onStop(() => void story.push('-front'));
      },
      { edge: true },
    );
    await kernel.move(wantedOf(edge, teller(story, 'inner')));
    await kernel.stop();
    expect(story).to.deep.equal(['+inner', 'drained', '-front', '-inner']);
  });

  it('may be stopped twice and before anything ran', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    await kernel.stop();
    await kernel.move(wantedOf(teller(story, 'a')));
    await kernel.stop();
    await kernel.stop();
    expect(story).to.deep.equal(['+a', '-a']);
  });

  it('calls onStop of a plugin that never started', async () => {
    const story: string[] = [];
    const { kernel } = makeKernel();
    await kernel.rehearse(wantedOf(teller(story, 'a')));
    await kernel.stop();
    expect(story).to.deep.equal(['-a']);
  });

  it('keeps the tools that a kept plugin derives from a new provider', async () => {
    const { kernel } = makeKernel();
    const maker = pluginOf('maker', (scope) => scope.each(Item, (name) => scope.addTool(toolOf(name))));
    const provider = (value: string): Plugin =>
      pluginOf('provider', (scope) => scope.provide(Item, value), { provides: [Item] });
    const names = (): string[] => kernel.catalogue.owned.map(({ tool }) => tool.name);
    await kernel.move(wantedOf(maker));
    await kernel.move(wantedOf(maker, provider('first')));
    expect(names()).to.deep.equal(['first']);
    await kernel.move(wantedOf(maker, provider('second')));
    expect(names()).to.deep.equal(['second']);
    await kernel.move(wantedOf(maker));
    expect(names()).to.deep.equal([]);
  });

  it('accepts no more tools from a plugin that is leaving', async () => {
    const { kernel } = makeKernel();
    let leaving: Scope<unknown> | undefined;
    const slow = pluginOf('a-slow', (scope) => {
      leaving = scope;
    });
    const last = pluginOf('b-last', (scope) => scope.onStop(() => void leaving?.addTool(toolOf('ghost'))));
    await kernel.move(wantedOf(slow, last));
    await kernel.move([]);
    expect(kernel.catalogue.owned).to.deep.equal([]);
  });

  it('orders tools by the plan, not by the order of restarts', async () => {
    const { kernel } = makeKernel();
    const [a, b] = ['a', 'b'].map((name) =>
      pluginOf(name, (scope) => void scope.addTool(toolOf(name, { kind: 'meta' }))),
    );
    await kernel.move(wantedOf(a!, b!));
    await kernel.move(wantedOf([a!, 'changed'], b!));
    expect(kernel.catalogue.metaTools().map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });

  it('logs which plugin keeps a tool name that two plugins add', async () => {
    const { kernel, log } = makeKernel();
    const adder = (name: string): Plugin => pluginOf(name, (scope) => void scope.addTool(toolOf('x')));
    await kernel.move(wantedOf(adder('a'), adder('b')));
    expect(kernel.catalogue.owned.map(({ owner }) => owner)).to.deep.equal(['a']);
    const [record] = log.having('tool refused', 'error');
    expect(record?.data['error']).to.have.property('code', 'TOOL_DUPLICATE');
    expect(messageOf(record?.data['error'])).to.contain('plugin a').and.contain('plugin b');
  });

  it('opens no request once it has stopped', async () => {
    const { kernel } = makeKernel();
    await kernel.move(
      wantedOf(pluginOf('guard', (scope) => scope.tap('onRequest', () => ({ status: 401 })))),
    );
    await kernel.stop();
    const outcome = await kernel.gate.open(factsOf()).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error).with.property('code', 'PLUGIN_STOPPED');
  });

  it('moves twenty plugins with three taps each in well under the time of a request', async () => {
    const { kernel } = makeKernel();
    const plugins = Array.from({ length: 20 }, (_, at) =>
      pluginOf(`p${at}`, (scope) => {
        for (let tap = 0; tap < 3; tap += 1) scope.tap('onCall', () => undefined);
      }),
    );
    await within(kernel.move(wantedOf(...plugins)), { withinMs: 1_000 });
    expect(kernel.bus.hooks.onCall.isUsed()).to.equal(true);
  });
});
