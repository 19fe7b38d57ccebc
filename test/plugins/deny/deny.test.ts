import { expect } from 'chai';
import { ToolTable } from '../../../kernel/contracts/decision.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { textResult } from '../../../kernel/lib/results.ts';
import { callCore } from '../../support/coreTools.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { pluginOf, refusalOf, toolOf } from '../../support/kernel.ts';
import { requestOf } from '../../support/requests.ts';

const DESTRUCTIVE = { annotations: { destructiveHint: true } };

const board = pluginOf('board', (scope) => {
  scope.addTool(toolOf('x_git_delete', DESTRUCTIVE));
  scope.addTool(toolOf('x_git_drop', DESTRUCTIVE));
  scope.addTool(toolOf('x_git_list', { invoke: () => textResult('all') }));
  scope.addTool(
    toolOf('workflow_w', { kind: 'workflow', invoke: (_, call) => call.child('x_git_drop', {}) }),
  );
});
const family = pluginOf('board', (scope) => {
  const group = toolOf('x_db_drop');
  for (const name of ['x_prod_drop', 'x_stage_drop']) scope.addTool(toolOf(name, { group }));
});
const BOARD = 'board: { module: ./board.mjs }';

function boot(config: string, plugin = board): Promise<Gateway> {
  const files = {
    'config.yaml': `plugins: { ${BOARD}, deny: { config: ${config} } }\n`,
    'board.mjs': moduleOf(plugin),
  };
  return bootGateway({ files, builtIns: ['deny'] });
}
function visible({ kernel }: Gateway): readonly string[] {
  const table = kernel.registry.get(ToolTable.id) as ToolTable;
  return table.visibleTo(requestOf()).map(({ name }) => name);
}
const ALL = ['x_git_delete', 'x_git_drop', 'x_git_list', 'workflow_w'];

describe('plugins/deny', () => {
  it('hides and refuses the tools that a pattern names, and names the pattern', async () => {
    const gateway = await boot('{ tools: [x_git_d*], except: [x_git_delete] }');
    expect(visible(gateway)).to.deep.equal(['x_git_delete', 'x_git_list', 'workflow_w']);
    const refusal = await refusalOf(() => callCore(gateway, 'x_git_drop'));
    expect([refusal.code, refusal.message]).to.deep.equal([
      'TOOL_DENIED',
      'tool x_git_drop is denied by the pattern x_git_d*; the operator can change plugins.deny.config',
    ]);
    expect((await callCore(gateway, 'x_git_list')).content[0]).to.include({ text: 'all' });
  });

  it('denies tools that declare themselves destructive, and no others', async () => {
    const gateway = await boot('{ destructive: true }');
    expect(visible(gateway)).to.deep.equal(['x_git_list', 'workflow_w']);
    expect((await refusalOf(() => callCore(gateway, 'x_git_delete'))).message).to.contain('destructive');
  });

  it('applies to a tool of a family by its own name and by the name of the family', async () => {
    const seen = async (config: string) => visible(await boot(config, family));
    expect(await seen('{ tools: [x_prod_*] }')).to.deep.equal(['x_stage_drop']);
    expect(await seen('{ tools: [x_db_*] }')).to.deep.equal([]);
    expect(await seen('{ tools: [x_*], except: [x_prod_*] }')).to.deep.equal(['x_prod_drop']);
    expect(await seen('{ tools: [x_*], except: [x_db_*] }')).to.deep.equal(['x_prod_drop', 'x_stage_drop']);
  });

  it('applies to the steps of a workflow too', async () => {
    const gateway = await boot('{ tools: [x_git_drop] }');
    expect((await refusalOf(() => callCore(gateway, 'workflow_w'))).code).to.equal('TOOL_DENIED');
  });

  it('applies changes live, is off without configuration, and keeps its rules while config.yaml is invalid', async () => {
    const gateway = await boot('{ tools: [x_git_drop] }');
    const configure = async (text: string): Promise<JsonObject> => {
      gateway.directory.write('config.yaml', text);
      return { ...(await gateway.pipeline.reload()) };
    };
    await configure(`plugins: { ${BOARD}, deny: { config: { tools: [x_git_list] } } }\n`);
    expect(visible(gateway)).to.deep.equal(ALL.filter((name) => name !== 'x_git_list'));
    const report = await configure(`plugins:\n  ${BOARD}\n  deny: { config: { tools: ["a["] } }\n`);
    expect(JSON.stringify(report['issues'])).to.contain('tools.0 is not a pattern: unterminated');
    // An unreadable config.yaml must not remove the rules (U80).
    await configure('plugins: { deny: { config: { tools: [');
    expect(visible(gateway)).to.deep.equal(ALL.filter((name) => name !== 'x_git_list'));
    const off = await configure(`plugins: { ${BOARD} }\n`);
    expect(off['actions']).to.deep.equal({ deny: 'stop' });
  });
});
