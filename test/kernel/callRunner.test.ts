import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Call, CallResult, Next, Tool } from '../../kernel/contracts/call.ts';
import type { Progress } from '../../kernel/contracts/client.ts';
import { DecisionLayer } from '../../kernel/contracts/decision.ts';
import type { KernelEvent } from '../../kernel/contracts/events.ts';
import type { Scope } from '../../kernel/contracts/plugin.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { Cancellation } from '../../kernel/lib/cancellation.ts';
import { textResult } from '../../kernel/lib/results.ts';
import { makeKernel, pluginOf, refusalOf, toolOf, wantedOf } from '../support/kernel.ts';
import { requestOf } from '../support/requests.ts';
import { gate } from '../support/until.ts';

const request = requestOf();

/** Calls as call_tool does: through a meta-tool that calls the given tool. */
const enter: Tool = toolOf('enter', {
  kind: 'meta',
  invoke: ({ name, args }, call) => call.child(String(name), (args ?? {}) as Record<string, unknown>),
});

async function kernelWith(tools: readonly Tool[], wire: (scope: Scope<unknown>) => void = () => undefined) {
  const { kernel, log } = makeKernel();
  const plugin = pluginOf(
    'guest',
    (scope) => {
      for (const tool of [enter, ...tools]) scope.addTool(tool);
      wire(scope);
    },
    { provides: [DecisionLayer] },
  );
  await kernel.move(wantedOf(plugin));
  return {
    kernel,
    log,
    enter: (name: string, args = {}) => kernel.calls.call('enter', { name, args }, request),
  };
}

describe('Call path', () => {
  it('reaches meta-tools only from the entry, and all other tools only below it', async () => {
    const fixture = await kernelWith([toolOf('x_files_read'), toolOf('core_x', { kind: 'core' })]);
    expect((await fixture.enter('x_files_read')).value().content[0]).to.include({ text: 'x_files_read' });
    expect((await fixture.enter('core_x')).value().content[0]).to.include({ text: 'core_x' });
    for (const name of ['x_files_read', 'core_x']) {
      const error = await refusalOf(() => fixture.kernel.calls.call(name, {}, request));
      expect(error.code).to.equal('TOOL_NOT_FOUND');
      expect(error.details).to.include({ direct: true });
    }
    expect((await refusalOf(() => fixture.enter('enter'))).code).to.equal('TOOL_NOT_FOUND');
  });

  it('names plugin, tool and fix when a tool returns something other than a result', async () => {
    for (const [answer, type] of [
      ['text', 'string'],
      [undefined, 'undefined'],
      [null, 'object'],
      [{ content: [] }, 'object'],
    ] as const) {
      const fixture = await kernelWith([toolOf('x', { invoke: () => answer as never })]);
      const error = await refusalOf(() => fixture.enter('x'));
      expect(error.code).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.equal(
        `tool x of plugin guest returned a value of type ${type} instead of a result; return textResult(text), jsonResult(value) or resultOf({ content }) of pegboard`,
      );
    }
  });

  it('names the tool that was not found, and visible names near it', async () => {
    const fixture = await kernelWith([toolOf('x_files_read'), toolOf('x_git_log')]);
    const error = await refusalOf(() => fixture.enter('x_files_raed'));
    expect(error.code).to.equal('TOOL_NOT_FOUND');
    expect(error.message).to.equal('tool not found: x_files_raed');
    expect(error.details).to.deep.equal({ near: ['x_files_read'], direct: false });
  });

  it('searches for near names when they are read, and once', async () => {
    const { kernel, enter: call } = await kernelWith([toolOf('x_files_read')]);
    let searches = 0;
    const near = kernel.catalogue.near.bind(kernel.catalogue);
    kernel.catalogue.near = (...asked) => ((searches += 1), near(...asked));
    const error = await refusalOf(() => call('x_files_raed'));
    expect(searches).to.equal(0);
    for (let times = 0; times < 2; times += 1)
      expect(JSON.stringify(error.details)).to.equal('{"near":["x_files_read"],"direct":false}');
    expect(searches).to.equal(1);
  });

  it('passes arguments, request and parent to the tool unchanged', async () => {
    let seen: Call | undefined;
    const fixture = await kernelWith([
      toolOf('x', {
        invoke: (args, call) => {
          seen = call;
          return textResult(JSON.stringify(args));
        },
      }),
    ]);
    const result = await fixture.enter('x', { path: '/' });
    expect(result.value().content[0]).to.deep.equal({ type: 'text', text: '{"path":"/"}' });
    expect(seen?.request).to.equal(request);
    expect(seen?.parent?.tool.name).to.equal('enter');
    expect(seen?.parent?.parent).to.equal(undefined);
    expect(seen?.id).above(seen?.parent?.id ?? Infinity);
  });

  it('lets a layer refuse with its own code, reason and remedy', async () => {
    const fixture = await kernelWith([toolOf('x')], (scope) =>
      scope.provide(DecisionLayer, {
        layer: 'toolset',
        order: 1,
        judge: (name) =>
          name === 'x'
            ? {
                layer: 'toolset',
                allow: false,
                code: 'TOOL_OUTSIDE_TOOLSET',
                reason: 'x is outside',
                remedy: 'add it',
              }
            : undefined,
      }),
    );
    const error = await refusalOf(() => fixture.enter('x'));
    expect(error.code).to.equal('TOOL_OUTSIDE_TOOLSET');
    expect(error.message).to.equal('x is outside; add it');
    expect(error.details).to.deep.equal({ layer: 'toolset' });
  });

  it('narrows the tool that a client calls, not the steps below it', async () => {
    const step = toolOf('hidden');
    const workflow = toolOf('flow', { kind: 'workflow', invoke: (_, call) => call.child('hidden', {}) });
    const fixture = await kernelWith([step, workflow], (scope) =>
      scope.provide(DecisionLayer, {
        layer: 'toolset',
        order: 1,
        judge: (name) => (name === 'hidden' ? { layer: 'toolset', allow: false, reason: 'no' } : undefined),
      }),
    );
    expect((await fixture.enter('flow')).json).to.contain('hidden');
    expect((await refusalOf(() => fixture.enter('hidden'))).code).to.equal('TOOL_NOT_FOUND');
  });

  it('lets an onCall tap answer early or refuse, and shows it both levels', async () => {
    let invoked = 0;
    const seen: string[] = [];
    const fixture = await kernelWith(
      [toolOf('x', { invoke: () => ((invoked += 1), textResult('x')) }), toolOf('early'), toolOf('denied')],
      (scope) =>
        scope.tap('onCall', ({ tool }) => {
          seen.push(tool.name);
          if (tool.name === 'denied') throw new GatewayError('REQUEST_FORBIDDEN', 'not you');
          return tool.name === 'early' ? textResult('from the tap') : undefined;
        }),
    );
    expect((await fixture.enter('early')).json).to.contain('from the tap');
    expect((await refusalOf(() => fixture.enter('denied'))).code).to.equal('REQUEST_FORBIDDEN');
    await fixture.enter('x');
    expect(invoked).to.equal(1);
    expect(seen).to.deep.equal(['enter', 'early', 'enter', 'denied', 'enter', 'x']);
  });

  it('wraps an error thrown by a tool without exposing its text', async () => {
    const fixture = await kernelWith([
      toolOf('x', {
        invoke: () => {
          throw new Error('password is hunter2');
        },
      }),
    ]);
    const error = await refusalOf(() => fixture.enter('x'));
    expect(error.code).to.equal('PLUGIN_TAP');
    expect(error.expose).to.equal(false);
    expect(error.message).to.contain('tool x');
    expect(error.cause).to.be.instanceOf(Error);
  });

  it('passes a GatewayError of a tool unchanged', async () => {
    const own = new GatewayError('UPSTREAM_TIMEOUT', 'server github did not answer');
    const fixture = await kernelWith([toolOf('x', { invoke: () => Promise.reject(own) })]);
    expect(await refusalOf(() => fixture.enter('x'))).to.equal(own);
  });

  it('hands cancellation and progress down to children, unless they bring their own', async () => {
    const cancel = new Cancellation();
    const own = new Cancellation();
    const updates: Progress[] = [];
    const seen: Call[] = [];
    const note = toolOf('note', {
      invoke: (_, call) => (seen.push(call), call.progress?.({ progress: 1 }), textResult('')),
    });
    const fork = toolOf('fork', {
      kind: 'meta',
      invoke: async (_, call) => {
        await call.child('note', {});
        return call.child('note', {}, { cancel: own });
      },
    });
    const { kernel } = await kernelWith([note, fork]);
    await kernel.calls.call('fork', {}, request, { cancel, progress: (update) => updates.push(update) });
    expect(seen.map((call) => call.cancel)).to.deep.equal([cancel, own]);
    expect(updates).to.have.length(2);
  });

  describe('with a tap of onCall that has a second parameter', () => {
    type Wrap = (call: Call, next: Next) => CallResult | undefined | Promise<CallResult | undefined>;
    const throws = toolOf('throws', {
      invoke: () => {
        throw new Error('a secret');
      },
    });
    /** Wraps what call_tool calls. */
    const wrapped = async (wrap: Wrap, wire: (scope: Scope<unknown>) => void = () => undefined) => {
      const fixture = await kernelWith([toolOf('x'), throws], (scope) => {
        scope.tap('onCall', (call, next) => (call.parent === undefined ? next() : wrap(call, next)));
        wire(scope);
      });
      return async (name: string): Promise<unknown> =>
        (await fixture.enter(name)).value().content[0]?.['text'];
    };

    it('gives it the result of the tool, which it may replace', async () => {
      expect(await (await wrapped((_, next) => next()))('x')).to.equal('x');
      const upper = await wrapped(async (_, next) => textResult((await next()).json.toUpperCase()));
      expect(await upper('x')).to.contain('TEXT');
      expect(await (await wrapped(() => textResult('known')))('x')).to.equal('known');
    });

    it('passes if it returns undefined: with what next() gave, or without having called it', async () => {
      let invoked = 0;
      const counts = toolOf('counts', { invoke: () => textResult(String((invoked += 1))) });
      const wire = (scope: Scope<unknown>): void => void scope.addTool(counts);
      const observing = await wrapped(async (_, next) => {
        await next();
        return undefined;
      }, wire);
      expect(await observing('counts')).to.equal('1');
      expect(await (await wrapped(() => undefined, wire))('counts')).to.equal('2');
    });

    it('throws to it what the tool or a tap after it throws, and lets it call again', async () => {
      const seen: string[] = [];
      const again: Wrap = async (_, next) => {
        try {
          return await next();
        } catch (error) {
          seen.push((error as GatewayError).code);
          return next();
        }
      };
      let denied = 0;
      const enterIt = await wrapped(again, (scope) =>
        scope.tap('onCall', ({ tool }) => {
          if (tool.name === 'x' && (denied += 1) === 1) throw new GatewayError('TOOL_DENIED', 'not now');
          return undefined;
        }),
      );
      expect(await enterIt('x')).to.equal('x');
      expect(await refusalOf(() => enterIt('throws'))).to.include({ code: 'PLUGIN_TAP', expose: false });
      expect(seen).to.deep.equal(['TOOL_DENIED', 'PLUGIN_TAP']);
    });

    it('runs it at its stage: what refuses before it hides the call from it', async () => {
      const order: string[] = [];
      const note =
        (name: string): Wrap =>
        async (_, next) => {
          order.push(`${name} in`);
          const result = await next();
          order.push(`${name} out`);
          return result;
        };
      const fixture = await kernelWith([toolOf('x'), toolOf('denied')], (scope) => {
        const below =
          (wrap: Wrap): Wrap =>
          (call, next) =>
            call.parent ? wrap(call, next) : next();
        const inner = below(note('inner'));
        scope.tap('onCall', (call, next) => inner(call, next), 60);
        scope.tap('onCall', ({ tool }) => {
          if (tool.name !== 'enter') order.push('guard');
          return tool.name === 'denied' ? textResult('no') : undefined;
        });
        const outer = below(note('outer'));
        scope.tap('onCall', (call, next) => outer(call, next), 40);
      });
      await fixture.enter('x');
      expect(order.splice(0)).to.deep.equal(['outer in', 'guard', 'inner in', 'inner out', 'outer out']);
      await fixture.enter('denied');
      expect(order).to.deep.equal(['outer in', 'guard', 'outer out']);
    });

    it('does not end the process if it forgets a call that fails', async () => {
      const forgetful = await wrapped((_, next) => {
        void next();
        return textResult('at once');
      });
      expect(await forgetful('throws')).to.equal('at once');
    });

    it('does not hold up a swap while the tool runs', async () => {
      const { opened, open } = gate();
      const slow = toolOf('slow', { invoke: () => opened.then(() => textResult('done')) });
      const { kernel, enter: run } = await kernelWith([slow], (scope) =>
        scope.tap('onCall', (_, next) => next()),
      );
      const running = run('slow');
      await turn();
      await kernel.stop();
      open();
      expect((await running).json).to.contain('done');
    });
  });

  it('names plugin, hook and fix when a tap returns something other than a result', async () => {
    for (const wrong of [
      () => 'text',
      () => Promise.resolve('text'),
      (_: Call, next: Next) => next().then(() => 'text'),
    ]) {
      const fixture = await kernelWith([toolOf('x')], (scope) => scope.tap('onCall', wrong as never));
      const error = await refusalOf(() => fixture.enter('x'));
      expect(error.code).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.equal(
        'a tap of onCall of plugin guest returned a value of type string that has no "json"; return textResult(text), jsonResult(value) or resultOf({ content }) of pegboard to answer now, or undefined to pass',
      );
    }
  });

  it('does not invoke a tool whose call was cancelled before', async () => {
    let invoked = 0;
    const counting = toolOf('count', { kind: 'meta', invoke: () => ((invoked += 1), textResult('')) });
    const { kernel } = await kernelWith([counting]);
    const cancel = new Cancellation();
    cancel.cancel('client went away');
    const error = await refusalOf(() => kernel.calls.call('count', {}, request, { cancel }));
    expect(error.code).to.equal('TOOL_CANCELLED');
    expect(error.message).to.contain('client went away');
    expect(invoked).to.equal(0);
  });

  it('does not invoke a tool whose call is cancelled while a tap runs', async () => {
    let invoked = 0;
    const counting = toolOf('count', { kind: 'meta', invoke: () => ((invoked += 1), textResult('')) });
    const { opened, open } = gate();
    const { kernel } = await kernelWith([counting], (scope) =>
      scope.tap('onCall', () => opened.then(() => undefined)),
    );
    const cancel = new Cancellation();
    const call = refusalOf(() => kernel.calls.call('count', {}, request, { cancel }));
    cancel.cancel('client went away');
    open();
    expect((await call).code).to.equal('TOOL_CANCELLED');
    expect(invoked).to.equal(0);
  });

  it('emits call.settled with the call, its duration and outcome', async () => {
    const events: KernelEvent<'call.settled'>[] = [];
    const bad = toolOf('bad', { invoke: () => Promise.reject(new GatewayError('UPSTREAM_CLOSED', 'gone')) });
    const fixture = await kernelWith([toolOf('x'), bad], (scope) =>
      scope.tap('onEvent', (event) => {
        if (event.type === 'call.settled') events.push(event);
      }),
    );
    await fixture.enter('x');
    await refusalOf(() => fixture.enter('bad'));
    const told = events.map(({ call, outcome, ms }) => [call.tool.name, outcome, typeof ms]);
    expect(told).to.deep.equal([
      ['x', 'ok', 'number'],
      ['enter', 'ok', 'number'],
      ['bad', 'error', 'number'],
      ['enter', 'error', 'number'],
    ]);
    expect(events[2]).to.have.nested.property('error.code', 'UPSTREAM_CLOSED');
  });

  it('is not affected by an observer that throws', async () => {
    const fixture = await kernelWith([toolOf('x')], (scope) =>
      scope.tap('onEvent', () => {
        throw new Error('boom');
      }),
    );
    expect((await fixture.enter('x')).json).to.contain('"x"');
  });
});
