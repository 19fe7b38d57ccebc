import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

const SERVER = `# my server
type: stdio
command: [ node, --token, hush ]
env: { KEY: hush } # the key
`;
const FLOW = 'description: old\nsteps:\n  - { id: a, tool: core_service_list }\n';

/** A gateway with definitions, and an editor that runs one sed script a turn and keeps what it was shown. */
async function setUp(...scripts: readonly string[]) {
  const directory = makeDirectory({ 'mcpservers/one.yaml': SERVER, 'workflows/flow.yaml': FLOW });
  const editor = directory.at('editor with space.sh');
  const turns = directory.at('turns');
  directory.write(
    'editor with space.sh',
    `#!/bin/sh
echo "$1" > "${turns}.path"
turn=$(cat "${turns}" 2>/dev/null || echo 1)
cp "$1" "${turns}.$turn"
case $turn in
${scripts.map((script, at) => `${at + 1}) ${script};;`).join('\n')}
esac
echo $((turn + 1)) > "${turns}"
`,
  );
  chmodSync(editor, 0o700);
  const { url } = await serveHere(directory);
  const run = (...args: string[]): Promise<Typed> =>
    typeVerb(['edit', ...args, '--config-path', directory.path, '--endpoint', `${url}/mcp`], {
      VISUAL: '',
      EDITOR: `"${editor}"`,
      TMPDIR: directory.path,
    });
  return {
    run,
    text: (name: string) => readFileSync(directory.at(name), 'utf8'),
    shown: (turn: number) => readFileSync(`${turns}.${turn}`, 'utf8'),
    path: () => readFileSync(`${turns}.path`, 'utf8').trim(),
  };
}

describe('pegboard edit', () => {
  it('writes what the editor saved; comments and secrets of the file stay', async () => {
    const { run, text, shown, path } = await setUp('sed -i \'s/type: stdio/&\\n  description: new/\' "$1"');
    const { code, stderr } = await run('server', 'one');
    expect(code, stderr).equal(0);
    expect(stderr).equal('server one is changed\n');
    expect(shown(1)).contain('- "[redacted]"').and.contain('name: one').and.not.contain('hush');
    expect(text('mcpservers/one.yaml')).equal(`${SERVER}description: new\n`);
    expect(existsSync(dirname(path()))).equal(false);
  });

  it('names the variables that hold an editor where vi would have no terminal', async () => {
    const { url } = await serveHere(makeDirectory({ 'mcpservers/one.yaml': SERVER }));
    const { code, stderr } = await typeVerb(['edit', 'server', 'one', '--endpoint', `${url}/mcp`], {
      VISUAL: '',
      EDITOR: '',
    });
    expect(code).equal(1);
    expect(stderr).equal('pegboard: there is no terminal for vi; name an editor in $VISUAL or $EDITOR\n');
  });

  it('opens again with the errors on top until the text is valid', async () => {
    const { run, text, shown } = await setUp(
      'sed -i \'s/description: old/descriptio: new/\' "$1"',
      'sed -i \'s/descriptio: new/description: [/\' "$1"',
      'sed -i \'s/description: \\[/description: new/\' "$1"',
    );
    const { code, stderr } = await run('workflow', 'flow');
    expect(code, stderr).equal(0);
    const second = shown(2).split('\n');
    const [, line] = /^# ERROR line (\d+): .*descriptio/m.exec(shown(2)) ?? [];
    expect(second[Number(line) - 1]).contain('descriptio: new');
    expect(shown(3)).contain('# ERROR line ').and.contain('description: [');
    expect(shown(3).match(/# Save/g)).lengthOf(1);
    expect(text('workflows/flow.yaml')).contain('description: new');
  });

  it('keeps the text in a file when its user gives up', async () => {
    const { run, text, path } = await setUp('sed -i \'s/kind: MCPServer/kind: Workflow/\' "$1"');
    const { code, stderr } = await run('server', 'one');
    expect(code).equal(1);
    expect(stderr).contain(`your text is kept in ${path()}`).and.contain('kind and name cannot change');
    expect(readFileSync(path(), 'utf8')).contain('kind: Workflow');
    expect(text('mcpservers/one.yaml')).equal(SERVER);
  });

  it('does nothing if the text is unchanged or empty', async () => {
    for (const script of ['true', ': > "$1"', 'touch "$1"']) {
      const { run, text, path } = await setUp(script);
      const { code, stderr } = await run('server', 'one');
      expect([code, stderr]).deep.equal([0, 'server one is unchanged\n']);
      expect(text('mcpservers/one.yaml')).equal(SERVER);
      expect(existsSync(path())).equal(false);
    }
  });

  it('fails if the editor fails, or there is no such definition', async () => {
    const { run, path } = await setUp('exit 3');
    const failed = await run('server', 'one');
    expect(failed.code).equal(1);
    expect(failed.stderr).contain('ended with 3').and.contain(path());
    expect((await run('server', 'none')).stderr).contain('MCP server none not found');
    expect((await run('servr', 'one')).stderr).contain('did you mean server?');
  });
});
