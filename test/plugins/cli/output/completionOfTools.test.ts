import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';

const HARM = 'd$(touch${IFS}pwned)`touch${IFS}pwned`;"\'x';
const PROPERTIES = {
  mode: { enum: ['fast', 'slow', 'a\nb', '$(id)'] },
  dry: { type: 'boolean' },
  count: { type: 'integer' },
  'two words': {},
  'line\nbreak': {},
  'tab\tstop': {},
  'right\u202eleft': {},
  [HARM]: { type: 'string' },
};
const SERVER = `
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'evil', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'tool', inputSchema: { type: 'object', properties: ${JSON.stringify(PROPERTIES)} } }] }),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: (answers[method] ?? (() => ({})))(params) }));
  });`;

/** Types a beginning and the tab key in a real zsh, then runs what it made of it. */
const INTERACTIVE = `
zmodload zsh/zpty
zpty sh zsh -f -i
zpty -w sh "stty cols 300; autoload -Uz compinit; compinit -D -u; source ./script; PS1='REA''DY> '"
zpty -r sh out '*READY>*'
zpty -w -n sh $'pegboard call x_evil_tool --d\\t'
zpty -r sh out '*pwned*pwned*x*'
zpty -w -n sh $'\\n'
zpty -r sh out '*RAN*'
zpty -d sh
`;

describe("cli: completion of a tool's arguments", function () {
  this.timeout(60_000);
  const home = makeDirectory();
  const cache = makeDirectory();
  let endpoint = '';
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const argv = ['__complete', '--config-path', home.path, '--endpoint', endpoint, '--', ...words];
    const { stdout } = await typeVerb(argv, { XDG_CACHE_HOME: cache.path });
    return stdout.split('\n').slice(0, -1);
  };
  before(async () => {
    const directory = makeDirectory({
      'mcpservers/evil.yaml': JSON.stringify({
        type: 'stdio',
        command: [process.execPath, '-e', SERVER],
        autoStart: true,
      }),
      'workflows/greet.yaml': JSON.stringify({
        args: { name: { type: 'string' } },
        steps: [{ id: 'one', tool: 'x_evil_tool', args: {} }],
      }),
    });
    endpoint = `${(await serveHere(directory)).url}/mcp`;
    await until(async () => {
      const { stdout } = await typeVerb(['list', 'tools', '-o', 'name', '--endpoint', endpoint]);
      return stdout.includes('x_evil_tool') && stdout.includes('workflow_greet');
    });
  });

  it('offers them before the general flags, by the schema of the tool or workflow', async () => {
    expect((await complete('call', 'x_evil_tool', '--')).slice(0, 4)).deep.equal([
      '--mode',
      '--dry',
      '--count',
      `--${HARM}`,
    ]);
    expect(await complete('call', 'x_evil_tool', '--')).includes.members(['--json', '--context']);
    expect(await complete('call', '--context', 'prod', 'x_evil_tool', '--mo')).deep.equal(['--mode']);
    expect(await complete('run', 'greet', '--na')).deep.equal(['--name']);
    expect(await complete('call', 'x_evil_none', '--mo')).deep.equal([]);
  });

  it('offers the values that the schema lists', async () => {
    expect(await complete('call', 'x_evil_tool', '--mode', '')).deep.equal(['fast', 'slow', '$(id)']);
    expect(await complete('call', 'x_evil_tool', '--count', '3', '--dry', 't')).deep.equal(['true']);
  });

  it('offers the flags of the program itself', async () => {
    expect(await complete('-')).deep.equal(['--help', '--version']);
  });

  it('asks the gateway once in a while only', async () => {
    await complete('call', 'x_evil_tool', '--');
    const argv = [
      '__complete',
      '--config-path',
      home.path,
      '--endpoint',
      endpoint,
      '--',
      'call',
      'x_evil_tool',
      '--',
    ];
    const began = performance.now();
    await typeVerb(argv, { XDG_CACHE_HOME: cache.path });
    expect(performance.now() - began).below(200);
  });

  it('runs nothing that a server put into a name: bash', async () => {
    const place = await stub('bash');
    // What bash inserts is read by the shell again.
    const line = `source ./script; COMP_WORDS=(pegboard call x_evil_tool --d); COMP_CWORD=3; _pegboard
      eval "pegboard call x_evil_tool \${COMPREPLY[0]}"`;
    execFileSync('bash', ['--norc', '-c', line], place.options);
    expect(readFileSync(place.at('ran'), 'utf8')).equal(`call\nx_evil_tool\n--${HARM}\n`);
    expect(existsSync(place.at('pwned'))).equal(false);
  });

  it('runs nothing that a server put into a name: zsh', async function () {
    if (spawnSync('zsh', ['--version']).status !== 0) {
      console.log('      SKIPPED: zsh is not installed');
      this.skip();
    }
    const place = await stub('zsh');
    execFileSync('zsh', ['-f', '-c', INTERACTIVE], { ...place.options, timeout: 30_000 });
    expect(readFileSync(place.at('ran'), 'utf8')).equal(`call\nx_evil_tool\n--${HARM}\n`);
    expect(existsSync(place.at('pwned'))).equal(false);
  });

  it('runs nothing that a server put into a name: fish', async function () {
    if (spawnSync('fish', ['--version']).status !== 0) {
      console.log('      SKIPPED: fish is not installed');
      this.skip();
    }
    const place = await stub('fish');
    const line = 'source ./script; complete -C "pegboard call x_evil_tool --d"';
    const offered = execFileSync('fish', ['--no-config', '-c', line], { ...place.options, encoding: 'utf8' });
    expect(offered).equal(`--${HARM}\n`);
    expect(existsSync(place.at('pwned'))).equal(false);
  });

  /** A folder with a shell's script and a program that completes as the real one did, and writes what it is called with. */
  async function stub(
    shell: string,
  ): Promise<{ at: (name: string) => string; options: { cwd: string; env: NodeJS.ProcessEnv } }> {
    const offered = await complete('call', 'x_evil_tool', '--d');
    const only = offered.filter((word) => word.includes('pwned'));
    const place = makeDirectory({
      script: (await typeVerb(['completion', shell])).stdout,
      offered: only.map((word) => `${word}\n`).join(''),
      'bin/pegboard':
        '#!/bin/sh\n[ "$1" = __complete ] && exec cat offered\nprintf "%s\\n" "$@" >ran; echo RAN\n',
    });
    chmodSync(place.at('bin/pegboard'), 0o755);
    const env = { ...process.env, HOME: place.path, PATH: `${place.at('bin')}:${process.env['PATH'] ?? ''}` };
    return { at: (name) => place.at(name), options: { cwd: place.path, env } };
  }
});
