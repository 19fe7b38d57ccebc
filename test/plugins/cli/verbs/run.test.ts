import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

const FLOW = `args:
  name: { type: string, required: true, description: whose }
steps:
  - { id: first, tool: core_service_list }
  - id: group
    parallel:
      - { id: a, tool: core_service_status, args: { name: '{{ .input.name }}' } }
      - { id: b, tool: core_service_list }
  - { id: last, tool: core_service_list, condition: { template: '{{ eq .input.name "x" }}' } }
`;

describe('pegboard run', () => {
  it('runs a workflow, plans it, and follows it', async () => {
    const directory = makeDirectory({ 'workflows/flow.yaml': FLOW });
    const { url } = await serveHere(directory);
    const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
    const run = (...args: string[]) => typeVerb(['run', 'flow', ...args, ...at]);
    const gateway = ['--name', 'mcp-aggregator'];

    const done = await run(...gateway);
    expect(done.code, done.stderr).equal(0);
    expect(done.stderr).match(/step first completed\n.*step group completed\n.*step last skipped\n/);
    expect(parse(done.stdout)).include({ workflow: 'flow', status: 'completed' });
    expect(done.stdout).match(/^execution_id: /);

    const failed = await run('--name', 'none', '-q', '-o', 'json');
    expect(failed.code).equal(1);
    expect(JSON.parse(failed.stdout)).include({ isError: true });

    const missing = await run();
    expect([missing.code, missing.stderr]).deep.equal([
      1,
      'pegboard: missing arguments:\n  --name <string>  whose\n',
    ]);

    const plan = await run(...gateway, '--plan');
    expect(plan.code, plan.stderr).equal(0);
    const lines = plan.stdout.split('\n').map((line) => line.split(/ {3,}/).slice(0, 3));
    expect(lines).deep.equal([
      ['STEP', 'TOOL', 'RUNS'],
      ['first', 'core_service_list', 'yes'],
      ['group', '(parallel)', 'yes'],
      ['· a', 'core_service_status', 'yes'],
      ['· b', 'core_service_list', 'yes'],
      ['last', 'core_service_list', 'no'],
      [''],
    ]);

    const followed = await run(...gateway, '--follow');
    expect(followed.code, followed.stderr).equal(0);
    expect(followed.stderr).contain('step first completed\n');
    expect(followed.stdout)
      .match(/^✓ flow {2}completed/)
      .and.contain('core_service_status');

    const detached = await run(...gateway, '--async', '-q');
    const id = detached.stdout.trim();
    expect(id).match(/^[0-9a-f-]{36}$/);
    const execution = await typeVerb(['get', 'execution', id, '-o', 'json', ...at]);
    expect(JSON.parse(execution.stdout)).include({ workflow_name: 'flow' });
  });

  it('says so if there is no such workflow', async () => {
    const directory = makeDirectory({ 'workflows/flow.yaml': FLOW });
    const { url } = await serveHere(directory);
    const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
    const { code, stderr } = await typeVerb(['run', 'flowe', ...at]);
    expect(code).equal(1);
    expect(stderr).contain('workflow_flow');
  });
});
