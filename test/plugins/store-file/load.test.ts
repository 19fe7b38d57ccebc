import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { BootFailure } from '../../../kernel/config/pipeline.ts';
import { placeText } from '../../../kernel/lib/placeText.ts';
import type { Issue } from '../../../kernel/contracts/config.ts';
import { bootGateway, composeGateway } from '../../support/gateway.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';

const BUILT_INS = ['store-file', 'core-mcpservers'];
const STDIO = 'type: stdio\ncommand: [node]\n';

function boot(files: GatewayOptions['files'] = {}): Promise<Gateway> {
  return bootGateway({ builtIns: BUILT_INS, files });
}
function namesOf({ pipeline }: Gateway): readonly string[] {
  return pipeline.resources('MCPServer').map(({ name }) => name);
}
const STRICT = 'plugins: { store-file: { config: { strictStart: true } } }\n';

async function issuesAtBoot(files: GatewayOptions['files'] = {}): Promise<readonly string[]> {
  const gateway = await composeGateway({ builtIns: BUILT_INS, files: { 'config.yaml': STRICT, ...files } });
  const failure: unknown = await gateway.boot().catch((error: unknown) => error);
  if (!(failure instanceof BootFailure)) throw new Error('the boot did not fail');
  return failure.issues.map((issue) => lineOf(gateway, issue));
}
function lineOf({ directory }: Gateway, issue: Issue): string {
  return `${(placeText(issue) ?? '').replace(`${directory.path}/`, '')} ${issue.message}`;
}

describe('plugins/store-file: reading', () => {
  it('reads resource form and flat form, .yaml and .yml', async () => {
    const gateway = await boot({
      'mcpservers/flat.yml': STDIO,
      'mcpservers/named.yaml': `name: Other\n${STDIO}`,
      'mcpservers/full.yaml': [
        'apiVersion: pegboard.dev/v1alpha1',
        'kind: MCPServer',
        'metadata: { name: whole, labels: { team: a } }',
        'spec: { type: sse, url: https://example.org/sse }',
      ].join('\n'),
    });
    expect(namesOf(gateway)).to.have.members(['flat', 'Other', 'whole']);
    const whole = gateway.pipeline.resources('MCPServer').find(({ name }) => name === 'whole');
    expect(whole?.labels).to.deep.equal({ team: 'a' });
    expect(whole?.spec).to.include({ type: 'sse', timeout: 30, suspended: false });
  });

  it('accepts any group whose version is v1alpha1', async () => {
    const gateway = await boot({
      'mcpservers/a.yaml': `apiVersion: example.org/v1alpha1\nkind: MCPServer\nspec: { type: stdio, command: [a] }\n`,
    });
    expect(namesOf(gateway)).to.deep.equal(['a']);
  });

  it('treats a missing folder as empty, and ignores hidden and other files', async () => {
    expect(namesOf(await boot())).to.deep.equal([]);
    const gateway = await boot({
      'mcpservers/.a.yaml': 'x: [',
      'mcpservers/b.yaml~': 'x: [',
      'mcpservers/c.txt': 'x: [',
    });
    expect(namesOf(gateway)).to.deep.equal([]);
  });

  it('warns once of each file that resembles a definition and is not read', async () => {
    const gateway = await boot({
      'config.yml': 'namespace: a\n',
      'mcpserver/a.yaml': STDIO,
      'mcpservers/a.json': '{}',
      'mcpservers/b.yaml': STDIO,
      'mcpservers/d.yaml/e.yaml': STDIO,
      'mcpservers/sub/f.yaml': STDIO,
      'mcpservers/..data/g.yaml': STDIO,
      'mcpservers/notes.txt': 'x',
      'files/h.yaml': STDIO,
    });
    const { issues = [] } = gateway.pipeline.lastReport() ?? {};
    expect(issues.map(({ severity }) => severity)).to.deep.equal(Array(5).fill('warning'));
    const folder = gateway.directory.at('mcpservers');
    expect(issues.map((issue) => lineOf(gateway, issue))).to.deep.equal([
      'config.yml it is not read; rename it to config.yaml',
      'mcpserver it is not read; the folder is called mcpservers; rename it',
      'mcpservers/a.json it is not read; rename it to end in .yaml; JSON is valid YAML',
      `mcpservers/d.yaml it is not read; move its files into ${folder}`,
      `mcpservers/sub it is not read; move its files into ${folder}`,
    ]);
    expect(namesOf(gateway)).to.deep.equal(['b']);
  });

  it('leaves out definitions of another namespace with a warning at its place, and keeps flat ones', async () => {
    const gateway = await boot({
      'config.yaml': 'namespace: prod\n',
      'mcpservers/a.yaml': `apiVersion: x/v1alpha1\nkind: MCPServer\nspec: { type: stdio, command: [a] }\n`,
      'mcpservers/b.yaml': `apiVersion: x/v1alpha1\nkind: MCPServer\nmetadata: { namespace: prod }\nspec: { type: stdio, command: [a] }\n`,
      'mcpservers/c.yaml': STDIO,
      'mcpservers/d.yaml': `apiVersion: x/v1alpha1\nkind: MCPServer\nmetadata: { namespace: test }\nspec: { type: stdio, command: [a] }\n`,
    });
    await gateway.pipeline.reload();
    expect(namesOf(gateway)).to.deep.equal(['b', 'c']);
    const { issues = [] } = gateway.pipeline.lastReport() ?? {};
    const why = (name: string, namespace: string): string =>
      `MCPServer ${name} is left out: its namespace is ${namespace}, and that of config.yaml is prod; change one of them, or leave metadata.namespace out`;
    expect(issues.map((issue) => lineOf(gateway, issue))).to.deep.equal([
      `mcpservers/a.yaml:1:1 ${why('a', 'default')}`,
      `mcpservers/d.yaml:3:13 ${why('d', 'test')}`,
    ]);
  });

  it('reads what an API server or another gateway has written into a file, and passes over it', async () => {
    const metadata = [
      'name: git',
      'creationTimestamp: "2026-08-20T10:00:00Z"',
      'generation: 2',
      'resourceVersion: "1"',
      'uid: 123e4567-e89b-12d3-a456-426614174000',
      'finalizers: [x/y]',
      'ownerReferences: []',
      'managedFields: []',
    ];
    const gateway = await boot({
      'mcpservers/git.yaml': `apiVersion: x/v1alpha1\nkind: MCPServer\nmetadata: {${metadata.join(', ')}}\nspec: { type: stdio, command: [node] }\nstatus: { state: Running }\n`,
      'workflow_executions/x.yaml': 'execution_id: x\n',
    });
    expect(namesOf(gateway)).to.deep.equal(['git']);
    expect(gateway.pipeline.lastReport()?.issues).to.deep.equal([]);
  });

  const named = (name: string): string =>
    `apiVersion: x/v1alpha1\nkind: MCPServer\nmetadata: { name: ${name} }\nspec: { type: stdio, command: [node] }\n`;

  it('reads every document of a file, and every item of a List, with their places', async () => {
    const items = ['a', 'b', '"c d"'].map((name) => `- { ${named(name).trim().replace(/\n/g, ', ')} }`);
    const gateway = await boot({
      'mcpservers/two.yaml': `---\n${named('one')}---\n${named('two')}---\n`,
      'mcpservers/list.yaml': `apiVersion: v1\nkind: List\nitems:\n${items.join('\n')}\n`,
    });
    expect(namesOf(gateway)).to.have.members(['one', 'two', 'a', 'b']);
    const { issues = [] } = gateway.pipeline.lastReport() ?? {};
    expect(issues.map((issue) => placeText(issue)?.replace(`${gateway.directory.path}/`, ''))).to.deep.equal([
      'mcpservers/list.yaml:6:58',
    ]);
    const two = gateway.pipeline.resources('MCPServer').find(({ name }) => name === 'two');
    expect(two?.origin.locate(['command'])).to.include({ line: 10, column: 22 });
  });

  it('keeps the last good version of the document of a file that breaks, and the others as they are now', async () => {
    const gateway = await boot({ 'mcpservers/two.yaml': `${named('one')}---\n${named('two')}` });
    const broken = named('two').replace('command: [node]', 'command: 1');
    gateway.directory.write('mcpservers/two.yaml', `${named('three')}---\n${broken}`);
    await gateway.pipeline.reload();
    expect(namesOf(gateway)).to.have.members(['three', 'two']);
    gateway.directory.write('mcpservers/two.yaml', 'a: [');
    await gateway.pipeline.reload();
    expect(namesOf(gateway)).to.have.members(['three', 'two']);
  });

  it('names file, line, column and fix of every problem, not only of the first', async () => {
    const head = 'apiVersion: pegboard.dev/v1alpha1\nkind: MCPServer\n';
    const issues = await issuesAtBoot({
      'mcpservers/a.yaml': 'type: stdio\ncommand: [node\n',
      'mcpservers/b.yaml': `${head}metadata:\n  nme: b\nspec: { type: stdio, command: [a] }\n`,
      'mcpservers/c.yaml': `apiVersion: v1\nkind: Workflow\nspec: {}\n`,
      'mcpservers/d.yaml': `${head}spec:\n  type: stdio\n  command: [a]\n  timeout: soon\n`,
      'mcpservers/e.yaml': `${head}metadata:\n  name: ../../etc/passwd\nspec: { type: stdio, command: [a] }\n`,
      'mcpservers/f.yaml': '# nothing yet\n',
      'mcpservers/g.yaml': '- type: stdio\n',
      'mcpservers/h.yaml': `${head}type: stdio\n`,
      'mcpservers/i.yaml': 'name: 7\ntype: stdio\n',
    });
    const has = (text: string): void => {
      expect(
        issues.some((issue) => issue.includes(text)),
        `${text}\nin\n${issues.join('\n')}`,
      ).to.equal(true);
    };
    has('mcpservers/a.yaml:3:1 ');
    has('mcpservers/b.yaml:4:3 unknown key "nme" in metadata; did you mean "name"?');
    has('mcpservers/c.yaml:1:1 apiVersion must end in "/v1alpha1"; write apiVersion: pegboard.dev/v1alpha1');
    has('mcpservers/c.yaml:2:1 the folder mcpservers holds definitions of kind MCPServer, not Workflow');
    has('mcpservers/d.yaml:6:3 MCPServer d: timeout must be an integer, not "soon"');
    has('mcpservers/e.yaml:4:3 the name "../../etc/passwd" is not allowed');
    has('mcpservers/f.yaml:1:1 the file is empty');
    has('mcpservers/g.yaml:1:1 a definition is a map');
    has('"spec" is missing');
    has('mcpservers/i.yaml:1:1 the name must be a string; put it in quotes');
  });

  it('reports a.yaml beside a.yml as a duplicate', async () => {
    const issues = await issuesAtBoot({ 'mcpservers/a.yaml': STDIO, 'mcpservers/a.yml': STDIO });
    expect(issues.join()).to.contain('MCPServer a: it is defined already in');
  });

  it('keeps the last good version of a file that breaks, is emptied or cannot be decoded', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': `name: alpha\n${STDIO}`, 'mcpservers/b.yaml': STDIO });
    const deep = `type: stdio\nenv: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`;
    for (const broken of ['type: [', '', 'name: ..\ntype: stdio\n', '\u0000\u0001', deep]) {
      gateway.directory.write('mcpservers/a.yaml', broken);
      const { issues, diff } = await gateway.pipeline.reload();
      expect(issues, broken).to.have.length.above(0);
      expect(diff, broken).to.deep.equal({ added: [], changed: [], removed: [] });
      expect(namesOf(gateway), broken).to.have.members(['alpha', 'b']);
    }
    gateway.directory.write('mcpservers/a.yaml', `name: alpha\n${STDIO}timeout: 5\n`);
    expect((await gateway.pipeline.reload()).diff.changed).to.deep.equal(['MCPServer/alpha']);
  });

  it('leaves out invalid definitions at the start, reports them, and reports when they are valid again', async () => {
    const gateway = await boot({
      'mcpservers/a.yaml': 'type: [',
      'mcpservers/b.yaml': 'type: stdio\n',
      'mcpservers/c.yaml': STDIO,
    });
    expect(namesOf(gateway)).to.deep.equal(['c']);
    for (const name of ['a', 'b'])
      expect(
        gateway.log.having(`MCPServer ${name} is left out until its file is corrected`, 'warn'),
      ).to.have.length(1);
    gateway.directory.write('mcpservers/a.yaml', `name: alpha\n${STDIO}`);
    gateway.directory.remove('mcpservers/b.yaml');
    await gateway.pipeline.reload();
    expect(namesOf(gateway)).to.have.members(['alpha', 'c']);
    expect(gateway.log.having('is valid again').map(({ text, data }) => [text, data['at']])).to.deep.equal([
      ['MCPServer alpha is valid again and in force', gateway.directory.at('mcpservers/a.yaml')],
    ]);
  });

  it('logs once, for a file that breaks, which version stays and the consequence for the next start', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': STDIO });
    for (const broken of ['type: [', 'type: nothing\n', 'type: [']) {
      gateway.directory.write('mcpservers/a.yaml', broken);
      await gateway.pipeline.reload();
    }
    const leaves = 'MCPServer a: the last good version stays; the next start leaves it out';
    expect(gateway.log.having(leaves, 'warn')).to.have.length(1);
    gateway.directory.write('mcpservers/a.yaml', STDIO);
    await gateway.pipeline.reload();
    expect(gateway.log.having('MCPServer a is valid again and in force')).to.have.length(1);
    gateway.directory.write('config.yaml', STRICT);
    gateway.directory.write('mcpservers/a.yaml', 'type: [');
    await gateway.pipeline.reload();
    expect(gateway.log.having('the last good version stays; the next start fails')).to.have.length(1);
  });

  it('fails the start when a folder cannot be listed', async () => {
    const gateway = await composeGateway({ builtIns: BUILT_INS, files: { mcpservers: 'not a folder' } });
    const failure: unknown = await gateway.boot().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(BootFailure);
  });

  it('handles a removed file, a rename-save and a recreated folder correctly', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': STDIO, 'mcpservers/b.yaml': STDIO });
    gateway.directory.replace('mcpservers/a.yaml', `${STDIO}timeout: 5\n`);
    gateway.directory.remove('mcpservers/b.yaml');
    const { diff } = await gateway.pipeline.reload();
    expect(diff).to.deep.equal({ added: [], changed: ['MCPServer/a'], removed: ['MCPServer/b'] });
    gateway.directory.remove('mcpservers');
    expect((await gateway.pipeline.reload()).diff.removed).to.deep.equal(['MCPServer/a']);
    gateway.directory.write('mcpservers/c.yaml', STDIO);
    expect((await gateway.pipeline.reload()).diff.added).to.deep.equal(['MCPServer/c']);
  });

  it('loses nothing when the whole configuration directory is gone, and continues when it is back', async () => {
    const gateway = await boot({ 'config.yaml': '# mine\n', 'mcpservers/a.yaml': STDIO });
    const moved = `${gateway.directory.path}.moved`;
    renameSync(gateway.directory.path, moved);
    const { applied, diff, issues } = await gateway.pipeline.reload();
    renameSync(moved, gateway.directory.path);
    expect([applied, diff.removed]).to.deep.equal([false, []]);
    expect(issues.map(({ message }) => message).join()).to.contain('does not exist; restore it');
    expect((await gateway.pipeline.reload()).applied).to.equal(true);
    expect(gateway.pipeline.resources('MCPServer')).to.have.length(1);
  });

  it('reads through the links of a mounted ConfigMap, and reports a broken link', async () => {
    const gateway = await boot({
      'mounted/..v1/a.yaml': STDIO,
      'mounted/..v2/a.yaml': `${STDIO}timeout: 5\n`,
    });
    mkdirSync(gateway.directory.at('mcpservers'));
    symlinkSync(gateway.directory.at('mounted/..v1'), gateway.directory.at('mcpservers/..data'));
    symlinkSync('..data/a.yaml', gateway.directory.at('mcpservers/a.yaml'));
    expect((await gateway.pipeline.reload()).diff.added).to.deep.equal(['MCPServer/a']);
    gateway.directory.remove('mcpservers/..data');
    const { issues, diff } = await gateway.pipeline.reload();
    expect(diff.removed).to.deep.equal([]);
    expect(issues[0]?.message).to.contain('the target of the link does not exist');
    symlinkSync(gateway.directory.at('mounted/..v2'), gateway.directory.at('mcpservers/..data'));
    expect((await gateway.pipeline.reload()).diff.changed).to.deep.equal(['MCPServer/a']);
  });

  it('does not wait for a pipe', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': STDIO });
    execFileSync('mkfifo', [gateway.directory.at('mcpservers/pipe.yaml')]);
    const { issues } = await gateway.pipeline.reload();
    expect(issues.map((issue) => lineOf(gateway, issue))).to.deep.equal([
      'mcpservers/pipe.yaml it is not a regular file; remove it or rename it',
    ]);
    expect(namesOf(gateway)).to.deep.equal(['a']);
  });

  it('does not read a file over maxFileBytes', async () => {
    const gateway = await boot({
      'config.yaml': 'plugins: { store-file: { config: { maxFileBytes: 1024 } } }\n',
      'mcpservers/a.yaml': STDIO,
    });
    gateway.directory.write('mcpservers/a.yaml', `${STDIO}# ${'x'.repeat(2_000)}\n`);
    const { issues } = await gateway.pipeline.reload();
    expect(issues[0]?.message).to.contain('raise plugins.store-file.config.maxFileBytes');
    expect(namesOf(gateway)).to.deep.equal(['a']);
  });

  it('keeps its definitions when the folder cannot be listed', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': STDIO });
    gateway.directory.remove('mcpservers');
    gateway.directory.write('mcpservers', 'not a folder');
    const { issues } = await gateway.pipeline.reload();
    expect(issues[0]?.message).to.contain('cannot be read');
    expect(namesOf(gateway)).to.deep.equal(['a']);
  });

  it('loses no definition when it is reconfigured, and all when it is switched off', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': STDIO });
    gateway.directory.write('config.yaml', 'plugins: { store-file: { config: { maxFileBytes: 2048 } } }\n');
    expect((await gateway.pipeline.reload()).actions).to.deep.equal({ 'store-file': 'reload' });
    expect(namesOf(gateway)).to.deep.equal(['a']);
    gateway.directory.write('config.yaml', 'plugins: { store-file: { config: { maxFileBites: 2048 } } }\n');
    const { applied, issues } = await gateway.pipeline.reload();
    expect(applied).to.equal(false);
    expect(issues.map((issue) => lineOf(gateway, issue)).join()).to.match(
      /config\.yaml:1:\d+ .*maxFileBytes/,
    );
    gateway.directory.write('config.yaml', 'plugins: { store-file: false, core-mcpservers: false }\n');
    expect((await gateway.pipeline.reload()).diff.removed).to.deep.equal(['MCPServer/a']);
  });
});
