import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { findingsIn } from '../../../../kernel/config/validate.ts';
import type { JsonObject, JsonSchema } from '../../../../kernel/contracts/json.ts';
import { answerIn, askCore, callCore } from '../../../support/coreTools.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { requestOf } from '../../../support/requests.ts';
import { bootBoard, file, run } from '../board.ts';
import type { Row } from '../board.ts';

const STEPS = [{ id: 's', tool: 'x_echo', args: { text: '{{ .input.t }}' }, allow_failure: true }];
const ARGS = { t: { type: 'string', default: 'hi' } };

describe('plugins/workflow: tools on definitions', () => {
  it('have the annotations of the interface', async () => {
    const { kernel } = await bootBoard();
    const rows = kernel.catalogue.owned
      .map(({ tool }) => tool)
      .filter(({ kind }) => kind === 'core')
      .map(
        ({
          name,
          annotations: { readOnlyHint: r, destructiveHint: d, idempotentHint: i, openWorldHint: o } = {},
        }) => [name.replace('core_workflow_', ''), r, d, i, o].join(' '),
      );
    expect(rows.sort()).to.deep.equal([
      'available true false true false',
      'create false false false false',
      'delete false true false false',
      'execution_cancel false true true false',
      'execution_get true false true false',
      'execution_list true false true false',
      'get true false true false',
      'list true false true false',
      'update false true true false',
      'validate true false true false',
    ]);
  });

  it('reject an argument that they do not support', async () => {
    const board = await bootBoard();
    const { message } = await refusalOf(() => callCore(board, 'core_workflow_list', { name: 'w' }));
    expect(message).to.equal('arguments of core_workflow_list: unknown key "name"; remove it');
  });

  it('have schemas that accept whatever the kind accepts, and an example that can be created', async () => {
    const board = await bootBoard();
    const schemaOf = (name: string): JsonSchema =>
      board.kernel.catalogue.shared(`core_workflow_${name}`)!.inputSchema;
    const [example] = schemaOf('create')['examples'] as readonly JsonObject[];
    const created = await askCore(board, 'core_workflow_create', example);
    expect(created).to.include({ message: 'Workflow created successfully' });
    const inner = [{ id: 'in', tool: 'x_echo', args: null, allow_failure: true, store: true }];
    const all: JsonObject = {
      name: 'all',
      version: 1,
      timeout: '10m',
      args: { a: { type: 'array', default: [1], enum: [[1]], sensitive: false } },
      steps: [
        { id: 'a', tool: 'x_echo', output: null, timeout: '1m', retry: { max_delay: 1, on: ['timeout'] } },
        { id: 'b', for_each: { items: [1], max_items: 2, steps: inner }, condition: { from_step: 'a' } },
        { id: 'c', parallel: [{ id: 'd', tool: 'x_echo', condition: { any: ['true', { not: 'false' }] } }] },
      ],
      on_failure: [{ id: 'e', tool: 'x_echo' }],
      finally: [{ id: 'f', tool: 'x_echo', outputs: { b: '{{ .result }}' } }],
      output: { a: '{{ .results.a }}' },
    };
    expect((await askCore(board, 'core_workflow_validate', all))['errors']).to.deep.equal([]);
    for (const name of ['create', 'update', 'validate'])
      for (const definition of [all, example!])
        expect(findingsIn(schemaOf(name), definition), name).to.deep.equal([]);
    const cleared = { name: 'all', args: null, onFailure: null, finally: null, output: null, timeout: null };
    expect(findingsIn(schemaOf('update'), cleared)).to.deep.equal([]);
  });

  it('create and update a workflow with the warnings that validate has', async () => {
    const board = await bootBoard();
    const steps = [{ id: 'a', tool: 'x_ech', args: { v: '{{ .results.none }}' } }];
    const made = { name: 'made', description: 'Made', steps };
    const { warnings } = await askCore(board, 'core_workflow_validate', made);
    expect(warnings).to.have.length(2);
    const created = await askCore(board, 'core_workflow_create', made);
    expect(created['warnings']).to.deep.equal(warnings);
    const updated = await askCore(board, 'core_workflow_update', { name: 'made', description: 'Other' });
    expect(updated['warnings']).to.deep.equal(warnings);
    const clean = await askCore(board, 'core_workflow_update', { name: 'made', steps: STEPS, args: ARGS });
    expect(clean).not.to.have.property('warnings');
  });

  it('create a workflow that runs at once, list it, get it in both spellings, delete it', async () => {
    const board = await bootBoard();
    expect(await askCore(board, 'core_workflow_list')).to.deep.equal({ workflows: [] });
    const created = await askCore(board, 'core_workflow_create', {
      name: 'made',
      description: 'Made',
      args: ARGS,
      steps: STEPS,
      labels: { team: 'a' },
    });
    expect(created).to.include({ message: 'Workflow created successfully' });
    expect(created['workflow']).to.deep.include({
      name: 'made',
      description: 'Made',
      available: true,
      labels: { team: 'a' },
    });
    expect((await run(board, 'made'))['status']).to.equal('completed');
    expect(await askCore(board, 'core_workflow_list')).to.deep.equal({
      workflows: [{ name: 'made', description: 'Made', available: true }],
    });
    const got = await askCore(board, 'core_workflow_get', { name: 'made' });
    const { steps } = got['workflow'] as { steps: Row[] };
    expect(steps[0]).to.include({ allow_failure: true });
    const status = got['status'] as { stepCount: number; referencedTools: readonly string[] };
    expect(status.stepCount).to.equal(steps.length);
    expect(status.referencedTools).to.include(steps[0]?.['tool']);
    const yaml = parse(String(got['yaml'])) as { spec: { steps: Row[] } };
    expect(yaml.spec.steps[0]).to.include({ allowFailure: true });
    // The returned text can be saved as a definition file.
    board.directory.write('workflows/made.yaml', String(got['yaml']));
    expect((await board.pipeline.reload()).issues).to.deep.equal([]);

    const deleted = await askCore(board, 'core_workflow_delete', { name: 'made' });
    expect(deleted).to.include({ message: "Workflow 'made' deleted successfully" });
    expect(board.kernel.catalogue.shared('workflow_made')).to.equal(undefined);
    expect(await askCore(board, 'core_workflow_execution_list')).to.include({ total: 1 });
    const types = board.events
      .map(({ type }) => type)
      .filter((type) => /^workflow\.(created|deleted|toolReg)/.test(type));
    expect(types).to.deep.equal([
      'workflow.toolRegistered',
      'workflow.created',
      'workflow.toolRegistered',
      'workflow.deleted',
    ]);
  });

  it('update only the given fields, keeping comments, labels and order of the rest', async () => {
    const text = `apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata:
  name: w
  labels: { team: a }
spec:
  # why it is there
  description: Old
  on_failure: [ { id: c, tool: x_echo } ] # clean
  steps:
    - id: s # the only one
      tool: x_echo
`;
    const board = await bootBoard({ files: { 'workflows/w.yaml': text } });
    const updated = await askCore(board, 'core_workflow_update', { name: 'w', description: 'New' });
    expect(updated).to.include({ message: "Workflow 'w' updated successfully" });
    expect(readFileSync(board.directory.at('workflows/w.yaml'), 'utf8')).to.equal(text.replace('Old', 'New'));
    await askCore(board, 'core_workflow_update', { name: 'w', steps: STEPS, onFailure: null, args: ARGS });
    const { workflow } = await askCore(board, 'core_workflow_get', { name: 'w' });
    expect(workflow).to.deep.include({ description: 'New', labels: { team: 'a' } });
    expect(workflow).to.not.have.property('onFailure');
  });

  it('reject missing, invalid, taken and unknown values with a message that helps', async () => {
    const board = await bootBoard({ files: file('w', { steps: STEPS }) });
    const said = async (tool: string, args: JsonObject): Promise<string> => {
      const { code, message } = await refusalOf(() => callCore(board, `core_workflow_${tool}`, args));
      return `${code} ${message}`;
    };
    expect(await said('create', { steps: STEPS })).to.equal('TOOL_ARGUMENTS name argument is required');
    expect(await said('create', { name: 'x' })).to.contain('steps argument is required');
    expect(await said('create', { name: 'w', steps: STEPS })).to.contain(
      "STORE_CONFLICT failed to create workflow: workflow 'w' already exists",
    );
    expect(await said('create', { name: 'x', steps: STEPS, foo: 1 })).to.contain('unknown key "foo"');
    expect(await said('create', { name: 'list', steps: STEPS })).to.contain('management tool');
    expect(await said('create', { name: '../x', steps: STEPS })).to.contain('is not allowed');
    expect(
      await said('create', {
        name: 'x',
        steps: [
          { id: 's', tool: 'workflow_y' },
          { id: 's', tool: 'x' },
        ],
      }),
    ).to.contain("duplicate step ID 's' found");
    expect(await said('get', { name: 'none' })).to.contain('workflow none not found');
    expect(await said('available', { name: 'none' })).to.contain('workflow none not found');
    expect(await said('update', { name: 'none', description: 'x' })).to.contain('not found');
    expect(await said('update', { name: 'w', steps: [] })).to.contain('workflow must have at least one step');
    expect(await said('delete', { name: 'none' })).to.contain('not found');
  });

  it('validate with every error and warning at its path, and the missing tools', async () => {
    const board = await bootBoard({ files: file('other', { steps: [{ id: 's', tool: 'x_echo' }] }) });
    const good = await askCore(board, 'core_workflow_validate', { name: 'v', steps: STEPS, args: ARGS });
    expect(good).to.deep.equal({
      name: 'v',
      valid: true,
      errors: [],
      warnings: [],
      tools: { available: true, missing: [], referenced: ['x_echo'] },
      message: 'Validation successful for workflow v',
    });
    const missing = await askCore(board, 'core_workflow_validate', {
      name: 'v',
      steps: [
        { id: 's', tool: 'x_ecko' },
        { id: 'n', tool: 'workflow_other', condition: { tool: 'x_gone', expect: { success: true } } },
      ],
    });
    expect(missing).to.deep.include({ valid: true });
    expect(missing['warnings']).to.deep.equal([
      {
        path: 'steps[0].tool',
        message: 'step s: tool x_ecko is missing: no such tool; did you mean x_echo?',
      },
      {
        path: 'steps[1].condition.tool',
        message: 'step n: tool x_gone is missing: no such tool; find its name with filter_tools',
      },
    ]);
    const result = await callCore(board, 'core_workflow_validate', {
      name: 'v',
      steps: [
        { id: 's', tool: 'x', args: { a: '{{ .results.t }}' } },
        { id: 't', tool: 'x', args: { a: '{{ x' } },
      ],
    });
    // Faults are reported in the answer, with isError, as in core_mcpserver_validate.
    expect(result.isError).to.equal(true);
    const bad = answerIn(result);
    expect(bad['valid']).to.equal(false);
    expect(bad['errors']).to.deep.equal([
      {
        path: 'steps[1].args.a',
        message:
          'step t: a: invalid template: template: template:1: function "x" not defined, in {{ x; a path begins with a dot: write {{ .input.name }} or {{ .results.id }}; a text is in double quotes',
      },
    ]);
    expect(bad['warnings']).to.deep.include({
      path: 'steps[0].args.a',
      message: 'step s: a: .results.t refers to a step that has not run by then',
    });
  });
});

describe('plugins/workflow: core_workflow_validate', () => {
  it('reports errors of the schema and of the reader in one answer, each once', async () => {
    const board = await bootBoard();
    const { errors } = await askCore(board, 'core_workflow_validate', {
      name: 'v',
      steps: [
        { id: 's', tool: 'x_echo', argz: {} },
        { id: 's', tool: 'x_echo', timeout: 'soon' },
      ],
    });
    expect((errors as { path: string }[]).map(({ path }) => path)).to.have.members([
      'steps[0].argz',
      'steps[1].timeout',
      'steps[1].id',
    ]);
  });
});

describe('plugins/workflow: availability', () => {
  it('names missing tools of steps, conditions and nested workflows, with position and workflow chain', async () => {
    const board = await bootBoard({
      files: {
        'workflows/inner.yaml': 'steps:\n  - id: a\n    tool: x_gone\n',
        'workflows/outer.yaml':
          'steps:\n  - id: b\n    tool: workflow_inner\n    condition:\n      tool: x_also\n      expect: { success: true }\nfinally:\n  - id: c\n    tool: x_echo\n',
      },
    });
    const answer = await askCore(board, 'core_workflow_available', { name: 'outer' });
    expect(answer).to.deep.include({ name: 'outer', available: false, missing_tools: ['x_also', 'x_gone'] });
    expect((answer['details'] as Row[])[1]).to.deep.include({
      tool: 'x_gone',
      code: 'TOOL_NOT_FOUND',
      reason: 'no such tool',
      step: 'a',
      via: ['inner'],
      file: board.directory.at('workflows/inner.yaml'),
      line: 3,
    });
    const { message } = await refusalOf(() => run(board, 'outer'));
    expect(message).to.equal(
      'workflow outer is not available (missing required tools): x_also, x_gone; core_workflow_available shows why',
    );
    expect(board.events.some(({ type }) => type === 'workflow.unavailable')).to.equal(true);
    expect(board.stored.size).to.equal(0);
    const remove = board.kernel.catalogue.add('test', {
      name: 'x_gone',
      kind: 'tool',
      description: '',
      inputSchema: {},
      invoke: () => ({ json: '', value: () => ({ content: [] }) }),
    });
    expect(await askCore(board, 'core_workflow_available', { name: 'inner' })).to.include({
      available: true,
    });
    remove();
    expect(await askCore(board, 'core_workflow_available', { name: 'inner' })).to.include({
      available: false,
    });
  });

  it('derives readOnlyHint from every tool that may be called', async () => {
    const board = await bootBoard({
      files: {
        ...file('reads', { steps: [{ id: 'a', tool: 'x_list' }] }),
        ...file('nests', { steps: [{ id: 'a', tool: 'workflow_reads' }] }),
        ...file('cleans', {
          steps: [{ id: 'a', tool: 'x_list' }],
          onFailure: [{ id: 'b', tool: 'x_crash' }],
        }),
        ...file('asks', {
          steps: [{ id: 'a', tool: 'x_list', condition: { tool: 'x_crash', expect: { success: true } } }],
        }),
        ...file('lost', { steps: [{ id: 'a', tool: 'x_gone' }] }),
      },
    });
    const hint = (name: string): unknown =>
      board.kernel.catalogue.declared(`workflow_${name}`, requestOf())?.annotations;
    expect([hint('reads'), hint('nests')]).to.deep.equal([{ readOnlyHint: true }, { readOnlyHint: true }]);
    expect([hint('cleans'), hint('asks'), hint('lost')]).to.deep.equal([undefined, undefined, undefined]);
  });
});
