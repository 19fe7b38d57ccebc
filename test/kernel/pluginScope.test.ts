import { expect } from 'chai';
import { many, one } from '../../kernel/capabilities.ts';
import type { Scope } from '../../kernel/contracts/plugin.ts';
import type { Tool } from '../../kernel/contracts/call.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { textResult } from '../../kernel/lib/results.ts';
import { STAGE } from '../../kernel/contracts/stage.ts';
import { makeKernel, pluginOf, refusalOf, toolOf, wantedOf } from '../support/kernel.ts';
import { factsOf, requestOf } from '../support/requests.ts';
import { gate, until } from '../support/until.ts';

const Pool = one<string>('acme/pool');
const Item = many<string>('acme/item');

/** Runs a plugin and returns its scope. */
async function running(apply: (scope: Scope<unknown>) => void, more = {}) {
  let scope: Scope<unknown> | undefined;
  const plugin = pluginOf(
    'guest',
    (own) => {
      scope = own;
      apply(own);
    },
    more,
  );
  const { kernel, log } = makeKernel({ drainMs: 1_000 });
  await kernel.move(wantedOf(plugin));
  return { kernel, log, scope: scope! };
}

describe('Scope', () => {
  it('names plugin and hook when a tap throws a foreign error, hides the text and keeps the cause', async () => {
    for (const fail of [
      () => {
        throw new TypeError('boom');
      },
      () => Promise.reject(new TypeError('boom')),
    ]) {
      const { kernel } = await running((scope) => scope.tap('onRequest', fail));
      const error = await refusalOf(() => kernel.gate.open(factsOf()));
      expect(error.code).to.equal('PLUGIN_TAP');
      expect(error.message).to.contain('guest').and.contain('onRequest');
      expect(error.expose).to.equal(false);
      expect(error.cause).to.be.instanceOf(TypeError);
    }
  });

  it('lets a GatewayError of a tap pass unchanged', async () => {
    const refusal = new GatewayError('REQUEST_FORBIDDEN', 'caller is suspended');
    const { kernel } = await running((scope) =>
      scope.tap('onRequest', () => {
        throw refusal;
      }),
    );
    expect(await refusalOf(() => kernel.gate.open(factsOf()))).to.equal(refusal);
  });

  it('refuses to provide a capability that the manifest does not list', async () => {
    const error = await refusalOf(() => running((scope) => scope.provide(Pool, 'P'), { provides: [Item] }));
    expect(error.code).to.equal('PLUGIN_CONTRACT');
    expect(error.message).to.contain('guest').and.contain('acme/pool').and.contain('provides');
  });

  it('refuses an unknown hook, naming the plugin and the nearest hook', async () => {
    for (const [hook, fix] of [
      ['onCal', 'did you mean onCall?'],
      ['zzz', 'there are onConfigLoad, onConfigApply, onToolRegister, onRequest, onCall, onEvent'],
    ] as const) {
      const error = await refusalOf(() => running((scope) => scope.tap(hook as 'onCall', () => undefined)));
      expect(error.code).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.equal(`plugin guest taps the hook "${hook}", which does not exist; ${fix}`);
    }
  });

  it('refuses a value that is not a tool, naming plugin, tool and fix, in apply() and later', async () => {
    const { scope } = await running(() => undefined);
    for (const [more, words] of [
      [{ name: 'a b' }, 'tool "a b" "name" must have 1 to 128 letters, digits, "_", "-", "." or "/"'],
      [{ name: undefined }, 'its "name" must have'],
      [{ kind: undefined }, 'tool "x": "kind" must be one of meta, core, tool, workflow'],
      [
        { inputSchema: undefined },
        `tool "x": "inputSchema" must be a JSON schema, at least { type: 'object' }`,
      ],
      [{ invoke: undefined }, 'tool "x": "invoke" must be a function'],
    ] as const) {
      const tool = toolOf('x', more as unknown as Partial<Tool>);
      for (const add of [() => running((own) => void own.addTool(tool)), () => scope.addTool(tool)]) {
        const error = await refusalOf(add);
        expect(error.code).to.equal('PLUGIN_CONTRACT');
        expect(error.message).to.contain(`plugin guest adds a tool that is not valid: ${words}`);
      }
    }
    scope.addTool(toolOf('x_server_name of a server', { server: 'server' }));
  });

  it('refuses tap() and provide() after apply()', async () => {
    const { scope } = await running(() => undefined, { provides: [Pool] });
    for (const late of [() => scope.tap('onEvent', () => undefined), () => scope.provide(Pool, 'P')]) {
      const error = await refusalOf(late);
      expect(error.code).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.contain('apply()');
    }
  });

  it('removes taps, tools, capabilities and subscriptions when it stops', async () => {
    const left: string[] = [];
    const { kernel, scope } = await running(
      (own) => {
        own.tap('onRequest', () => ({ status: 401 }));
        own.tap('onCall', () => textResult('early'));
        own.provide(Item, 'mine');
        own.each(Item, (value) => () => void left.push(value));
        own.addTool(toolOf('staged'));
        own.onStart(() => void own.addTool(toolOf('live')));
      },
      { provides: [Item] },
    );
    expect(kernel.catalogue.owned.map(({ tool }) => tool.name)).to.deep.equal(['staged', 'live']);
    await kernel.move([]);
    for (const hook of ['onRequest', 'onCall'] as const)
      expect(kernel.bus.hooks[hook].isUsed()).to.equal(false);
    expect(kernel.catalogue.owned).to.deep.equal([]);
    expect(kernel.registry.all(Item.id)).to.deep.equal([]);
    expect(left).to.deep.equal(['mine']);
    expect(scope.signal.aborted).to.equal(true);
    scope.addTool(toolOf('late'));
    expect(kernel.catalogue.shared('late')).to.equal(undefined);
    scope.each(Item, () => void left.push('late'));
    await kernel.move(wantedOf(pluginOf('other', (own) => own.provide(Item, 'x'), { provides: [Item] })));
    expect(left).to.deep.equal(['mine']);
  });

  it('removes a tool by the function addTool returned, staged or live', async () => {
    const takeOut: (() => void)[] = [];
    const { kernel, scope } = await running((own) => {
      takeOut.push(own.addTool(toolOf('never')));
      takeOut.pop()!();
      takeOut.push(own.addTool(toolOf('staged')));
    });
    expect(kernel.catalogue.owned.map(({ tool }) => tool.name)).to.deep.equal(['staged']);
    takeOut.push(scope.addTool(toolOf('live')));
    for (const run of takeOut) run();
    expect(kernel.catalogue.owned).to.deep.equal([]);
  });

  it('throws TOOL_DUPLICATE for a live tool whose name is taken, naming both plugins', async () => {
    const { scope } = await running((own) => void own.addTool(toolOf('x')));
    const error = await refusalOf(() => scope.addTool(toolOf('x')));
    expect(error.code).to.equal('TOOL_DUPLICATE');
    expect(error.message).to.contain('x').and.contain('guest');
  });

  it('waits for running taps before it aborts its signal and runs onStop, last in first out', async () => {
    const story: string[] = [];
    const { opened, open } = gate();
    const { kernel } = await running((scope) => {
      scope.tap('onRequest', () =>
        opened.then(() => void story.push(`tap, aborted: ${String(scope.signal.aborted)}`)),
      );
      scope.onStop(() => void story.push('first'));
      scope.onStop(() => void story.push(`second, aborted: ${String(scope.signal.aborted)}`));
    });
    const request = kernel.gate.open(factsOf());
    const stopping = kernel.move([]);
    open();
    await Promise.all([request, stopping]);
    expect(story).to.deep.equal(['tap, aborted: false', 'second, aborted: true', 'first']);
  });

  it('keeps its subscriptions until it stops, so that runs under way still find them', async () => {
    const routes = new Set<unknown>();
    const { opened, open } = gate();
    const { kernel } = await running(
      (scope) => {
        scope.provide(Item, 'route');
        scope.each(Item, (value) => (routes.add(value), () => void routes.delete(value)));
        scope.tap('onRequest', () => opened.then(() => void routes.add(`found ${routes.size}`)));
      },
      { provides: [Item] },
    );
    const request = kernel.gate.open(factsOf());
    const stopping = kernel.move([]);
    open();
    await Promise.all([request, stopping]);
    expect([...routes]).to.deep.equal(['found 1']);
  });

  it('stops waiting for a tap that never ends after drainMs', async () => {
    const { opened, open } = gate();
    const { kernel } = makeKernel({ drainMs: 20 });
    let stopped = false;
    const plugin = pluginOf('guest', (scope) => {
      scope.tap('onRequest', () => opened.then(() => undefined));
      scope.onStop(() => void (stopped = true));
    });
    await kernel.move(wantedOf(plugin));
    const request = kernel.gate.open(factsOf());
    await kernel.move([]);
    expect(stopped).to.equal(true);
    open();
    await request;
  });

  it('fails closed: a tap of a stopped plugin refuses with PLUGIN_STOPPED', async () => {
    const { kernel } = await running((scope) => scope.tap('onRequest', () => undefined, STAGE.admit));
    const old = kernel.bus.hooks;
    await kernel.move([]);
    const error = await refusalOf(() => old.onRequest.promise(requestOf()));
    expect(error.code).to.equal('PLUGIN_STOPPED');
    expect(error.message).to.contain('guest').and.contain('try again');
  });

  it('logs an onStop that throws and runs the others', async () => {
    let stopped = false;
    const { kernel, log } = await running((scope) => {
      scope.onStop(() => void (stopped = true));
      scope.onStop(() => {
        throw new Error('boom');
      });
    });
    await kernel.move([]);
    expect(stopped).to.equal(true);
    expect(log.having('did not stop cleanly', 'error')[0]?.data).to.include({ plugin: 'guest' });
  });

  it('reports a throw in onEvent, sync or async, and still calls the others', async () => {
    const faults: string[] = [];
    const { kernel } = makeKernel({ onFault: (plugin, { code }) => faults.push(`${plugin} ${code}`) });
    const heard: string[] = [];
    const bad = pluginOf('a-bad', (scope) =>
      scope.tap('onEvent', () => {
        throw new Error('boom');
      }),
    );
    const late = pluginOf('b-late', (scope) => scope.tap('onEvent', () => Promise.reject(new Error('boom'))));
    const good = pluginOf('c-good', (scope) => scope.tap('onEvent', ({ type }) => void heard.push(type)));
    await kernel.move(wantedOf(bad, late, good));
    heard.length = 0;
    faults.length = 0;
    kernel.emit({ type: 'catalogue.changed' });
    expect(heard).to.deep.equal(['catalogue.changed']);
    await until(() => faults.length === 2);
    expect(faults).to.deep.equal(['a-bad PLUGIN_TAP', 'b-late PLUGIN_TAP']);
  });

  it('looks a capability up at use, so that a restarted provider does not restart its user', async () => {
    const { kernel } = makeKernel();
    let user: Scope<unknown> | undefined;
    const applied: string[] = [];
    const provider = (value: string) =>
      pluginOf('provider', (scope) => scope.provide(Pool, value), { provides: [Pool] });
    const consumer = pluginOf(
      'user',
      (scope) => {
        applied.push('user');
        user = scope;
      },
      { requires: [Pool] },
    );
    await kernel.move(wantedOf(provider('old'), consumer));
    expect(user!.get(Pool)).to.equal('old');
    await kernel.move(wantedOf(provider('new'), consumer));
    expect(user!.get(Pool)).to.equal('new');
    expect(user!.all(Pool)).to.deep.equal(['new']);
    expect(applied).to.deep.equal(['user']);
  });

  it('binds the plugin name to its log', async () => {
    const { log } = await running((scope) => scope.log.info('hello'));
    expect(log.having('hello')[0]?.data).to.deep.equal({ plugin: 'guest' });
  });
});
