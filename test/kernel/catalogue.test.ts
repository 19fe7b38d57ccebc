import { expect } from 'chai';
import fc from 'fast-check';
import { Catalogue } from '../../kernel/catalogue.ts';
import { DecisionLayer } from '../../kernel/contracts/decision.ts';
import type { ToolSource } from '../../kernel/contracts/decision.ts';
import type { Tool } from '../../kernel/contracts/call.ts';
import { GatewayError, isGatewayError } from '../../kernel/errors.ts';
import { makeKernel, pluginOf, refusalOf, toolOf, wantedOf } from '../support/kernel.ts';
import { requestOf } from '../support/requests.ts';

const request = requestOf();
function makeCatalogue(): { catalogue: Catalogue; changes: () => number; refused: unknown[] } {
  let changes = 0;
  const refused: unknown[] = [];
  const catalogue = new Catalogue(
    (tool) => tool,
    (error) => refused.push(error),
    () => (changes += 1),
  );
  return { catalogue, changes: () => changes, refused };
}

function layerOf(layer: string, order: number, judge: DecisionLayer['judge']): DecisionLayer {
  return { layer, order, judge };
}
function refuse(layer: string, order: number, names: readonly string[]): DecisionLayer {
  return layerOf(layer, order, (name) =>
    names.includes(name)
      ? { layer, allow: false, code: 'TOOL_NOT_FOUND', reason: `${layer} says no` }
      : undefined,
  );
}
function owned(owner: string, ...tools: Tool[]) {
  return tools.map((tool) => ({ owner, tool }));
}

describe('Catalogue', () => {
  it('finds a tool by its exact name only', () => {
    const { catalogue } = makeCatalogue();
    catalogue.add('p', toolOf('x_files_read'));
    expect(catalogue.shared('x_files_read')?.name).to.equal('x_files_read');
    for (const name of ['X_FILES_READ', 'x_files_rea', '', 'constructor', '__proto__']) {
      expect(catalogue.shared(name)).to.equal(undefined);
    }
  });

  it('refuses a second tool of one name and names the plugin that has it', async () => {
    const { catalogue } = makeCatalogue();
    catalogue.add('first', toolOf('x'));
    const error = await refusalOf(() => catalogue.add('second', toolOf('x')));
    expect(error.code).to.equal('TOOL_DUPLICATE');
    expect(error.message).to.equal(
      'tool x of plugin second exists already (plugin first); rename one of them',
    );
  });

  it('does not remove another tool of the same name', () => {
    const { catalogue } = makeCatalogue();
    const takeOut = catalogue.add('p', toolOf('x'));
    takeOut();
    catalogue.add('p', toolOf('x'));
    takeOut();
    expect(catalogue.shared('x')).not.to.equal(undefined);
  });

  it('changes its generation, and notifies, with every change of the set of tools', () => {
    const { catalogue, changes } = makeCatalogue();
    const seen = [catalogue.generation];
    const takeOut = catalogue.add('p', toolOf('x'));
    seen.push(catalogue.generation);
    takeOut();
    seen.push(catalogue.generation);
    catalogue.replace([], []);
    seen.push(catalogue.generation);
    expect(new Set(seen).size).to.equal(4);
    expect(changes()).to.equal(3);
    takeOut();
    expect(catalogue.generation).to.equal(seen[3]);
  });

  it('lists visible tools in a stable order, independent of the order in which they were added', () => {
    const tools = [
      toolOf('b'),
      toolOf('a'),
      toolOf('w', { kind: 'workflow' }),
      toolOf('core_x', { kind: 'core' }),
    ];
    const names = [tools, [...tools].reverse()].map((list) => {
      const { catalogue } = makeCatalogue();
      for (const tool of list) catalogue.add('p', tool);
      return catalogue.visibleTo(request).map(({ name }) => name);
    });
    expect(names[0]).to.deep.equal(['a', 'b', 'w', 'core_x']);
    expect(names[1]).to.deep.equal(names[0]);
  });

  it('keeps meta-tools apart, in the order they were added', () => {
    const { catalogue } = makeCatalogue();
    for (const name of ['z', 'a']) catalogue.add('p', toolOf(name, { kind: 'meta' }));
    catalogue.add('p', toolOf('x'));
    expect(catalogue.metaTools().map(({ name }) => name)).to.deep.equal(['z', 'a']);
    expect(catalogue.visibleTo(request).map(({ name }) => name)).to.deep.equal(['x']);
  });

  it('asks the layers in order, and the first refusal decides', () => {
    const { catalogue } = makeCatalogue();
    const asked: string[] = [];
    const noting = (layer: string, order: number, allow: boolean): DecisionLayer =>
      layerOf(layer, order, () => {
        asked.push(layer);
        return { layer, allow, reason: layer };
      });
    catalogue.replace(owned('p', toolOf('x')), [
      noting('late', 30, false),
      noting('early', 10, true),
      noting('mid', 20, false),
    ]);
    expect(catalogue.refusal('x', catalogue.shared('x'), request)?.layer).to.equal('mid');
    expect(asked).to.deep.equal(['early', 'mid']);
  });

  it('explains by every layer, also after a refusal, starting with whether the tool exists', () => {
    const { catalogue } = makeCatalogue();
    const yes = layerOf('yes', 5, () => ({ layer: 'yes', allow: true, reason: 'fine' }));
    catalogue.replace(owned('p', toolOf('x')), [refuse('b', 20, ['x']), refuse('a', 10, ['x']), yes]);
    expect(
      catalogue.explain('x', catalogue.find('x', request), request).map(({ layer, allow }) => [layer, allow]),
    ).to.deep.equal([
      ['catalogue', true],
      ['yes', true],
      ['a', false],
      ['b', false],
    ]);
    expect(catalogue.explain('nothing', undefined, request)[0]).to.include({
      allow: false,
      code: 'TOOL_NOT_FOUND',
    });
  });

  it('suggests only names that the request may see', () => {
    const { catalogue } = makeCatalogue();
    catalogue.replace(owned('p', toolOf('x_files_read'), toolOf('x_files_reads')), [
      refuse('l', 1, ['x_files_reads']),
    ]);
    expect(catalogue.near('x_files_raed', request)).to.deep.equal(['x_files_read']);
    expect(catalogue.near('completely different', request)).to.deep.equal([]);
  });

  it('shows exactly the tools that may be called', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const layers = fc.array(fc.tuple(fc.integer(), fc.subarray(names)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), layers, async (present, refusals) => {
        const { kernel } = makeKernel();
        const enter = toolOf('enter', {
          kind: 'meta',
          invoke: ({ name }, call) => call.child(String(name), {}),
        });
        const plugin = pluginOf(
          'p',
          (scope) => {
            for (const tool of [enter, ...present.map((name) => toolOf(name))]) scope.addTool(tool);
            for (const [order, refused] of refusals)
              scope.provide(DecisionLayer, refuse(`l${order}`, order, refused));
          },
          { provides: [DecisionLayer] },
        );
        await kernel.move(wantedOf(plugin));
        const visible = kernel.catalogue.visibleTo(request).map(({ name }) => name);
        const callable: string[] = [];
        for (const name of names) {
          try {
            await kernel.calls.call('enter', { name }, request);
            callable.push(name);
          } catch (error) {
            if (!isGatewayError(error) || error.code !== 'TOOL_NOT_FOUND') throw error;
          }
        }
        expect(callable).to.deep.equal(visible);
        await kernel.stop();
      }),
      { numRuns: 50 },
    );
  });
});

describe('what a catalogue keeps for requests of one basis', () => {
  const ann = { ...request, caller: { subject: 'ann' } };
  const bob = { ...request, caller: { subject: 'bob' } };
  const names = (catalogue: Catalogue, from = request): readonly string[] =>
    catalogue.visibleTo(from).map(({ name }) => name);

  it('is judged once, and again when the basis or the tools change', () => {
    const { catalogue } = makeCatalogue();
    let basis: string | undefined = '1';
    let asked: string[] = [];
    const judge: DecisionLayer['judge'] = (name) => {
      asked.push(name);
      return { layer: 'l', allow: name !== `x_${basis ?? ''}`, reason: '' };
    };
    const tools = owned('p', toolOf('x_1'), toolOf('x_2'), toolOf('x_3'));
    catalogue.replace(tools, [{ ...layerOf('l', 1, judge), basis: () => basis }]);
    const seen = (): readonly [readonly string[], number] => {
      asked = [];
      return [names(catalogue), asked.length];
    };
    expect(seen()).to.deep.equal([['x_2', 'x_3'], 3]);
    expect(seen()).to.deep.equal([['x_2', 'x_3'], 0]);
    basis = '2';
    expect(seen()).to.deep.equal([['x_1', 'x_3'], 3]);
    expect(seen()).to.deep.equal([['x_1', 'x_3'], 0]);
    catalogue.add('p', toolOf('x_4'));
    expect(seen()).to.deep.equal([['x_1', 'x_3', 'x_4'], 4]);
    basis = undefined;
    expect(seen()).to.deep.equal([['x_1', 'x_2', 'x_3', 'x_4'], 4]);
    expect(seen()).to.deep.equal([['x_1', 'x_2', 'x_3', 'x_4'], 4]);
  });

  it('is not kept if one layer has no basis, nor of tools that are not of kind tool', () => {
    const { catalogue } = makeCatalogue();
    let isOpen = false;
    const judge: DecisionLayer['judge'] = () => ({ layer: 'l', allow: isOpen, reason: '' });
    const steady: DecisionLayer = { ...layerOf('steady', 1, () => undefined), basis: () => '' };
    const tools = owned(
      'p',
      toolOf('x'),
      toolOf('w', { kind: 'workflow' }),
      toolOf('core', { kind: 'core' }),
    );
    catalogue.replace(tools, [steady, layerOf('l', 2, judge)]);
    expect(names(catalogue)).to.deep.equal([]);
    isOpen = true;
    expect(names(catalogue)).to.deep.equal(['x', 'w', 'core']);
    const onlyOthers: DecisionLayer['judge'] = (name, item) =>
      item?.kind === 'tool' ? undefined : judge(name, item, request);
    catalogue.replace(tools, [steady, { ...layerOf('l', 2, onlyOthers), basis: () => '' }]);
    expect(names(catalogue)).to.deep.equal(['x', 'w', 'core']);
    isOpen = false;
    expect(names(catalogue)).to.deep.equal(['x']);
  });

  it('is not kept for a basis that is not a text, as a plugin in JavaScript may return it', () => {
    const { catalogue } = makeCatalogue();
    const layer = refuse('l', 1, ['y']);
    const mine: DecisionLayer = {
      ...layer,
      judge: (name, item, { caller }) =>
        caller?.subject === 'ann' ? layer.judge(name, item, request) : undefined,
      basis: () => null as unknown as undefined,
    };
    catalogue.replace(owned('p', toolOf('x'), toolOf('y')), [mine]);
    expect(names(catalogue, bob)).to.deep.equal(['x', 'y']);
    expect(names(catalogue, ann)).to.deep.equal(['x']);
  });

  it('is judged for each request if one layer has no basis, but one array while the same is seen', () => {
    const { catalogue } = makeCatalogue();
    let hidden = ['y'];
    const judge: DecisionLayer['judge'] = (name) =>
      hidden.includes(name) ? { layer: 'l', allow: false, reason: '' } : undefined;
    catalogue.replace(owned('p', toolOf('x'), toolOf('y'), toolOf('z', { kind: 'core' })), [
      layerOf('l', 1, judge),
    ]);
    const first = catalogue.visibleTo(ann);
    expect(catalogue.visibleTo(bob)).to.equal(first);
    for (const now of [['x'], ['z'], ['x', 'z'], ['x', 'y', 'z'], [], ['y']]) {
      hidden = now;
      expect(names(catalogue, ann)).to.deep.equal(['x', 'y', 'z'].filter((name) => !now.includes(name)));
    }
    expect(first.map(({ name }) => name)).to.deep.equal(['x', 'z']);
  });

  it('is a million tools at most, in the lists of all callers together, the latest at least', () => {
    const { catalogue } = makeCatalogue();
    const lists = new Map<string, readonly Tool[]>();
    const tools = Array.from({ length: 50_000 }, (_, at) => toolOf(`x_${at}`));
    for (let at = 0; at < 25; at += 1) lists.set(`r${at}`, [...tools]);
    lists.set('whole', [...lists.values()].flat());
    let asked = 0;
    const judge: DecisionLayer['judge'] = () => void (asked += 1);
    const source: ToolSource = {
      find: () => undefined,
      all: ({ id }) => lists.get(id) ?? [],
      follow: () => () => undefined,
    };
    catalogue.replace([], [{ ...layerOf('l', 1, judge), basis: () => '' }], source);
    const judged = (id: string): number => {
      asked = 0;
      catalogue.visibleTo({ ...request, id });
      return asked;
    };
    for (let at = 0; at < 25; at += 1) expect(judged(`r${at}`)).to.equal(50_000);
    for (const id of ['r24', 'r10']) expect(judged(id), id).to.equal(0);
    expect(judged('r0')).to.equal(50_000);
    expect(judged('whole')).to.equal(1_250_000);
    expect(judged('whole')).to.equal(0);
    expect(judged('r10')).to.equal(50_000);
  });

  it('is one array for those of one basis, and for all who see everything', () => {
    const { catalogue } = makeCatalogue();
    const basis: DecisionLayer['basis'] = ({ caller }) => caller?.subject ?? '';
    const judge: DecisionLayer['judge'] = (name, _, { caller }) =>
      caller?.subject === 'ann' && name === 'y' ? { layer: 'l', allow: false, reason: '' } : undefined;
    catalogue.replace(owned('p', toolOf('x'), toolOf('y'), toolOf('z', { kind: 'core' })), [
      { ...layerOf('l', 1, judge), basis },
    ]);
    expect(names(catalogue, ann)).to.deep.equal(['x', 'z']);
    expect(catalogue.visibleTo({ ...ann })).to.equal(catalogue.visibleTo(ann));
    expect(catalogue.visibleTo(bob)).to.equal(catalogue.visibleTo(request));
  });

  it('is what each may see, whatever changes between requests of any number of callers', () => {
    const all = ['a', 'b', 'c', 'd'];
    const step = fc.oneof(
      fc.record({ who: fc.integer({ min: 0, max: 40 }) }),
      fc.record({ who: fc.integer({ min: 0, max: 40 }), may: fc.subarray(all) }),
      fc.record({ present: fc.subarray(all) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { catalogue } = makeCatalogue();
        const allowed = new Map<string, readonly string[]>();
        let changes = 0;
        const basis: DecisionLayer['basis'] = ({ id }) => JSON.stringify(allowed.get(id) ?? []);
        const judge: DecisionLayer['judge'] = (name, _, { id }) =>
          allowed.get(id)?.includes(name) === true ? undefined : { layer: 'l', allow: false, reason: '' };
        catalogue.replace([], [{ ...layerOf('l', 1, judge), basis }]);
        let present: readonly (() => void)[] = [];
        for (const one of steps) {
          if ('present' in one) {
            for (const takeOut of present) takeOut();
            present = one.present.map((name) => catalogue.add('p', toolOf(name)));
            changes += 1;
            continue;
          }
          const from = { ...request, id: `r${one.who}` };
          if ('may' in one) allowed.set(from.id, one.may);
          const may = all.filter((name) => {
            const tool = catalogue.find(name, from);
            return tool !== undefined && catalogue.refusal(name, tool, from) === undefined;
          });
          expect(names(catalogue, from), `after ${changes} changes`).to.deep.equal(may);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('onToolRegister', () => {
  /** A catalogue of `tools` with `handler` as its tap. */
  async function registered(handler: (tool: Tool) => Tool, ...tools: Tool[]) {
    const { kernel, log } = makeKernel();
    const adder = pluginOf('adder', (scope) => {
      for (const tool of tools) scope.addTool(tool);
    });
    const shaper = pluginOf('shaper', (scope) => scope.tap('onToolRegister', handler));
    await kernel.move(wantedOf(adder, shaper));
    return {
      kernel,
      log,
      adder,
      shaper,
      names: () => kernel.catalogue.visibleTo(request).map(({ name }) => name),
    };
  }

  it('rewrites a tool, staged or added later, and restores the original when the tap leaves', async () => {
    const { kernel, adder, names } = await registered(
      (tool) => ({ ...tool, name: `my_${tool.name}` }),
      toolOf('x'),
    );
    kernel.catalogue.add('adder', toolOf('later'));
    expect(names()).to.deep.equal(['my_later', 'my_x']);
    await kernel.move(wantedOf(adder));
    expect(names()).to.deep.equal(['later', 'x']);
  });

  it('refuses the tool at which a tap throws, logs it, and keeps the others', async () => {
    const { log, names } = await registered(
      (tool) => {
        if (tool.name === 'bad') throw new GatewayError('TOOL_ARGUMENTS', 'no such tools here');
        return tool;
      },
      toolOf('bad'),
      toolOf('good'),
    );
    expect(names()).to.deep.equal(['good']);
    expect(log.having('tool refused', 'error')[0]?.data).to.include({ tool: 'bad' });
  });

  it('refuses the tool for which a tap returns null instead of breaking the swap', async () => {
    const { names } = await registered(
      (tool) => (tool.name === 'bad' ? (null as unknown as Tool) : tool),
      toolOf('bad'),
      toolOf('good'),
    );
    expect(names()).to.deep.equal(['good']);
  });

  it('does not let a renamed tool replace another', async () => {
    const bodies = [toolOf('a', { description: 'first' }), toolOf('b', { description: 'second' })];
    const { kernel, log } = await registered((tool) => ({ ...tool, name: 'a' }), ...bodies);
    expect(kernel.catalogue.shared('a')?.description).to.equal('first');
    expect(log.records.some(({ level }) => level === 'error')).to.equal(true);
    kernel.catalogue.remove(bodies[1]!);
    expect(kernel.catalogue.shared('a')?.description).to.equal('first');
  });

  it('refuses a later tool that is renamed to a taken name', async () => {
    const { kernel } = await registered(
      (tool) => ({ ...tool, name: 'a' }),
      toolOf('a', { description: 'first' }),
    );
    const error = await refusalOf(() => kernel.catalogue.add('other', toolOf('b')));
    expect(error.code).to.equal('TOOL_DUPLICATE');
    expect(kernel.catalogue.shared('a')?.description).to.equal('first');
  });

  it('removes a rewritten tool by the original', async () => {
    const { kernel, names } = await registered((tool) => ({ ...tool, name: `my_${tool.name}` }));
    const takeOut = kernel.catalogue.add('adder', toolOf('x'));
    takeOut();
    expect(names()).to.deep.equal([]);
    expect(kernel.catalogue.owned).to.deep.equal([]);
  });
});
