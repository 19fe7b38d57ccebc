import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { EVERYTHING, freePort, startEverything } from '../../../support/everything.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';

describe('pegboard add', () => {
  describe('with a running gateway', () => {
    it('adds a command with its own flags, waits for it, and prints its tools', async () => {
      const directory = makeDirectory();
      const { url } = await serveHere(directory);
      const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
      const command = ['--env', 'KEY=hush=1', '--debug', '--', 'node', EVERYTHING, 'stdio', '--output', 'x'];
      const { code, stdout, stderr } = await typeVerb(['add', 'demo', ...at, ...command]);
      expect(code, stderr).equal(0);
      expect(stdout).match(/^NAME +SUMMARY\nx_demo_echo +Echoes back/);
      expect(stderr).contain('added demo').and.not.contain('hush');
      const file = directory.at('mcpservers/demo.yaml');
      expect(parse(readFileSync(file, 'utf8'))).deep.equal({
        apiVersion: 'pegboard.dev/v1alpha1',
        kind: 'MCPServer',
        metadata: { name: 'demo' },
        spec: {
          type: 'stdio',
          command: ['node', EVERYTHING, 'stdio', '--output', 'x'],
          env: { KEY: 'hush=1' },
          autoStart: true,
        },
      });
      expect(statSync(file).mode & 0o777).equal(0o600);
      const again = await typeVerb(['add', 'demo', ...at, '--', 'node']);
      expect(again.code).equal(1);
      expect(again.stderr).contain('a server demo exists already').and.contain('pegboard edit server demo');
    });

    it('prints the last words of a server that does not start, and exits with 1', async () => {
      const directory = makeDirectory();
      const { url } = await serveHere(directory);
      const script = 'console.error("no key"); process.exit(3)';
      const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
      const args = ['add', 'bad', '-q', ...at, '--', 'node', '-e', script];
      const { code, stdout, stderr } = await typeVerb(args);
      expect([code, stdout]).deep.equal([1, '']);
      expect(stderr).contain('its process exited with code 3; its last words: no key');
      expect(stderr).contain('pegboard remove bad');
    });

    it('says that a program may have to download the server first', async () => {
      const directory = makeDirectory({ npm: `#!/bin/sh\nexec node '${EVERYTHING}'\n` });
      chmodSync(directory.at('npm'), 0o700);
      const { url } = await serveHere(directory);
      const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
      const { stdout, stderr } = await typeVerb([
        'add',
        'demo',
        '--unpinned',
        ...at,
        '--',
        directory.at('npm'),
        'exec',
        'y',
      ]);
      expect(stdout, stderr).contain('x_demo_echo');
      expect(stderr).contain('waiting for its tools; npm exec may have to download it first');
    });

    it('finds out the transport of a URL', async () => {
      const directory = makeDirectory();
      const { url } = await serveHere(directory);
      for (const [name, transport] of [
        ['new', 'streamableHttp'],
        ['old', 'sse'],
      ] as const) {
        const server = await startEverything(transport);
        const args = ['add', name, server, '--header', 'X-Team=a=b', '-o', 'name'];
        const { code, stdout, stderr } = await typeVerb([
          ...args,
          '--config-path',
          directory.path,
          '--endpoint',
          `${url}/mcp`,
        ]);
        expect(code, stderr).equal(0);
        expect(stdout.split('\n')[0]).equal(`x_${name}_echo`);
        const { spec } = parse(readFileSync(directory.at(`mcpservers/${name}.yaml`), 'utf8')) as {
          readonly spec: object;
        };
        expect(spec).include({ url: server, type: name === 'old' ? 'sse' : 'streamable-http' });
        expect(spec).deep.include({ headers: { 'X-Team': 'a=b' } });
      }
    });

    it('exits with 2 if the server wants a sign-in', async () => {
      const server = createServer((_, response) => response.writeHead(401).end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      defer(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const directory = makeDirectory();
      const { url } = await serveHere(directory);
      const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
      const { code, stderr } = await typeVerb(['add', 'closed', `http://127.0.0.1:${port}/mcp`, ...at]);
      expect(code, stderr).equal(2);
      expect(stderr).contain('closed is added, but does not start');
    });
  });

  it('leaves the server that is added when it is interrupted, and says so', async () => {
    const directory = makeDirectory();
    const { url } = await serveHere(directory);
    const at = ['--config-path', directory.path, '--endpoint', `${url}/mcp`];
    const { shows, cancel, ended } = typeAtTerminal([
      ...['add', 'slow', ...at, '--', 'node', '-e', 'process.stdin.resume()'],
    ]);
    await shows(/added slow; waiting for its tools/);
    cancel.cancel('SIGINT');
    const { code, stderr } = await ended;
    expect(code).equal(1);
    expect(stderr)
      .contain('interrupted; slow is added and continues to start')
      .and.contain('pegboard remove slow');
    const { stdout } = await typeVerb(['list', 'servers', ...at]);
    expect(stdout).contain('slow');
  });

  describe('without a gateway', () => {
    it('writes the definition into the configuration directory once, and says how to start', async () => {
      const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${await freePort()} }\n` });
      const args = ['add', 'demo', '--config-path', directory.path];
      const first = await typeVerb([...args, '--', 'node', EVERYTHING]);
      expect([first.code, first.stdout], first.stderr).deep.equal([0, '']);
      expect(first.stderr).contain('pegboard serve');
      expect(statSync(directory.at('mcpservers/demo.yaml')).mode & 0o777).equal(0o600);
      const { pipeline } = await serveHere(directory);
      expect(pipeline.resources('MCPServer').map(({ name }) => name)).deep.equal(['demo']);
    });

    it('refuses a name that a file has already', async () => {
      const config = `aggregator: { port: ${await freePort()} }\n`;
      const directory = makeDirectory({
        'config.yaml': config,
        'mcpservers/other.yml': 'name: demo\ntype: stdio\ncommand: [node]\n',
        'mcpservers/several.yaml': ['one', 'two']
          .map((name) => `name: ${name}\nurl: http://x.test\n`)
          .join('---\n'),
      });
      for (const [name, file] of Object.entries({ demo: 'other.yml', two: 'several.yaml' })) {
        const { code, stderr } = await typeVerb([
          ...['add', name, '--config-path', directory.path],
          ...['--', 'node'],
        ]);
        expect(code).equal(1);
        expect(stderr).contain(`a server ${name} exists already in ${directory.at(`mcpservers/${file}`)}`);
      }
    });

    it('fails if the endpoint was named', async () => {
      const directory = makeDirectory();
      const endpoint = `http://localhost:${await freePort()}/mcp`;
      const { code, stderr } = await typeVerb([
        ...['add', 'demo', '--config-path', directory.path],
        ...['--endpoint', endpoint, '--', 'node'],
      ]);
      expect(code).equal(1);
      expect(stderr).contain(`no gateway answers at ${endpoint}`);
    });
  });

  describe('with what others wrote', () => {
    const linkTo = (entry: object): string =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=lnk&config=${Buffer.from(JSON.stringify(entry)).toString('base64')}`;
    const RUN = { command: 'node', args: [EVERYTHING], env: { API_KEY: 'hush-9', X: '${AWS_KEY}' } };
    const PLAIN = { command: 'node', args: [EVERYTHING] };
    const SHOWN = `lnk: node ${EVERYTHING} (API_KEY, X from AWS_KEY)\n`;

    it('shows what it runs, and asks at a terminal', async () => {
      const port = await freePort();
      const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${port} }\n` });
      await serveHere(directory, port);
      const at = ['--config-path', directory.path];
      const declined = typeAtTerminal(['add', ...at, linkTo(RUN)]);
      await declined.shows(/Add and start this\?/);
      declined.type('n');
      const { code, stderr } = await declined.ended;
      expect(code).equal(1);
      expect(stderr).contain(SHOWN).and.contain('nothing was added').and.not.contain('hush');
      expect(existsSync(directory.at('mcpservers'))).equal(false);
      const agreed = typeAtTerminal(['add', ...at, linkTo(PLAIN)]);
      await agreed.shows(/Add and start this\?/);
      agreed.type('y');
      const typed = await agreed.ended;
      expect(typed.stdout, typed.stderr).contain('x_lnk_echo');
    });

    it('leaves it suspended without a terminal, unless --yes is said', async () => {
      const port = await freePort();
      const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${port} }\n` });
      const at = ['--config-path', directory.path];
      const isSuspended = (name: string): unknown =>
        (
          parse(readFileSync(directory.at(`mcpservers/${name}.yaml`), 'utf8')) as {
            spec: { suspended?: boolean };
          }
        ).spec.suspended;
      const written = makeDirectory({ 'mcp.json': JSON.stringify({ mcpServers: { f: PLAIN } }) });
      const file = await typeVerb(['add', ...at, written.at('mcp.json')]);
      expect([file.code, isSuspended('f')], file.stderr).deep.equal([0, true]);
      expect(file.stderr).contain(`f: node ${EVERYTHING}\n`).and.contain('pegboard start f');
      await serveHere(directory, port);
      const link = await typeVerb(['add', ...at, linkTo({ ...PLAIN, env: { KEY: '1' } })]);
      expect([link.code, link.stdout, isSuspended('lnk')], link.stderr).deep.equal([0, '', true]);
      expect(link.stderr).contain(`lnk: node ${EVERYTHING} (KEY)\n`).and.contain('pegboard start lnk');
      const json = await typeVerb(['add', 'j', ...at, JSON.stringify(PLAIN)]);
      expect(json.stdout, json.stderr).contain('x_j_echo');
      expect(json.stderr).contain(`j: node ${EVERYTHING}\n`);
      const yes = await typeVerb(['add', 'y', ...at, linkTo(PLAIN), '--yes']);
      expect(yes.stdout, yes.stderr).contain('x_y_echo');
    });
  });

  it('says what to type when the line is incomplete', async () => {
    const directory = makeDirectory();
    for (const [line, words] of [
      [['demo'], 'pegboard add demo -- <command>'],
      [['some words'], 'pegboard add <name> -- <command>'],
      [['demo', 'ftp://x.test'], 'begins with http:// or https://'],
      [['demo', '--header', 'a=b', '--', 'node'], '--header and --transport are for a URL'],
      [['demo', 'http://x.test', '--env', 'a=b'], '--env is for a command'],
      [['demo', '--env', 'hush', '--', 'node'], '--env is written as --env key=value'],
      [['-demo', '--', 'node'], 'unknown option'],
      [['de mo', '--', 'node'], 'is not allowed'],
      [['./none.json'], './none.json cannot be read'],
    ] as const) {
      const { code, stderr } = await typeVerb(['add', '--config-path', directory.path, ...line]);
      expect(code, line.join(' ')).not.equal(0);
      expect(stderr).contain(words).and.not.contain('hush');
    }
  });
});
