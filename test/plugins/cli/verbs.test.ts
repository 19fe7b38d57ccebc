import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { Command } from '../../../kernel/index.ts';
import { plugin } from '../../../plugins/cli/index.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { EVERYTHING, freePort } from '../../support/everything.ts';
import { makeKernel, wantedOf } from '../../support/kernel.ts';
import { runPegboard } from '../../support/serve.ts';
import { serveHere } from '../../support/serveHere.ts';
import { typeVerb } from '../../support/typeVerb.ts';
import type { Typed } from '../../support/typeVerb.ts';
import { until } from '../../support/until.ts';

const everything = { type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true };
const GREET = {
  description: 'Greets.',
  args: { name: { type: 'string', required: true } },
  steps: [{ id: 'one', tool: 'x_everything_echo', args: { message: 'hi {{ .input.name }}' } }],
};

describe('verbs that talk to a gateway', function () {
  this.timeout(30_000);
  let endpoint = '';
  const home = makeDirectory();
  const type = (...argv: readonly string[]): Promise<Typed> =>
    typeVerb([...argv, '--config-path', home.path, '--endpoint', endpoint]);
  before(async () => {
    const directory = makeDirectory({
      'mcpservers/everything.yaml': JSON.stringify(everything),
      'workflows/greet.yaml': JSON.stringify(GREET),
    });
    endpoint = `${(await serveHere(directory)).url}/mcp`;
    await until(async () => (await type('list', 'tools', '-o', 'name')).stdout.includes('x_everything_echo'));
  });

  it('list prints a table, names, JSON and YAML, and filters', async () => {
    const [asTable, names, json, yaml, none] = await Promise.all([
      type('list', 'tools', '--server', 'everything'),
      type('list', 'tools', '-o', 'name', '--filter', '*_echo'),
      type('list', 'servers', '-o', 'json'),
      type('list', 'workflows', '-o', 'yaml', '--no-headers'),
      type('list', 'tools', '--server', 'other'),
    ]);
    expect(asTable.stdout)
      .match(/^NAME +SERVER +SUMMARY\n/)
      .and.not.contain('core_');
    expect(names.stdout).equal('x_everything_echo\n');
    expect((JSON.parse(json.stdout) as { name: string }[]).map(({ name }) => name)).deep.equal([
      'everything',
    ]);
    expect(parse(yaml.stdout)).deep.include({ name: 'greet', description: 'Greets.', available: true });
    expect(none).include({ code: 0, stdout: '', stderr: 'No tools found\n' });
  });

  it('get and describe print one thing; an unknown kind or name is an error', async () => {
    const [tool, server, kind, name] = await Promise.all([
      type('get', 'tool', 'x_everything_echo', '-o', 'json'),
      type('describe', 'server', 'everything'),
      type('get', 'tols', 'x'),
      type('get', 'server', 'other'),
    ]);
    expect(JSON.parse(tool.stdout)).deep.include({ name: 'x_everything_echo', server: 'everything' });
    expect(parse(server.stdout)).include({ name: 'everything', type: 'stdio' });
    expect(kind).include({
      code: 1,
      stderr: 'pegboard: there is nothing of kind tols; did you mean tools?\n',
    });
    expect(name.code).equal(1);
  });

  it('list and get know resources by uri and by name, and templates by theirs', async () => {
    const list = await type('list', 'resources');
    expect(list.stdout).contain('\ndemo://resource/dynamic/text/{resourceId} ');
    const { stdout } = await type('list', 'resources', '-o', 'json');
    const entries = JSON.parse(stdout) as { uri?: string; uriTemplate?: string; name: string }[];
    const plain = entries.find(({ uri }) => uri?.startsWith('demo://') === true);
    const template = entries.find(({ uriTemplate }) => uriTemplate !== undefined);
    const read = async (word = ''): Promise<unknown> => {
      return JSON.parse((await type('get', 'resource', word, '-o', 'json')).stdout);
    };
    expect(await read(plain?.uri)).include({ uri: plain?.uri, name: plain?.name });
    expect(await read(plain?.name)).include({ uri: plain?.uri, name: plain?.name });
    expect(await read(template?.uriTemplate)).deep.equal(template);
    expect((await type('get', 'resource', 'demo')).stderr).contain('resource not found: demo');
    const filtered = await type('list', 'resources', '--filter', '*{resourceId}', '-o', 'name');
    expect(filtered.stdout).match(/^(demo:\S+\{resourceId\}\n)+$/);
  });

  it('search shows scores, and says when it is not sure', async () => {
    const [found, unsure] = await Promise.all([
      type('search', 'echo', 'back', 'the', 'input'),
      type('search', 'brew', 'a', 'cup', 'of', 'tea'),
    ]);
    expect(found.stdout).match(/SCORE/).and.contain('x_everything_echo');
    expect(unsure.stderr).match(/^(not sure: |No tools found)/);
  });

  it('call types arguments by the schema and prints text, structure and errors', async () => {
    const [text, sum, structure, failed, missing, json] = await Promise.all([
      type('call', 'x_everything_echo', '--message', 'a=b'),
      type('call', 'x_everything_get-sum', '--a', '2', '--b', '3'),
      type('call', 'x_everything_get-structured-content', '--location', 'Chicago'),
      type('call', 'x_everything_none'),
      type('call', 'x_everything_echo'),
      type('call', 'x_everything_echo', '--json', '{"message": "j"}', '-o', 'json'),
    ]);
    expect(text).include({ code: 0, stdout: 'Echo: a=b\n', stderr: '' });
    expect(sum.stdout).contain('5');
    expect(parse(structure.stdout)).property('temperature');
    expect(failed).include({ code: 1, stdout: '' });
    expect(failed.stderr).contain('tool not found: x_everything_none');
    expect(missing.stderr).contain('--message <string>');
    expect(JSON.parse(json.stdout)).deep.equal({
      content: [{ type: 'text', text: 'Echo: j' }],
      isError: false,
    });
  });

  it('call passes every type of argument that server-everything and the core tools have', async () => {
    const data = 'data:text/plain,one=two';
    const cases: readonly (readonly [text: string, tool: string, ...words: readonly string[]])[] = [
      ['The sum of 100 and -0.5 is 99.5.', 'get-sum', '--a', '1e2', '--b=-0.5'],
      ['The sum of 3 and 4 is 7.', 'get-sum', '--json', '{"a": 3}', '--b', '4'],
      ['temperature: 33', 'get-structured-content', '--location', 'New York'],
      ['image/png', 'get-annotated-message', '--message-type', 'error', '--include-image'],
      ['completed successfully\n', 'get-annotated-message', '--messageType=success', '--no-include-image'],
      ['demo://resource/dynamic/text/2\ndemo://resource/dynamic/blob/3\n', 'get-resource-links'],
      ['This is a plaintext resource', 'get-resource-reference', '--resource-type', 'Text'],
      ['application/gzip', 'gzip-file-as-resource', '--data', data, '--output-type', 'resource'],
    ];
    const validate = ['core_mcpserver_validate', '--name', 'a', '--type', 'stdio', '--env', '{"A": "="}'];
    const [found, valid, ...refused] = await Promise.all([
      Promise.all(cases.map(([, tool, ...words]) => type('call', `x_everything_${tool}`, ...words))),
      type('call', ...validate, '--command', '["a", "b,c"]'),
      type('call', 'x_everything_get-sum', '--a', 'x', '--b', '1'),
      type('call', 'x_everything_get-structured-content', '--location', 'York'),
    ]);
    for (const [at, { code, stdout, stderr }] of found.entries()) {
      expect(code, stderr).equal(0);
      expect(stdout).contain(cases[at]?.[0]);
    }
    expect(parse(valid.stdout)).include({ name: 'a', valid: true });
    expect(refused.map(({ stderr }) => stderr)).deep.equal([
      'pegboard: --a must be of type number, not "x"\n',
      'pegboard: --location must be one of New York, Chicago, Los Angeles, not York\n',
    ]);
  });

  it('call fetches a result over the budget in whole, and saves images', async () => {
    const message = 'long '.repeat(30_000);
    writeFileSync(home.at('message'), message);
    const [whole, image] = await Promise.all([
      type('call', 'x_everything_echo', '--message', `@${home.at('message')}`),
      type('call', 'x_everything_get-tiny-image', '--save', home.at('images')),
    ]);
    expect(whole.stdout).equal(`Echo: ${message}\n`);
    expect(image.stderr).contain('saved');
    expect(readFileSync(home.at('images/2.png')).subarray(1, 4).toString()).equal('PNG');
  });

  it('shows a run of a workflow as a tree of steps, and events', async () => {
    const run = await type('call', 'workflow_greet', '--name', 'Ada', '-o', 'json');
    const [{ text }] = (JSON.parse(run.stdout) as { content: [{ text: string }] }).content;
    const { execution_id: id } = JSON.parse(text) as { execution_id: string };
    const [tree, events] = await Promise.all([
      type('get', 'execution', id),
      type('events', '--resource-type', 'workflow', '-o', 'json'),
    ]);
    expect(events.stdout).contain('WorkflowExecutionCompleted');
    expect(tree.stdout).match(/^✓ greet {2}completed {2}\d+ ms\n {2}✓ one {2}x_everything_echo {2}\d+ ms\n$/);
  });

  it('logs prints what a server wrote, and says why there is nothing', async () => {
    const [text, json, unknown, gateway, number] = await Promise.all([
      type('logs', 'everything'),
      type('logs', 'everything', '-n', '1', '-o', 'json'),
      type('logs', 'everythin'),
      type('logs', 'mcp-aggregator'),
      type('logs', 'everything', '--lines', '0'),
    ]);
    expect(text.stdout).match(
      /^\S+Z {2}\(a process was started\)\n\S+Z {2}Starting default \(STDIO\) server/,
    );
    expect(JSON.parse(json.stdout)).to.have.length(1).and.have.nested.property('[0].text');
    expect(unknown).include({ code: 1, stdout: '' });
    expect(unknown.stderr).contain('did you mean everything?');
    expect(gateway.stderr).contain('has no process of its own');
    expect(number.stderr).equal('pegboard: --lines must be a number from 1 to 1000, not 0\n');
  });

  it('doctor finds nothing wrong, and explains what cannot be called', async () => {
    const [all, tool] = await Promise.all([type('doctor'), type('doctor', 'x_everything_none')]);
    expect(all).include({ code: 0, stderr: '' });
    expect(all.stdout).contain('✓ server everything: Running');
    expect(tool.code).equal(1);
    expect(tool.stdout).contain('✗ catalogue: no tool is named x_everything_none');
  });

  it('completion knows verbs, flags, kinds and names', async () => {
    const env = { PEGBOARD_ENDPOINT: endpoint, XDG_CACHE_HOME: home.at('cache') };
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const argv = ['__complete', '--config-path', home.path, '--endpoint', endpoint, '--', ...words];
      return (await typeVerb(argv, env)).stdout.trim().split('\n');
    };
    const program = await runPegboard(['__complete', '--config-path', home.path, '--', 'ser'], env);
    expect(program.stdout).equal('serve\nservice\n');
    expect(await complete('list', 'too')).deep.equal(['tools']);
    expect(await complete('call', 'x_everything_ech')).deep.equal(['x_everything_echo']);
    expect(await complete('events', '--fol')).deep.equal(['--follow']);
    expect(await complete('logs', 'every')).deep.equal(['everything']);
    expect(await complete('context', 'de')).deep.equal(['delete']);
    expect(await complete('auth', 'log')).deep.equal(['login', 'logout']);
    expect(await complete('auth', 'login', '--s')).deep.equal(['--server', '--silent']);
    expect(await complete('auth', 'login', '--server', 'every')).deep.equal(['everything']);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await typeVerb(['completion', shell])).stdout).contain('pegboard __complete');
  });
});

describe('verbs without a gateway', function () {
  this.timeout(30_000);
  it('contexts are added, selected, changed and deleted, in a file of mode 0600', async () => {
    const home = makeDirectory();
    const type = (...argv: readonly string[]): Promise<Typed> =>
      typeVerb(['context', ...argv, '--config-path', home.path]);
    expect(await type('add', 'work', 'https://tools.example.com/mcp')).include({ code: 0 });
    await type('add', 'home', 'http://localhost:1234/mcp');
    expect((await type('list', '-o', 'json')).stdout).contain('"current": true');
    expect((await type('show', '-o', 'name')).stdout).equal('work\n');
    await type('use', 'home');
    await type('rename', 'home', 'laptop');
    await type('set', 'laptop', 'http://localhost:9/mcp');
    expect(parse((await type('show')).stdout)).deep.equal({
      name: 'laptop',
      endpoint: 'http://localhost:9/mcp',
      current: true,
    });
    expect(statSync(home.at('contexts.yaml')).mode & 0o777).equal(0o600);
    expect((await typeVerb(['list', 'tools', '--config-path', home.path])).stderr).contain('context laptop');
    await type('delete', 'laptop');
    expect((await type('use', 'laptop')).stderr).equal(
      'pegboard: there is no context laptop; known are work\n',
    );
    await type('add', 'third', 'http://localhost:3/mcp');
    expect(await type('rm', 'third')).include({ code: 0, stderr: 'context third deleted\n' });
    expect((await type('remove', 'third')).stderr).contain('there is no context third');
    expect((await type('--help')).stdout)
      .contain('delete')
      .and.not.match(/^ +(rm|remove) /m);
    expect((await type('add', 'Not A Name', 'http://localhost/mcp')).code).equal(1);
    expect((await type('add', 'other', 'ftp://x')).stderr).contain('is not a URL of a gateway');
  });

  it('take the flags of any verb before the verb, too', async () => {
    const home = makeDirectory();
    const path = ['--config-path', home.path];
    await typeVerb([...path, 'context', 'add', 'far', 'http://localhost:1/mcp']);
    const list = await typeVerb(['-q', '-o', 'json', ...path, 'context', 'list']);
    expect(JSON.parse(list.stdout)).deep.equal([
      { name: 'far', endpoint: 'http://localhost:1/mcp', current: true },
    ]);
    const unknown = await typeVerb(['--context', 'near', ...path, 'list', 'tools']);
    expect(unknown).include({ code: 1, stderr: 'pegboard: there is no context near; known are far\n' });
    const inProgram = await runPegboard(['--context=near', ...path, 'list', 'tools']);
    expect(inProgram).include({ code: 1, stderr: unknown.stderr });
    expect((await typeVerb(['--contxt', 'near', 'list'])).stderr).contain("unknown option '--contxt'");
    expect((await typeVerb(['--context', 'near', 'lst'])).stderr).contain("unknown command 'lst'");
  });

  it('say how to start a gateway that does not run', async () => {
    const port = await freePort();
    const home = makeDirectory({ 'config.yaml': `aggregator: { host: 127.0.0.1, port: ${port} }\n` });
    const { code, stdout, stderr } = await typeVerb(['list', 'tools', '--config-path', home.path]);
    expect({ code, stdout }).deep.equal({ code: 1, stdout: '' });
    expect(stderr).match(
      /^pegboard: no gateway answers at http:\/\/127.0.0.1:\d+\/mcp .*; start it with: pegboard serve\n$/,
    );
  });

  it('refuse a --timeout that is not a number of seconds', async () => {
    for (const timeout of ['soon', '0', '-1']) {
      const { code, stderr } = await typeVerb(['list', 'tools', `--timeout=${timeout}`]);
      expect([code, stderr]).deep.equal([1, 'pegboard: --timeout must be a number of seconds\n']);
    }
  });

  it('say that an endpoint is not an MCP server, or wants a sign-in', async () => {
    let status = 200;
    const server = createServer((_, res) =>
      res.writeHead(status, { 'content-type': 'text/html' }).end('<html>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const page = await typeVerb(['list', 'tools', '--endpoint', url]);
    expect(page).include({ code: 1, stdout: '' });
    expect(page.stderr).contain('does not answer as an MCP server');
    status = 401;
    const locked = await typeVerb(['list', 'tools', '--endpoint', url]);
    expect(locked).include({ code: 2 });
    expect(locked.stderr).contain('wants a sign-in');
  });
});

describe('plugins/cli/README.md', () => {
  let shown: readonly Command[];
  before(async () => {
    const { kernel } = makeKernel();
    await kernel.move(wantedOf(plugin));
    shown = (kernel.registry.all(Command.id) as Command[]).filter(({ isHidden }) => isHidden !== true);
  });

  it('has a row for every verb with its summary, and no other', () => {
    const rows = [
      ...readFileSync('plugins/cli/README.md', 'utf8').matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm),
    ];
    const expected = shown.map(({ name, summary }) => [name, summary]);
    expect(rows.map(([, name, summary]) => [name, summary])).deep.equal(expected);
  });

  it('is backed by two examples for every verb, group and subcommand', () => {
    const all = (commands: readonly Command[]): readonly Command[] =>
      commands.flatMap((one) => [one, ...all(one.subcommands ?? [])]);
    const poor = all(shown).filter(({ isHidden, examples = [] }) => isHidden !== true && examples.length < 2);
    expect(poor.map(({ name }) => name)).deep.equal([]);
  });
});
