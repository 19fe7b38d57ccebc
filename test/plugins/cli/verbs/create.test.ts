import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

const TWO = `apiVersion: pegboard.dev/v1alpha1
kind: MCPServer
metadata: { name: one }
spec:
  type: stdio
  command: [node]
  env: { KEY: hush }
---
name: flow
description: d
steps:
  - { id: a, tool: core_service_list }
`;

async function setUp(): Promise<{ directory: Directory; run: (...args: string[]) => Promise<Typed> }> {
  const directory = makeDirectory({ 'two.yaml': TWO });
  const { url } = await serveHere(directory);
  return {
    directory,
    run: (...args) => typeVerb([...args, '--config-path', directory.path, '--endpoint', `${url}/mcp`]),
  };
}

describe('pegboard create', () => {
  it('creates the definitions of several documents, and refuses those that exist', async () => {
    const { directory, run } = await setUp();
    const { code, stdout, stderr } = await run('create', '-f', directory.at('two.yaml'));
    expect(code, stderr).equal(0);
    expect(stdout).match(/^NAME +KIND +ACTION\none +MCPServer +created\nflow +Workflow +created\n$/);
    expect(parse(readFileSync(directory.at('workflows/flow.yaml'), 'utf8'))).deep.include({
      spec: { description: 'd', steps: [{ id: 'a', tool: 'core_service_list' }] },
    });
    const again = await run('create', '-f', directory.at('two.yaml'));
    expect(again.code).equal(1);
    expect(again.stderr).contain('server one, workflow flow exists already, nothing was written');
  });

  it('shows the difference without secrets, then writes it', async () => {
    const { directory, run } = await setUp();
    const file = directory.at('two.yaml');
    const dry = await run('create', '-f', file, '--dry-run');
    expect(dry.stdout).contain('# server one would be created\n+kind: MCPServer\n').and.not.contain('hush');
    expect((await run('list', 'servers', '-o', 'name')).stdout).equal('');
    await run('create', '-f', file);
    expect((await run('create', '-f', file, '--dry-run')).stdout).equal(
      '# server one is unchanged\n# workflow flow is unchanged\n',
    );
    directory.write('two.yaml', TWO.replace('[node]', '[node, x]').replace('description: d', 'timeout: 5'));
    const changed = await run('create', '-f', file, '--replace', '--dry-run');
    expect(changed.stdout).contain('     - node\n+    - x\n').and.contain('-  description: d\n');
    expect((await run('create', '-f', file, '--replace')).stdout).match(/flow +Workflow +changed/);
    const text = readFileSync(directory.at('workflows/flow.yaml'), 'utf8');
    expect(text).contain('timeout: 5').and.not.contain('description');
    expect(readFileSync(directory.at('mcpservers/one.yaml'), 'utf8'))
      .contain('hush')
      .and.contain('- x');
  });

  it('writes nothing if one of them is wrong, and names the lines', async () => {
    const { directory, run } = await setUp();
    const file = directory.at('two.yaml');
    for (const [text, words] of [
      [TWO.replace('stdio', 'stdi'), `${file}:5:3: type must be one of`],
      [TWO.replace('id: a, ', ''), `${file}:12:5: `],
    ] as const) {
      directory.write('two.yaml', text);
      for (const verb of ['create', 'validate']) {
        const { code, stderr } = await run(verb, '-f', file);
        expect(code, stderr).equal(1);
        expect(stderr).contain(words).and.not.contain('hush');
      }
    }
    expect((await run('list', 'servers', '-o', 'name')).stdout).equal('');
    expect((await run('create', '-f', directory.at('none.yaml'))).stderr).contain('cannot be read');
    expect((await run('create')).stderr).contain('name it with -f');
  });
});

describe('pegboard validate', () => {
  it('says whether each definition is valid', async () => {
    const { directory, run } = await setUp();
    const valid = await run('validate', '-f', directory.at('two.yaml'));
    expect([valid.code, valid.stdout]).deep.equal([
      0,
      'NAME   KIND        VALID\none    MCPServer   true\nflow   Workflow    true\n',
    ]);
    directory.write('two.yaml', TWO.replace('core_service_list', 'x_none'));
    const { stdout } = await run('validate', '-f', directory.at('two.yaml'), '-o', 'json');
    const [, flow] = JSON.parse(stdout) as readonly { valid: boolean; warnings: readonly string[] }[];
    expect(flow).include({ valid: true });
    expect(flow?.warnings[0])
      .contain(`${directory.at('two.yaml')}:12:`)
      .and.contain('x_none');
  });

  it('checks presets and entries of access without a gateway, which no tool writes', async () => {
    const directory = makeDirectory({
      'good.yaml': 'kind: ToolsetPreset\nname: mine\ninclude: [{ server: one }]\n',
      'bad.yaml': `kind: Access
metadata: { name: team }
spec:
  groups: [team]
  toolset: [sever:one]
---
kind: ToolsetPreset
metadata: { name: two }
spec: { includes: [] }
`,
    });
    const run = (verb: string, file: string): Promise<Typed> =>
      typeVerb([verb, '-f', directory.at(file), '--config-path', directory.path]);
    const good = await run('validate', 'good.yaml');
    expect(good.stdout, good.stderr).match(/mine +ToolsetPreset +true\n/);
    const bad = await run('validate', 'bad.yaml');
    expect(bad.code).equal(1);
    expect(bad.stderr)
      .include(`${directory.at('bad.yaml')}:5:13: toolset`)
      .and.include(`${directory.at('bad.yaml')}:9:9: unknown key "includes"; did you mean "include"?`);
    expect((await run('create', 'good.yaml')).stderr).include('write a file in toolsetpresets/ of the conf');
    for (const word of ['preset', 'accesses'])
      expect((await typeVerb(['delete', word, 'x'])).stderr).include(
        'no tool writes a definition of the kind',
      );
  });
});
