import { expect } from 'chai';
import { acceptResources, checkResource } from '../../../kernel/config/resources.ts';
import { diffResources, keyOf } from '../../../kernel/config/diff.ts';
import type { Finding } from '../../../kernel/contracts/finding.ts';
import type { Resource, ResourceDraft, ResourceKind } from '../../../kernel/contracts/resource.ts';

const kind: ResourceKind = {
  name: 'Thing',
  directory: 'things',
  schema: {
    type: 'object',
    required: ['size'],
    additionalProperties: false,
    properties: { size: { type: 'integer' }, colour: { type: 'string', default: 'red' } },
  },
  read: ({ size }) => {
    const findings: Finding[] = [];
    if (size === 13) findings.push({ path: ['size'], message: 'brings bad luck' });
    if (size === 7) findings.push({ path: ['size'], message: 'is odd', severity: 'warning' });
    return { model: `read ${String(size)}`, findings };
  },
};

function thing(name: string, spec: Record<string, unknown>, more: Partial<Resource> = {}): Resource {
  const origin = {
    locate: (path: readonly (string | number)[]) => ({
      file: `${name}.yaml`,
      line: path.length + 1,
      column: 1,
    }),
  };
  return { kind: 'Thing', name, spec, origin, ...more };
}
function draft(resources: readonly Resource[], more: Partial<ResourceDraft> = {}): ResourceDraft {
  return { resources, unreadable: [], issues: [], ...more };
}
function accept(given: ResourceDraft, lastGood: readonly Resource[] = []) {
  const { resources, issues } = acceptResources(given, [kind], lastGood);
  return { specs: Object.fromEntries(resources.map(({ name, spec }) => [name, spec])), issues };
}

describe('acceptResources', () => {
  it('fills in defaults of the kind', () => {
    expect(accept(draft([thing('a', { size: 1 })])).specs).to.deep.equal({ a: { size: 1, colour: 'red' } });
  });

  it('reports a broken definition with its position, and accepts the others', () => {
    const { specs, issues } = accept(draft([thing('a', { size: 'x' }), thing('b', { size: 2 })]));
    expect(Object.keys(specs)).to.deep.equal(['b']);
    expect(issues).to.deep.equal([
      {
        severity: 'error',
        code: 'CONFIG_INVALID',
        message: 'Thing a: size must be an integer, not "x"',
        definition: { kind: 'Thing', name: 'a' },
        file: 'a.yaml',
        line: 2,
        column: 1,
      },
    ]);
  });

  it('keeps the last good version of a definition that is broken or unreadable now', () => {
    const good = [thing('a', { size: 1 }), thing('b', { size: 2 }), thing('gone', { size: 3 })];
    const given = draft([thing('a', { size: 'x' })], { unreadable: [{ kind: 'Thing', name: 'b' }] });
    expect(accept(given, good).specs).to.deep.equal({ a: { size: 1 }, b: { size: 2 } });
  });

  it('asks the check of the kind; only errors count against a definition', () => {
    const { specs, issues } = accept(draft([thing('bad', { size: 13 }), thing('odd', { size: 7 })]));
    expect(Object.keys(specs)).to.deep.equal(['odd']);
    expect(issues.map(({ severity, message }) => `${severity} ${message}`)).to.deep.equal([
      'error Thing bad: brings bad luck',
      'warning Thing odd: is odd',
    ]);
  });

  it('names both places of a definition that exists twice, and keeps the first', () => {
    const origin = { locate: () => ({ file: 'copy.yaml', line: 5, column: 3 }) };
    const { specs, issues } = accept(draft([thing('a', { size: 1 }), thing('a', { size: 2 }, { origin })]));
    expect(specs).to.deep.equal({ a: { size: 1, colour: 'red' } });
    expect(issues[0]).to.include({ file: 'copy.yaml', line: 5, column: 3 });
    expect(issues[0]?.message).to.equal('Thing a: it is defined already in a.yaml:1; rename one');
  });

  it('suggests the kind that was meant, or lists the kinds there are', () => {
    const { issues } = accept(draft([thing('a', {}, { kind: 'Thingy' }), thing('b', {}, { kind: 'Zebra' })]));
    expect(issues[0]).to.include({ code: 'CONFIG_REFERENCE' });
    expect(issues[0]?.message).to.contain('did you mean Thing?');
    expect(issues[1]?.message).to.contain('known kinds: Thing');
  });

  it('passes on the issues that the store found', () => {
    const issue = { severity: 'error', code: 'CONFIG_UNREADABLE', message: 'm' } as const;
    expect(accept(draft([], { issues: [issue] })).issues).to.deep.equal([issue]);
  });

  it('reads each definition once, and keeps the result', () => {
    const read: string[] = [];
    const reader = {
      ...kind,
      read: (_: unknown, name: string) => ({ model: read.push(name), findings: [] }),
    };
    const { resources } = acceptResources(draft([thing('a', {}), thing('b', { size: 2 })]), [reader], []);
    expect(resources.map(({ name, model }) => [name, model])).to.deep.equal([['b', 1]]);
    expect(read).to.deep.equal(['b']);
  });

  it('keeps the last good version of definitions that are invalid only in combination', () => {
    const odd = (resource: Resource): Finding & { resource: Resource } => ({
      resource,
      path: ['size'],
      message: 'is there twice',
    });
    const twins = {
      ...kind,
      relate: (all: readonly Resource[]) =>
        all
          .filter(({ spec }) => all.some((one) => one.spec !== spec && one.spec['size'] === spec['size']))
          .map(odd),
    };
    const good = thing('a', { size: 9 });
    const given = draft([thing('a', { size: 1 }), thing('b', { size: 1 }), thing('c', { size: 2 })]);
    const { resources, issues } = acceptResources(given, [twins], [good]);
    expect(resources.map(({ name, spec }) => [name, spec['size']])).to.deep.equal([
      ['c', 2],
      ['a', 9],
    ]);
    expect(issues.map(({ message, file }) => `${file ?? ''} ${message}`)).to.deep.equal([
      'a.yaml Thing a: is there twice',
      'b.yaml Thing b: is there twice',
    ]);
  });

  it('loses only the definition at which a check throws', () => {
    const fragile = {
      ...kind,
      read: ({ size }: Record<string, unknown>) =>
        size === 1 ? { findings: [] } : (JSON.parse('{') as { findings: [] }),
    };
    const { resources, issues } = acceptResources(
      draft([thing('a', { size: 1 }), thing('b', { size: 2 })]),
      [fragile],
      [],
    );
    expect(resources.map(({ name }) => name)).to.deep.equal(['a']);
    expect(issues).to.have.length(1);
    expect(issues[0]?.message).to.contain('b');
  });
});

describe('checkResource', () => {
  it('does not modify the definition it is given', () => {
    const given = thing('a', { size: 1 });
    expect(checkResource(given, [kind]).resource?.spec).to.deep.equal({ size: 1, colour: 'red' });
    expect(given.spec).to.deep.equal({ size: 1 });
  });
});

describe('diffResources', () => {
  it('reports added, changed and removed by kind and name', () => {
    const before = [thing('same', { size: 1 }), thing('changed', { size: 1 }), thing('removed', { size: 1 })];
    const after = [thing('changed', { size: 2 }), thing('same', { size: 1 }), thing('added', { size: 1 })];
    const { added, changed, removed } = diffResources(before, after);
    expect([added, changed, removed].map((list) => list.map(keyOf))).to.deep.equal([
      ['Thing/added'],
      ['Thing/changed'],
      ['Thing/removed'],
    ]);
    expect(changed[0]?.spec).to.deep.equal({ size: 2 });
  });

  it('treats a definition that only moved as unchanged, and one with other labels as changed', () => {
    const here = thing('a', { size: 1 });
    const moved = { ...here, origin: { locate: () => ({ file: 'elsewhere.yaml' }) } };
    expect(diffResources([here], [moved])).to.deep.equal({ added: [], changed: [], removed: [] });
    const labelled = { ...here, labels: { team: 'x' } };
    expect(diffResources([here], [labelled]).changed).to.deep.equal([labelled]);
  });

  it('keeps two kinds of one name apart', () => {
    const other = thing('a', {}, { kind: 'Other' });
    expect(diffResources([thing('a', {})], [thing('a', {}), other]).added).to.deep.equal([other]);
  });
});
