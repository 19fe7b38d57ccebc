import { chmodSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { VERSION } from '../../../../kernel/index.ts';
import type { DoctorFinding } from '../../../../plugins/cli/doctor/doctorFinding.ts';
import { otherUsers, thisMachine } from '../../../../plugins/cli/doctor/usersFinding.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
import { runPegboard } from '../../../support/serve.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';
import { OlderFixture } from '../../upstream/olderFixture.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Passes a POST on; the answer is five minutes old and of an earlier version. */
function relay(origin: string, req: IncomingMessage, res: ServerResponse): void {
  const dated = { date: new Date(Date.now() - 300_000).toUTCString() };
  if (req.method !== 'POST') {
    res.writeHead(405, dated).end();
    return;
  }
  const options = { method: 'POST', headers: req.headers, agent: false };
  const onward = request(`${origin}${req.url ?? ''}`, options, (answer) => {
    const headers = { ...answer.headers };
    delete headers['content-length'];
    void text(answer).then((body) => {
      res.writeHead(answer.statusCode ?? 502, { ...headers, ...dated });
      res.end(body.replace(`"version":"${VERSION}"`, '"version":"0.0.1"'));
    });
  });
  req.pipe(onward);
}

describe('pegboard doctor', function () {
  this.timeout(30_000);
  const home = makeDirectory({
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { notes: { command: 'notes-server' } } }),
    '.codex/config.toml': '[mcp_servers\n',
    'bin/only-mine': '#!/bin/sh\n',
  });
  let own: Directory;
  let origin = '';
  /** Only as a program of its own can it run `pegboard check`, which it does for the gateway of its directory. */
  const doctor = (directory: string, ...args: readonly string[]) =>
    (args.includes('--endpoint') ? typeVerb : runPegboard)(['doctor', ...args, '--config-path', directory], {
      HOME: home.path,
      XDG_CONFIG_HOME: home.at('.config'),
      PATH: `${home.at('bin')}:${process.env['PATH'] ?? ''}`,
    });
  const whole = () => ['--endpoint', `${origin}/mcp`];
  /** Findings by subject; of several, the last. */
  const findings = async (directory: string, ...args: readonly string[]) => {
    const { stdout, code, stderr } = await doctor(directory, ...args, '-o', 'json');
    expect(stderr).equal('');
    const list = JSON.parse(stdout) as readonly DoctorFinding[];
    expect(code).equal(list.some(({ level }) => level === 'error') ? 1 : 0);
    const bare = list.filter(({ level, fix = '' }) => level !== 'ok' && fix === '');
    expect(bare, 'findings without a fix').deep.equal([]);
    return new Map(list.map((one) => [one.subject, one]));
  };

  before(async () => {
    chmodSync(home.at('bin/only-mine'), 0o755);
    const [open, locked, older] = [new HttpFixture(), new HttpFixture(), new OlderFixture()];
    await Promise.all([open, locked, older].map((fixture) => fixture.listen()));
    defer(() => Promise.all([open.kill(), locked.kill(), older.close()]));
    open.hasSessions = false;
    open.tools = ['echo'];
    locked.instead = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    const port = await freePort();
    const remote = (url: string, more: object = {}): string =>
      JSON.stringify({ type: 'streamable-http', url, ...more });
    const stdio = (command: readonly string[], more: object = { autoStart: true }): string =>
      JSON.stringify({ type: 'stdio', command, ...more });
    own = makeDirectory({
      'config.yaml': JSON.stringify({
        aggregator: { host: '127.0.0.1', port },
        toolsetPresets: { few: { include: [{ tool: 'x_kept_echo' }] } },
      }),
      'mcpservers/kept.yaml': remote(open.url),
      'mcpservers/twin.yaml': remote(open.url, { toolPrefix: 'kept' }),
      'mcpservers/off.yaml': remote(open.url, { suspended: true }),
      'mcpservers/locked.yaml': remote(locked.url),
      'mcpservers/older.yaml': remote(older.url),
      'mcpservers/dead.yaml': remote(`http://127.0.0.1:${await freePort()}/mcp`),
      'mcpservers/exits.yaml': stdio([process.execPath, '-e', 'console.error("no key"); process.exit(3)']),
      'mcpservers/missing.yaml': stdio(['no-such-command']),
      'mcpservers/mine.yaml': stdio(['only-mine']),
      'mcpservers/manual.yaml': stdio(['only-mine'], {}),
    });
    const gateway = await serveHere(own, port);
    origin = gateway.url;
    const ended = () => new Set(gateway.log.having('connected').map(({ data }) => data['server']));
    await until(() => ended().size === 8, { withinMs: 10_000 });
  });

  it('names for each server why it is not connected, and what mends it', async () => {
    const found = await findings(own.path);
    const of = (name: string) => found.get(`server ${name}`);
    expect(of('kept')).deep.equal({ level: 'ok', subject: 'server kept', message: 'Connected, 1 tools' });
    expect(of('off')).include({ level: 'warning', fix: 'pegboard start off' });
    expect(of('manual')).include({ level: 'warning', message: 'is Stopped', fix: 'pegboard start manual' });
    expect(of('locked')?.message).match(/^needs a sign-in: .*401/);
    expect(of('locked')?.fix).match(/^write into the definition of locked: headers: \{ Authorization: /);
    expect(of('older')).include({
      level: 'error',
      fix: 'pegboard call core_mcpserver_update --name older --type sse',
    });
    expect(of('older')?.message).contain('speaks sse, but its definition says streamable-http');
    expect(of('dead')?.message).match(/ECONNREFUSED.*(next attempt at 20|$)/);
    expect(of('dead')?.fix).contain('pegboard restart dead');
    expect(of('exits')?.message).contain('exited with code 3; its last words: no key');
    expect(of('missing')?.message).contain('it is not on the PATH');
    expect(of('missing')?.fix).equal('install no-such-command, then: pegboard restart missing');
    expect(of('mine')?.fix).equal(
      `it is on your PATH, but not on the gateway's; write ${home.at('bin/only-mine')}: pegboard edit server mine`,
    );
    expect(found.get('names')).deep.equal({
      level: 'warning',
      subject: 'names',
      message: 'x_kept_echo of server twin cannot be called: server kept has the same name',
      fix: 'pegboard call core_mcpserver_update --name twin --toolPrefix twin',
    });
    for (const subject of ['node', 'endpoint', 'gateway', 'clock', 'toolset'])
      expect(found.get(subject)).include({ level: 'ok' });
    expect(found.has('users')).equal(otherUsers(thisMachine()).length > 0);
  });

  it('says which clients have Pegboard, and which have servers of their own', async () => {
    const linked = { mcpServers: { pegboard: { httpUrl: `${origin}/mcp` } } };
    home.write('.gemini/settings.json', JSON.stringify(linked));
    const found = await findings(own.path, ...whole());
    expect(found.get('client Gemini CLI')).include({ level: 'ok', message: 'has Pegboard' });
    expect(found.get('client Cursor')).include({
      level: 'warning',
      message: 'does not have Pegboard, and servers of its own: notes',
      fix: 'pegboard import --link cursor',
    });
    expect(found.get('clients')?.message).contain('.codex/config.toml:1');
  });

  it('says how many tools a toolset shows, and explains a tool within it', async () => {
    const few = ['--endpoint', `${origin}/mcp/t/few`];
    // One after the other: the older server talks to one client at a time.
    const preset = await findings(own.path, ...few);
    const none = await findings(own.path, ...whole(), '--toolset', 'preset:none');
    const tool = await doctor(own.path, 'core_service_list', ...few);
    expect(preset.get('toolset')?.message).match(/^preset:few shows 1 of \d\d tools$/);
    expect(preset.get('server kept')).include({ level: 'ok' });
    expect(none.get('toolset')).include({ level: 'warning', fix: 'pegboard list presets' });
    expect(tool.code).equal(1);
    expect(tool.stdout).match(/✗ toolset: .*\n {4}→ /);
  });

  it('looks at one server, at the server of a tool, and at a tool that does not exist', async () => {
    const [server, tool, none] = await Promise.all([
      doctor(own.path, 'exits', ...whole()),
      doctor(own.path, 'x_kept_echo', ...whole()),
      doctor(own.path, 'x_kept_ecko', ...whole()),
    ]);
    expect(server.code).equal(1);
    expect(server.stdout).match(/^✗ server exits: .*no key.*\n {4}→ pegboard events/);
    expect(tool.code).equal(0);
    expect(tool.stdout).contain('✓ server kept: Connected');
    expect(none.stdout).match(/^✗ catalogue: .*\n {4}→ pegboard doctor x_kept_echo\n/);
  });

  it('warns of a clock that is wrong and of a gateway of another version', async () => {
    const proxy = createHttpServer((req, res) => relay(origin, req, res));
    const found = await findings(own.path, '--endpoint', `http://127.0.0.1:${await listening(proxy)}/mcp`);
    expect(found.get('clock')?.message).match(/^the gateway is (299|300|301) s behind this machine/);
    expect(found.get('gateway')?.message).contain('version 0.0.1 at http');
    expect(found.get('gateway')).include({ level: 'warning' });
    expect(found.get('configuration'), 'of a gateway elsewhere').equal(undefined);
  });

  it('says that another program has taken the port', async () => {
    const port = await listening(
      createServer((socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0-test\r\n'),
      ),
    );
    const other = makeDirectory({ 'config.yaml': `aggregator: { host: 127.0.0.1, port: ${port} }\n` });
    const found = await findings(other.path);
    expect(found.get('port')?.message).equal(
      `${port} (${other.at('config.yaml')}) is taken by a program that is not a gateway`,
    );
    expect(found.get('port')?.fix).contain(`lsof -i :${port}`);
  });

  it('does not call a gateway that wants a sign-in another program', async () => {
    const locked = createHttpServer((_, res) => res.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    const port = await listening(locked);
    const other = makeDirectory({ 'config.yaml': `aggregator: { host: 127.0.0.1, port: ${port} }\n` });
    expect((await findings(other.path)).get('gateway')?.message).contain('wants a sign-in');
  });

  it('says that no gateway runs, and what is wrong with the configuration', async () => {
    const port = await freePort();
    const other = makeDirectory({
      'config.yaml': `aggregator: { host: 127.0.0.1, port: ${port} }\n`,
      'mcpservers/bad.yaml': 'type: nothing\n',
    });
    const [found, missing] = await Promise.all([
      findings(other.path),
      findings(home.at('none'), '--endpoint', `http://127.0.0.1:${port}/mcp`),
    ]);
    expect(found.get('gateway')).include({ level: 'error', fix: 'pegboard serve' });
    expect(found.get('configuration')?.message).match(/bad\.yaml:1:\d+: /);
    expect(missing.get('gateway')).include({
      level: 'error',
      fix: 'another gateway: pegboard context use <name>',
    });
  });
});
