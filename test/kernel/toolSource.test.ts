import { expect } from 'chai';
import { Catalogue } from '../../kernel/catalogue.ts';
import type { OwnedTool } from '../../kernel/catalogue.ts';
import { ToolSource } from '../../kernel/contracts/decision.ts';
import type { InboundRequest } from '../../kernel/contracts/request.ts';
import type { Tool } from '../../kernel/contracts/call.ts';
import { makeKernel, pluginOf, refusalOf, toolOf, wantedOf } from '../support/kernel.ts';
import { requestOf } from '../support/requests.ts';

const NONE: readonly Tool[] = [];
const [ann, bob] = [requestFrom('ann'), requestFrom('bob')];

function requestFrom(subject: string): InboundRequest {
  return { ...requestOf(), caller: { subject } };
}

/** Tools by the subject of a caller; `all` has those of everybody else. */
class Lists implements ToolSource {
  #lists: Readonly<Record<string, readonly Tool[]>>;
  readonly #followers = new Set<() => void>();
  constructor(lists: Readonly<Record<string, readonly Tool[]>>) {
    this.#lists = lists;
  }
  find(name: string, from?: InboundRequest): Tool | undefined {
    return this.all(from).find((tool) => tool.name === name);
  }
  all(from?: InboundRequest): readonly Tool[] {
    return this.#lists[from?.caller?.subject ?? 'all'] ?? this.#lists['all'] ?? NONE;
  }
  follow(changed: () => void): () => void {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  }
  set(lists: Readonly<Record<string, readonly Tool[]>>): void {
    this.#lists = lists;
    for (const changed of this.#followers) changed();
  }
}

function catalogueOf(source: ToolSource, added: readonly OwnedTool[] = []): Catalogue {
  const none = (): void => undefined;
  const catalogue = new Catalogue((tool) => tool, none, none);
  catalogue.replace(added, [], source);
  return catalogue;
}
function namesFor(catalogue: Catalogue, request: InboundRequest): readonly string[] {
  return catalogue.visibleTo(request).map(({ name }) => name);
}

describe('ToolSource', () => {
  it('offers to each request its own tools, beside those that plugins add', () => {
    const source = new Lists({
      ann: [toolOf('x', { description: 'of ann' })],
      bob: [toolOf('x', { description: 'of bob' })],
    });
    const catalogue = catalogueOf(source, [{ owner: 'p', tool: toolOf('y') }]);
    expect(catalogue.declared('x', ann)?.description).to.equal('of ann');
    expect(catalogue.find('x', bob)?.description).to.equal('of bob');
    expect(namesFor(catalogue, bob)).to.deep.equal(['x', 'y']);
    const third = requestFrom('third');
    expect(catalogue.find('x', third)).to.equal(undefined);
    expect(catalogue.shared('x')).to.equal(undefined);
    expect(namesFor(catalogue, third)).to.deep.equal(['y']);
    expect(catalogue.near('xx', third)).not.to.include('x');
    expect(catalogue.near('xx', ann)).to.include('x');
    expect(catalogue.explain('x', catalogue.find('x', third), third)[0]?.allow).to.equal(false);
  });

  it('gives a tool whose annotations follow from others those that fit what the request finds, until that changes', () => {
    const source = new Lists({ ann: [toolOf('x', { annotations: { readOnlyHint: true } })] });
    const chain = toolOf('chain', {
      kind: 'workflow',
      annotationsFor: (request) => catalogue.declared('x', request)?.annotations,
    });
    const catalogue = catalogueOf(source, [{ owner: 'p', tool: chain }]);
    const listed = (request: InboundRequest): unknown =>
      catalogue.visibleTo(request).find(({ name }) => name === 'chain')?.annotations;
    for (const hints of [
      listed,
      (request: InboundRequest) => catalogue.find('chain', request)?.annotations,
    ]) {
      expect(hints(ann)).to.deep.equal({ readOnlyHint: true });
      expect(hints(bob)).to.equal(undefined);
    }
    source.set({ all: [toolOf('x', { annotations: { readOnlyHint: true } })] });
    expect(listed(bob)).to.deep.equal({ readOnlyHint: true });
    expect(catalogue.shared('chain')).to.equal(chain);
  });

  it('changes what is found and listed, and the generation, when it says so', () => {
    const source = new Lists({ all: [toolOf('x')] });
    const catalogue = catalogueOf(source);
    const { generation } = catalogue;
    expect(namesFor(catalogue, ann)).to.deep.equal(['x']);
    source.set({ all: [toolOf('z')] });
    expect(catalogue.generation).to.equal(generation + 1);
    expect(namesFor(catalogue, ann)).to.deep.equal(['z']);
    expect(catalogue.find('x', ann)).to.equal(undefined);
    catalogue.replace([], []);
    source.set({});
    expect(catalogue.generation).to.equal(generation + 2);
    expect(namesFor(catalogue, ann)).to.deep.equal([]);
  });

  it('is asked for one tool to find it, not for its list, which may have changed', () => {
    const source = new Lists({ all: [toolOf('x')] });
    source.all = () => expect.fail('asked for the list');
    source.find = (name) => (name === 'x' ? toolOf('x') : undefined);
    expect(catalogueOf(source).find('x', ann)?.name).to.equal('x');
  });

  it('lists one array to all requests that it gives one list', () => {
    const catalogue = catalogueOf(new Lists({ all: [toolOf('x'), toolOf('y')] }));
    expect(catalogue.visibleTo(ann)).to.equal(catalogue.visibleTo(bob));
  });

  it('has a name only where no plugin has added a tool of that name', () => {
    const source = new Lists({ all: [toolOf('x', { description: 'of the source' })] });
    const catalogue = catalogueOf(source);
    const takeOut = catalogue.add('p', toolOf('x', { description: 'added' }));
    expect(catalogue.find('x', ann)?.description).to.equal('added');
    expect(catalogue.visibleTo(ann).map(({ description }) => description)).to.deep.equal(['added']);
    takeOut();
    expect(catalogue.find('x', ann)?.description).to.equal('of the source');
    expect(catalogue.visibleTo(ann).map(({ description }) => description)).to.deep.equal(['of the source']);
  });

  it('is in the catalogue while its plugin runs', async () => {
    const { kernel } = makeKernel();
    const source = new Lists({ all: [toolOf('x')] });
    const plugin = pluginOf('a', (scope) => scope.provide(ToolSource, source), {
      provides: [ToolSource],
    });
    await kernel.move(wantedOf(plugin));
    expect(kernel.catalogue.find('x', ann)?.name).to.equal('x');
    await kernel.stop();
    expect(kernel.catalogue.find('x', ann)).to.equal(undefined);
    const { generation } = kernel.catalogue;
    source.set({});
    expect(kernel.catalogue.generation).to.equal(generation);
  });

  it('has one provider at most', async () => {
    const provides = [ToolSource];
    const error = await refusalOf(() =>
      makeKernel().kernel.move(
        wantedOf(pluginOf('a', undefined, { provides }), pluginOf('b', undefined, { provides })),
      ),
    );
    expect(error.message).to.contain('plugins a and b both provide tool-source');
  });
});

describe('onToolRegister, for tools of a source', () => {
  async function tapped(source: ToolSource, tap: (tool: Tool) => Tool): Promise<Catalogue> {
    const { kernel } = makeKernel();
    const lists = pluginOf('lists', (scope) => scope.provide(ToolSource, source), {
      provides: [ToolSource],
    });
    const taps = pluginOf('taps', (scope) => scope.tap('onToolRegister', tap));
    await kernel.move(wantedOf(lists, taps));
    return kernel.catalogue;
  }

  it('runs once for each object, however many requests and lists have it', async () => {
    const ran: string[] = [];
    const [x, y] = [toolOf('x'), toolOf('y')];
    const source = new Lists({ ann: [x], bob: [x, y] });
    const catalogue = await tapped(
      source,
      (tool) => (ran.push(tool.name), { ...tool, description: 'tapped' }),
    );
    expect(catalogue.find('x', ann)?.description).to.equal('tapped');
    expect(catalogue.find('x', bob)).to.equal(catalogue.find('x', ann));
    source.set({ ann: [x, y] });
    expect(namesFor(catalogue, ann)).to.deep.equal(['x', 'y']);
    expect(ran).to.deep.equal(['x', 'y']);
  });

  it('renames a tool: a request finds it by the new name, and not by the old', async () => {
    const source = new Lists({ ann: [toolOf('x')] });
    const catalogue = await tapped(source, (tool) => ({ ...tool, name: `my_${tool.name}` }));
    expect(catalogue.find('my_x', ann)?.name).to.equal('my_x');
    expect(catalogue.find('x', ann)).to.equal(undefined);
    expect(catalogue.find('my_x', bob)).to.equal(undefined);
    expect(namesFor(catalogue, ann)).to.deep.equal(['my_x']);
    expect(catalogue.near('my_', ann)).to.deep.equal(['my_x']);
  });

  it('leaves out a tool that is renamed to a taken name, of the source or of a plugin', async () => {
    const source = new Lists({ all: [toolOf('x'), toolOf('y'), toolOf('z')] });
    const names: Readonly<Record<string, string>> = { x: 'y', z: 'added' };
    const catalogue = await tapped(source, (tool) => ({ ...tool, name: names[tool.name] ?? tool.name }));
    catalogue.add('p', toolOf('added'));
    expect(namesFor(catalogue, ann)).to.deep.equal(['added', 'y']);
    expect(catalogue.find('y', ann)?.description).to.equal(toolOf('y').description);
    expect(catalogue.find('x', ann)).to.equal(undefined);
  });

  it('leaves out the tool at which a tap throws, and asks once', async () => {
    let asked = 0;
    const source = new Lists({ all: [toolOf('bad'), toolOf('good')] });
    const catalogue = await tapped(source, (tool) => {
      if (tool.name === 'good') return tool;
      asked += 1;
      throw new Error('no');
    });
    expect(namesFor(catalogue, ann)).to.deep.equal(['good']);
    expect(catalogue.find('bad', ann)).to.equal(undefined);
    expect(catalogue.find('bad', ann)).to.equal(undefined);
    expect(asked).to.equal(1);
  });
});
