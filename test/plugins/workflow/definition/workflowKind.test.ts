import { expect } from 'chai';
import { checkResource } from '../../../../kernel/config/resources.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { inputSchemaOf } from '../../../../plugins/workflow/definition/inputs.ts';
import { readChecked, workflowKind } from '../../../../plugins/workflow/definition/workflowKind.ts';
import type { ReviewFacts } from '../../../../kernel/index.ts';
import type { WorkflowConfig } from '../../../../plugins/workflow/config.ts';
import { restrictedInAll } from '../../../../plugins/workflow/definition/restrictedUses.ts';
import { bootBoard, file } from '../board.ts';

function issuesOf(spec: JsonObject, name = 'a'): readonly string[] {
  const origin = { locate: () => ({}) };
  const { issues } = checkResource({ kind: 'Workflow', name, spec, origin }, [workflowKind]);
  return issues.map(({ severity, message }) => `${severity}: ${message.replace(`Workflow ${name}: `, '')}`);
}
const STEP = { id: 's', tool: 'x_t' };
const of = (...steps: readonly unknown[]): JsonObject => ({ steps });

describe('plugins/workflow: the kind Workflow', () => {
  it('refuses a condition that is a text, at its place, because it would skip the step each time', () => {
    for (const [text, place] of [
      ['input.path == "x"', 'input.path == "x"'],
      ['True', { template: 'True' }],
      ['', { all: [''] }],
    ] as const)
      expect(issuesOf(of({ ...STEP, condition: place })), text).to.deep.equal([
        `error: validation failed: steps: step 0 (s): condition: this text is neither true nor false, and is not a template; write one, as in '{{ eq .input.name "x" }}'`,
      ]);
    for (const condition of ['true', 'false', ' true ', '{{ .input.path }}'])
      expect(issuesOf(of({ ...STEP, condition })).filter((issue) => issue.startsWith('error'))).to.deep.equal(
        [],
      );
  });

  it('refuses a word that YAML 1.1 read as a boolean as the default of one, and says what to write', () => {
    for (const [word, meant] of [
      ['yes', 'true'],
      ['On', 'true'],
      ['no', 'false'],
      ['off', 'false'],
    ] as const)
      expect(issuesOf({ ...of(STEP), args: { a: { type: 'boolean', default: word } } })).to.deep.equal([
        `error: args: default of a is not of type boolean: this word is a text in YAML 1.2; write ${meant}`,
      ]);
    expect(issuesOf({ ...of(STEP), args: { a: { type: 'string', default: 'yes' } } })).to.deep.equal([]);
  });

  it('warns about a default of a sensitive argument, and hides it from callers', () => {
    const spec = {
      ...of(STEP),
      args: {
        key: { type: 'string', default: 'hunter2', sensitive: true },
        a: { type: 'string', default: 'b' },
      },
    };
    expect(issuesOf(spec)).to.deep.equal([
      'warning: args: the default of key is sensitive, but readable in the definition; leave it out',
    ]);
    const { properties } = inputSchemaOf(readChecked(spec, 'a').model);
    expect(properties).to.deep.equal({
      key: { type: 'string', description: '' },
      a: { type: 'string', description: '', default: 'b' },
    });
  });

  it('accepts both spellings and every form', () => {
    const loop = {
      items: '{{ .input.l }}',
      as: 'it',
      concurrency: 2,
      maxItems: 5,
      steps: [{ id: 'in', tool: 'x_t' }],
    };
    expect(
      issuesOf({
        description: 'd',
        version: '1',
        args: { l: { type: 'array', required: true } },
        steps: [
          {
            ...STEP,
            args: { a: '{{ .input.l }}' },
            store: true,
            allow_failure: true,
            outputs: { o: '{{ .result }}' },
            timeout: '1m30s',
          },
          {
            id: 'b',
            tool: 'x_t',
            allowFailure: true,
            output: false,
            condition: { from_step: 's', expect: { json_path: { a: 1 } } },
          },
          {
            id: 'c',
            tool: 'x_t',
            condition: { all: [{ fromStep: 's', expectNot: { success: true } }, { tool: 'x_t' }] },
            retry: { max: 2, delay: 1, max_delay: '5s', on: ['timeout'] },
          },
          { id: 'r', tool: 'x_t', retry: { retryOn: ['timeout'] } },
          { id: 's2', tool: 'x_t', retry: { retry_on: ['timeout'] } },
          {
            id: 'd',
            condition: {
              any: [
                '{{ true }}',
                { not: { tool: 'x_t', args: null, expect_not: { jsonPath: { a: null } } } },
              ],
            },
            forEach: loop,
          },
          { id: 'e', parallel: [{ id: 'f', tool: 'x_t' }] },
        ],
        onFailure: [{ id: 'g', tool: 'x_t' }],
        finally: [{ id: 'h', tool: 'x_t' }],
        output: { k: '{{ .results.s }}' },
        timeout: 30,
      }),
    ).to.deep.equal([]);
    expect(issuesOf({ steps: [{ id: 'd', for_each: loop }], on_failure: [STEP] })).to.deep.equal([
      'warning: step d: items: .input.l is not declared below args',
    ]);
  });

  const refused: readonly (readonly [what: string, spec: JsonObject, message: string])[] = [
    ['no steps key', {}, 'error: steps argument is required'],
    ['an empty list of steps', of(), 'error: workflow must have at least one step'],
    ['a step without id', of({ tool: 'x' }), 'error: validation failed: steps: step 0: id is required'],
    ['an empty id', of({ id: '', tool: 'x' }), 'error: validation failed: steps: step 0: id cannot be empty'],
    [
      'two names for the failures that are retried',
      of({ ...STEP, retry: { retryOn: ['timeout'], on: ['timeout'] } }),
      'error: validation failed: steps: step 0 (s): retry.on and retry.retryOn are the same; leave retry.on out',
    ],
    [
      'an id with a dot',
      of({ id: 'a.b', tool: 'x' }),
      'error: validation failed: steps: step 0: id "a.b" is not allowed; use at most 63 letters, digits, "_" and "-"',
    ],
    [
      'an id that is a trap',
      of({ id: '__proto__', tool: 'x' }),
      'error: validation failed: steps: step 0: id "__proto__" is not allowed; use at most 63 letters, digits, "_" and "-"',
    ],
    [
      'no source',
      of({ id: 'a' }),
      'error: validation failed: steps: step 0 (a): one of tool, forEach, or parallel is required',
    ],
    [
      'an empty tool',
      of({ id: 'a', tool: '' }),
      'error: validation failed: steps: step 0 (a): tool cannot be empty',
    ],
    [
      'two sources',
      of({ ...STEP, parallel: [{ id: 'p', tool: 'x' }] }),
      'error: validation failed: steps: step 0 (s): tool is mutually exclusive with forEach/parallel',
    ],
    [
      'a loop without items',
      of({ id: 'l', forEach: { steps: [STEP] } }),
      'error: validation failed: steps: step 0 (l): invalid forEach: items is required and must be a template string',
    ],
    [
      'a loop without steps',
      of({ id: 'l', forEach: { items: 'x' } }),
      'error: validation failed: steps: step 0 (l): invalid forEach: steps is required and must contain at least one sub-step',
    ],
    [
      'a loop inside a group',
      of({ id: 'g', parallel: [{ id: 'p', tool: 'x', forEach: {} }] }),
      'error: step p: unknown key "forEach"; loops and groups, onFailure and finally hold tools only',
    ],
    ['a duplicate id', of(STEP, STEP), "error: duplicate step ID 's' found"],
    [
      'a duplicate id inside',
      of(STEP, { id: 'g', parallel: [STEP] }),
      "error: step g parallel: duplicate sub-step id 's'",
    ],
    [
      'a duplicate id in onFailure',
      { steps: [STEP], onFailure: [STEP] },
      "error: onFailure: duplicate sub-step id 's'",
    ],
    ['an unknown key', of({ ...STEP, argz: {} }), 'error: step s: unknown key "argz"; did you mean "args"?'],
    [
      'a condition without source',
      of({ ...STEP, condition: {} }),
      'error: validation failed: steps: step 0 (s): condition requires exactly one of template, tool, or fromStep',
    ],
    [
      'a condition with two sources',
      of({ ...STEP, condition: { tool: 'x', fromStep: 'y', expect: {} } }),
      'error: validation failed: steps: step 0 (s): condition: tool and fromStep are mutually exclusive',
    ],
    [
      'an empty expectation',
      of({ ...STEP, condition: { tool: 'x', expect: {} } }),
      'error: validation failed: steps: step 0 (s): invalid expect: either success or jsonPath must be provided',
    ],
    [
      'a key inside a combination',
      of({ ...STEP, condition: { all: [{ tol: 'x' }] } }),
      'error: validation failed: steps: step 0 (s): condition: unknown key "tol"',
    ],
    [
      'a source that does not exist',
      of({ ...STEP, condition: { fromStep: 'none', expect: { success: true } } }),
      'error: step s: condition.fromStep names step none, which does not exist',
    ],
    [
      'a template that does not parse',
      of({ ...STEP, args: { a: '{{ if }}' } }),
      'error: step s: a: invalid template: template: template:1: missing value for if',
    ],
    [
      'a function that does not exist',
      of({ ...STEP, args: { a: '{{ foo }}' } }),
      'error: step s: a: invalid template: template: template:1: function "foo" not defined',
    ],
    [
      'a workflow that calls itself',
      of({ id: 's', tool: 'workflow_a' }),
      'error: step s: workflow recursion detected: a -> a',
    ],
    [
      'a timeout in words',
      of({ ...STEP, timeout: 'soon' }),
      'error: validation failed: steps: step 0 (s): timeout must be seconds or a text such as 30s',
    ],
    [
      'a wrong argument type',
      { ...of(STEP), args: { a: { type: 'text' } } },
      'error: args.a.type must be one of',
    ],
    [
      'an argument without type',
      { ...of(STEP), args: { a: {} } },
      'error: validation failed: args: argument a: type is required',
    ],
    [
      'a reserved argument',
      { ...of(STEP), args: { _async: { type: 'boolean' } } },
      'error: validation failed: args: argument _async: names with a leading "_" are reserved',
    ],
  ];
  for (const [what, spec, message] of refused) {
    it(`rejects ${what}`, () => {
      expect(issuesOf(spec)[0]).to.contain(message);
    });
  }

  const warned: readonly (readonly [what: string, args: JsonObject, message: string])[] = [
    [
      'a step that does not exist',
      { a: '{{ .results.none.x }}' },
      'step s: a: .results.none refers to a step that does not exist',
    ],
    [
      'a step that runs later',
      { a: '{{ .context.later }}' },
      'step s: a: .context.later refers to a step that has not run by then',
    ],
    [
      'an argument that is not declared',
      { a: '{{ .input.none | upper }}' },
      'step s: a: .input.none is not declared below args',
    ],
    ['an unknown root', { a: '{{ .name }}' }, 'step s: a: .name is unknown; the roots are .input'],
  ];
  for (const [what, args, message] of warned) {
    it(`warns about ${what}`, () => {
      expect(issuesOf(of({ ...STEP, args }, { id: 'later', tool: 'x' }))[0]).to.contain(
        `warning: ${message}`,
      );
    });
  }

  it('warns in a check about denied functions, unless the configuration allows them', () => {
    const spec = of({ ...STEP, args: { a: '{{ env "HOME" | genPrivateKey }}' } });
    expect(issuesOf(spec)).to.deep.equal([]);
    const { model } = readChecked(spec, 'a');
    const origin = { locate: () => ({}) };
    const resources = [{ kind: 'Workflow', name: 'a', spec, model, origin }];
    const found = (...templateFunctions: readonly string[]): readonly string[] => {
      const config = { templateFunctions } as unknown as WorkflowConfig;
      const facts = { config, resources } as unknown as ReviewFacts<WorkflowConfig>;
      return restrictedInAll(facts).map(({ message, severity = 'error' }) => `${severity}: ${message}`);
    };
    expect(found()).to.have.members([
      'warning: step s: a: function env is denied unless templateFunctions allows it',
      'warning: step s: a: function genPrivateKey is denied unless templateFunctions allows it',
    ]);
    expect(found('env', 'genPrivateKey')).to.deep.equal([]);
  });

  it('rejects long names and names of management tools', () => {
    expect(issuesOf(of(STEP), 'execution_list')[0]).to.contain('is reserved for a management tool');
    expect(issuesOf(of(STEP), 'a'.repeat(64))[0]).to.contain('over 63 characters');
    expect(issuesOf(of(STEP), 'special-chars-workflow_123')).to.deep.equal([]);
  });

  it('reports file, line and step, and keeps the last good version of a file that becomes invalid', async () => {
    const board = await bootBoard({ files: file('w', { steps: [{ id: 's', tool: 'x_echo' }] }) });
    const broken = 'steps:\n  - id: s\n    tool: x_echo\n    args:\n      ok: 1\n      bad: "{{ .x"\n';
    board.directory.write('workflows/w.yaml', broken);
    const report = await board.pipeline.reload();
    expect(report.issues[0]).to.include({
      file: board.directory.at('workflows/w.yaml'),
      line: 6,
      severity: 'error',
    });
    expect(report.issues[0]?.message).to.contain(
      'Workflow w: step s: bad: invalid template: template: template:1: unclosed action',
    );
    expect(board.kernel.catalogue.shared('workflow_w')).to.not.equal(undefined);
  });

  it('rejects workflows that call one another in a cycle, naming line and step', async () => {
    const board = await bootBoard();
    board.directory.write('workflows/a.yaml', 'steps:\n  - id: one\n    tool: workflow_b\n');
    board.directory.write('workflows/b.yaml', 'steps:\n  - id: two\n    tool: workflow_a\n');
    board.directory.write('workflows/c.yaml', 'steps:\n  - id: three\n    tool: workflow_a\n');
    const { issues } = await board.pipeline.reload();
    expect(issues.map(({ message, line }) => `${line ?? 0} ${message}`)).to.deep.equal([
      '3 Workflow a: step one: workflow recursion detected: a -> b -> a; let one of them call something else',
      '3 Workflow b: step two: workflow recursion detected: b -> a -> b; let one of them call something else',
    ]);
    expect(board.kernel.catalogue.shared('workflow_a')).to.equal(undefined);
    expect(board.kernel.catalogue.shared('workflow_c')).to.not.equal(undefined);
  });
});
