import { expect } from 'chai';
import { basename } from 'node:path';
import { isError } from '../../../../kernel/lib/isError.ts';
import { composeGateway } from '../../../support/gateway.ts';
import type { Files } from '../../../support/directory.ts';

/** What a check reports about files, without the names of definitions. */
async function saidOf(files: Files): Promise<readonly string[]> {
  const builtIns = ['access', 'core-mcpservers', 'deny', 'limits', 'store-file', 'toolsets', 'workflow'];
  const issues = await (await composeGateway({ files, builtIns })).pipeline.check();
  return issues.map((issue) => {
    const { file = '', line = 0, message } = issue;
    const text = message.replace(/^(MCPServer|Workflow) \w+: /, '').replace(/; known keys: .*/, '');
    return `${basename(file)}:${line} ${isError(issue) ? '' : 'warning: '}${text}`;
  });
}

describe('All faults of a file at once', () => {
  it('are reported for config.yaml: for the file itself, and for each plugin that it sets', async () => {
    const said = await saidOf({
      'config.yaml': `aggregator:
  colour: blue
plugins:
  transport-ssee: false
  deny: { confg: {} }
  limits: { config: { perSesion: {} } }
  acme: { module: ./acme.mjs }
access: [{ groups: [a], toolset: [read-only], note: x }]
mcpServers: { files: { command: npx } }
`,
    });
    expect(said.slice(0, 3)).to.have.members([
      'config.yaml:9 unknown key "mcpServers"; servers are files in mcpservers/, one each; run: pegboard import <file of a client>',
      'config.yaml:2 unknown key "colour"',
      'config.yaml:5 unknown key "confg"; did you mean "config"?',
    ]);
    const more = said.slice(3);
    expect(more).to.have.length(4);
    expect(more[0]).to.equal('config.yaml:8 plugin access: unknown key "note"');
    expect(more[1]).to.equal(
      'config.yaml:6 plugin limits: unknown key "perSesion"; did you mean "perSession"?',
    );
    expect(more[2]).match(/^config\.yaml:4 warning: plugins\.transport-ssee: false switches nothing off: /);
    expect(more[3]).match(/^config\.yaml:7 plugin acme: module .*acme\.mjs is not there/);
  });

  it('does not blame one section for what is wrong in another', async () => {
    const said = await saidOf({
      'config.yaml':
        'toolsetPresets:\n  mine: { includ: [] }\naccess: [{ groups: [a], toolset: [mine] }]\nrequired: [acme]\naggregator: { port: x }\n',
    });
    expect(said.map((text) => text.split(' ')[0])).to.have.members(['config.yaml:2', 'config.yaml:5']);
  });

  it('are reported for a workflow: its form, ids, templates and references', async () => {
    const said = await saidOf({
      'workflows/w.yaml': `description: 5
steps:
  - id: a
    tol: x
  - id: a
    tool: core_events
    args: { x: '{{ .nope' }
  - id: b
    tool: core_events
    args: { x: '{{ .results.zz }}' }
`,
    });
    expect(said).to.have.length(5);
    expect(said.join('\n')).match(/w\.yaml:1 description must be a string/);
    expect(said).includes('w.yaml:4 step a: unknown key "tol"; did you mean "tool"?');
    expect(said).includes("w.yaml:5 duplicate step ID 'a' found");
    expect(said.join('\n')).match(/w\.yaml:7 step a: x: invalid template/);
    expect(said).includes('w.yaml:10 warning: step b: x: .results.zz refers to a step that does not exist');
  });

  it('are reported for a server, each with what to write, and none that follows from another', async () => {
    const said = await saidOf({
      'mcpservers/a.yaml':
        'type: http\nurl: http://localhost:9/mcp\ntimeout: 30s\nargs: x\ndisabled: true\nautoApprove: [x]\n',
      'mcpservers/b.yaml': 'mcpServers:\n  files:\n    command: npx\n    args: [-y, x]\n',
      'mcpservers/c.yaml': 'command: [npx, x]\nenv: [A=s3cret]\n',
      'mcpservers/d.yaml': 'type: sse\nurl: nowhere\ncallTimeout: 2m\nrestartRequestedAt: now\n',
    });
    expect(said.join()).not.contain('s3cret');
    expect(said.map((text) => text.replace(/must be one of .*, not/, 'is not'))).to.have.members([
      'a.yaml:1 type is not "http"; write streamable-http, or auto if it may be an older server',
      'a.yaml:3 timeout must be an integer, not "30s"; it counts seconds: write 30',
      'a.yaml:4 args must be an array, not that; write a list, args: [first, second]',
      'a.yaml:5 unknown key "disabled"; write suspended: true for a server that is off',
      'a.yaml:6 unknown key "autoApprove"; leave it out: before a call its client asks, as it does for call_tool of Pegboard',
      'b.yaml:1 unknown key "mcpServers": that is a client’s block of servers, and here each server has a file of its own; run: pegboard import <file>, or write type, command and the like at the top of this one',
      'c.yaml:1 type is required; write type: stdio',
      'c.yaml:2 env must be an object, not that; write a map, env: {NAME: value}',
      'd.yaml:3 callTimeout must be an integer, not "2m"; it counts seconds: write 120',
      'd.yaml:2 url must be complete and begin with http:// or https://',
      'd.yaml:4 restartRequestedAt must be a time as in 2026-01-31T12:00:00Z (RFC 3339)',
    ]);
  });
});
