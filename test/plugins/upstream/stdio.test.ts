import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ANYONE, Cancellation } from '../../../kernel/index.ts';
import type { Progress } from '../../../kernel/index.ts';
import { withVariables } from '../../support/withVariables.ts';
import { EVERYTHING, FILESYSTEM, Rig, hostile, isAlive, temporaryFolder, told, until } from './support.ts';

describe('upstream: stdio servers', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const running = async (mode: string, more = {}, config = {}): Promise<void> => {
    await rig.configure(config);
    await rig.define({ s: hostile(mode, more) });
    await rig.hasTool('x_s_echo');
  };

  it('calls the tools of server-everything and server-filesystem', async () => {
    const folder = temporaryFolder();
    await rig.configure();
    await rig.define({
      every: {
        type: 'stdio',
        autoStart: true,
        command: process.execPath,
        args: [EVERYTHING, 'stdio'],
        timeout: 30,
      },
      files: {
        type: 'stdio',
        autoStart: true,
        command: [process.execPath, FILESYSTEM, folder.path],
        timeout: 30,
      },
    });
    await Promise.all([rig.hasTool('x_every_echo'), rig.hasTool('x_files_write_file')]);
    expect(await rig.text('x_every_echo', { message: 'grüße' })).to.equal('Echo: grüße');
    await rig.call('x_files_write_file', { path: join(folder.path, 'a.txt'), content: 'hello' });
    expect(readFileSync(join(folder.path, 'a.txt'), 'utf8')).to.equal('hello');
    folder.remove();
  });

  it('runs in the folder of its definition, and again in another one', async () => {
    await rig.configure();
    const one = { type: 'stdio', autoStart: true, command: [process.execPath, './hostile.mjs', 'plain'] };
    const folder = 'test/plugins/upstream/fixtures';
    await rig.define({ s: { ...one, cwd: folder } });
    await rig.hasTool('x_s_echo');
    await rig.define({ s: { ...one, cwd: join(folder, 'absent') } });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.equal(
      `cwd of the definition is not a folder: ${folder}/absent; correct it`,
    );
    withVariables({ PEGBOARD_TEST_FOLDER: 'fixtures' });
    await rig.define({ s: { ...one, cwd: 'test/plugins/upstream/${env:PEGBOARD_TEST_FOLDER}' } });
    await rig.hasTool('x_s_echo');
  });

  it('offers official servers no roots, so that they do not ask for them in vain', async () => {
    const folder = temporaryFolder();
    await rig.configure();
    const every = {
      type: 'stdio',
      autoStart: true,
      command: [process.execPath, EVERYTHING, 'stdio'],
      timeout: 30,
    };
    const files = { ...every, command: [process.execPath, FILESYSTEM, folder.path] };
    await rig.define({ every, files });
    await Promise.all([rig.hasTool('x_every_echo'), rig.hasTool('x_files_write_file')]);
    const wrote = (): readonly unknown[] => rig.lines.filter(({ text }) => text === 'server wrote');
    await until('the greeting of both', () => wrote().length >= 3);
    expect(JSON.stringify(wrote())).to.not.match(/MCP error|failed/i);
    expect(rig.tools()).to.not.include('x_every_get-roots-list');
    await rig.define({ every: { ...every, questions: ['roots'] } });
    await rig.hasTool('x_every_get-roots-list');
    folder.remove();
  });

  it('shows no tools that need questions when servers may ask none', async () => {
    await rig.configure();
    const every = { type: 'stdio', autoStart: true, command: [process.execPath, EVERYTHING, 'stdio'] };
    await rig.define({ every: { ...every, questions: [] } });
    await rig.hasTool('x_every_echo');
    expect(rig.tools()).to.have.length(13);
    await rig.define({ every: { ...every, questions: ['sampling'] } });
    await rig.hasTool('x_every_trigger-sampling-request');
    expect(rig.tools()).to.have.length(14);
  });

  for (const mode of [
    'plain',
    'resultFirst',
    'oddOrder',
    'stringId',
    'batch',
    'crlf',
    'partial',
    'noisy',
    'oddIds',
    'older',
  ]) {
    it(`understands the messages of a server in mode ${mode}`, async () => {
      await running(mode);
      const answers = await Promise.all([1, 2, 3].map((n) => rig.text('x_s_echo', { message: `m${n} ✓` })));
      expect(answers).to.deep.equal(['m1 ✓', 'm2 ✓', 'm3 ✓']);
    });
  }

  it('logs non-message output of a server under its name', async () => {
    await running('noisy');
    await rig.text('x_s_echo');
    const noise = rig.lines.filter(({ text }) => text === 'server wrote something that is not a message');
    expect(noise.map(({ data }) => data['line'])).to.include.members([
      'Welcome!',
      'during a call',
      '{"half":',
    ]);
    expect(noise.every(({ data }) => data['server'] === 's')).to.equal(true);
  });

  it('passes on the text of a result unchanged', async () => {
    await running('plain');
    const { json } = await rig.call('x_s_exact');
    expect(json).to.equal('{"n":9007199254740993,"content":[{"type":"hologram","x":1.0}],"z":1,"a":2}');
  });

  it('keeps unknown fields of a declared tool', async () => {
    await running('plain');
    expect(rig.kernel.catalogue.shared('x_s_echo')?.declared).to.deep.include({
      name: 'echo',
      futureField: { kept: true },
    });
  });

  it('survives invalid UTF-8 and lines of 5 MB', async () => {
    await running('badUtf8');
    expect(await rig.text('x_s_echo')).to.equal('a\ufffd\ufffdb');
    await rig.define({ s: hostile('plain') });
    await until(
      'restart',
      () => rig.status('s').state === 'running' && rig.told('server.connected').length === 2,
    );
    expect((await rig.text('x_s_big', { bytes: 5_000_000 })).length).to.equal(2_500_000);
  });

  it('restarts a server whose line never ends', async () => {
    await rig.configure({ maxMessageBytes: 1_000_000 });
    await rig.define({ s: hostile('flood') });
    await until('failure', () => rig.status('s').error !== undefined);
    expect(rig.status('s').error).to.contain('a line of more than 1000000 bytes');
  });

  it('logs standard error in bounded lines with the name of the server', async () => {
    await running('chatty', {}, { maxLogLineChars: 100 });
    await until('lines', () => rig.lines.filter(({ text }) => text === 'server wrote').length >= 2);
    const [first, second] = rig.lines.filter(({ text }) => text === 'server wrote').map(({ data }) => data);
    expect(String(first?.['line']).length).to.equal(101);
    expect(second).to.include({ server: 's', line: 'second' });
  });

  it('logs the words of a crash loop once, and then that they are the same', async () => {
    const crash = `console.error(process.pid + ' no key\\n at a (x.js:1)\\n at b (x.js:2)'); process.exit(3)`;
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 20 });
    await rig.define({
      s: { type: 'stdio', autoStart: true, command: [process.execPath, '-e', crash], timeout: 30 },
    });
    await until('five attempts', () => Number(rig.status('s').metadata['consecutiveFailures']) >= 5);
    const told = (what: string) => rig.lines.filter(({ text }) => text === what).map(({ data }) => data);
    expect(told('server wrote')).to.have.length(3);
    const [second, third] = told('server wrote the same words as before');
    expect(second).to.include({ server: 's', lines: 3, attempt: 2 });
    expect(third).to.include({ attempt: 3 });
  });

  it('logs that a process which stays up has written the words of a crash', async () => {
    const folder = temporaryFolder();
    const [, server] = hostile()['command'] as readonly string[];
    const script = `const { existsSync, writeFileSync } = require('node:fs');
      console.error('banner'); const isSecond = existsSync(process.argv[1]); writeFileSync(process.argv[1], '');
      if (isSecond) import(${JSON.stringify(server)}); else process.exit(3);`;
    const command = [process.execPath, '-e', script, join(folder.path, 'was'), 'plain'];
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 20 });
    await rig.define({ s: { type: 'stdio', autoStart: true, command, timeout: 30 } });
    await rig.hasTool('x_s_echo');
    await rig.define({});
    const told = () => rig.lines.filter(({ text }) => text === 'server wrote the same words as before');
    await until('it is told', () => told().length > 0);
    expect(told().map(({ data: { lines, attempt } }) => [lines, attempt])).to.deep.equal([[1, 2]]);
    folder.remove();
  });

  it('logs the words of a crash that differ from those before', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'was');
    const crash = `const { existsSync, writeFileSync } = require('node:fs');
      console.error('starting'); console.error(existsSync(process.argv[1]) ? 'other' : 'first');
      writeFileSync(process.argv[1], ''); process.exit(3)`;
    const command = [process.execPath, '-e', crash, file];
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 20 });
    await rig.define({ s: { type: 'stdio', autoStart: true, command, timeout: 30 } });
    await until('it is tried again', () => Number(rig.status('s').metadata['consecutiveFailures']) >= 2);
    const told = rig.lines.filter(({ text }) => text.startsWith('server wrote'));
    const words = told.map(({ data }) => data['line'] ?? data['lines']);
    expect(words.slice(0, 4)).to.deep.equal(['starting', 'first', 1, 'other']);
    folder.remove();
  });

  it('keeps standard error over restarts, without the values of its env', async () => {
    const told = (): string => JSON.stringify(rig.service('s').output?.(ANYONE, { lines: 100 })?.lines ?? []);
    await running('leaky', { env: { TOKEN: 'very-secret-token' } });
    await until('lines', () => told().includes('"end"'));
    await rig.define({ s: hostile('leaky', { env: { TOKEN: 'another-secret-token' } }) });
    await until('lines of the next', () => told().split('"end"').length === 3);
    expect(told().split('"started":true')).to.have.length(3);
    expect(told()).to.contain('my token is [redacted]').and.not.contain('secret-token');
  });

  it('has no standard error of a remote server', async () => {
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' } });
    expect(() => rig.service('s').output?.(ANYONE, { lines: 1 }))
      .to.throw(/server s is remote \(streamable-http\)/)
      .with.property('code', 'SERVICE_UNSUPPORTED');
  });

  it('passes a server a minimal environment and its env with references filled', async () => {
    process.env['UPSTREAM_TEST_SECRET'] = 'hush';
    await running('plain', { env: { TOKEN: 'Bearer ${env:UPSTREAM_TEST_SECRET}' } });
    const seen = JSON.parse(await rig.text('x_s_env')) as Record<string, string>;
    delete process.env['UPSTREAM_TEST_SECRET'];
    expect(seen['TOKEN']).to.equal('Bearer hush');
    expect(seen).to.have.property('PATH');
    expect(seen).to.not.have.property('UPSTREAM_TEST_SECRET');
    expect(JSON.stringify([rig.lines, rig.events, rig.status('s')])).to.not.contain('hush');
  });

  it('fills references in command and args, and never logs what came from them', async () => {
    const tell = `process.stderr.write('given ' + process.argv[1] + ' end\\n')`;
    Object.assign(process.env, {
      UPSTREAM_TEST_NODE: process.execPath,
      UPSTREAM_TEST_SECRET: 'planted-argument',
    });
    await rig.configure();
    const command = ['${env:UPSTREAM_TEST_NODE}', '-e', tell];
    const args = ['--', '--at=${env:UPSTREAM_TEST_SECRET}'];
    await rig.define({ s: { type: 'stdio', autoStart: true, command, args, timeout: 5 } });
    await until('its line', () => rig.lines.some(({ data }) => String(data['line']).endsWith(' end')));
    delete process.env['UPSTREAM_TEST_SECRET'];
    await rig.define({});
    await rig.define({ s: { type: 'stdio', autoStart: true, command, args, timeout: 5 } });
    await rig.reaches('s', 'failed');
    delete process.env['UPSTREAM_TEST_NODE'];
    expect(JSON.stringify(rig.lines)).to.contain('given --at=[redacted] end').and.to.not.contain('planted');
    expect(rig.status('s').error).to.contain(
      'word 5 of command and args names the environment variable UPSTREAM_TEST_SECRET, which is not set',
    );
  });

  it('gives a variable that is unset or empty its default, in each field, and shows it', async () => {
    withVariables({ UPSTREAM_TEST_EMPTY: '', UPSTREAM_TEST_NODE: process.execPath });
    await rig.configure();
    const tell = `process.stderr.write(['given', process.argv[1], process.cwd()].join(' ') + '\\n')`;
    const command = ['${env:UPSTREAM_TEST_NODE:-absent}', '-e', tell];
    const cwd = 'test/plugins/${env:UPSTREAM_TEST_EMPTY:-upstream}/fixtures';
    const args = ['--', '--region=${env:UPSTREAM_NOT_SET:-eu-west-1:-a}'];
    await rig.define({ s: { type: 'stdio', autoStart: true, command, args, cwd, timeout: 5 } });
    const said = (): string => JSON.stringify(rig.lines);
    await until('its line', () => said().includes('given --region=eu-west-1:-a'));
    expect(said()).contain('/upstream/fixtures');
    const env = { A: '${env:UPSTREAM_NOT_SET:-}', B: '${env:UPSTREAM_TEST_EMPTY}', C: 'x${env:NO_C:-y}z' };
    await running('plain', { env });
    expect(JSON.parse(await rig.text('x_s_env'))).include({ A: '', B: '', C: 'xyz' });
  });

  it('has no default that holds a brace, and none for a file', async () => {
    await rig.configure();
    await rig.define({ s: hostile('plain', { env: { A: '${env:NO_A:-{"a":1}}' } }) });
    await rig.reaches('s', 'failed');
    const { error } = rig.status('s');
    expect(error).contain('env.A gives NO_A a default with a brace, which ends the reference');
    await rig.define({ s: hostile('plain', { env: { A: '${file:absent:-b}' } }) });
    await until('the file', () => String(rig.status('s').error).includes('/absent:-b, which cannot be read'));
  });

  it('passes on what leads through a proxy, whose password no text shows', async () => {
    const settings = {
      HTTPS_PROXY: 'http://kim:s3cretword@proxy.corp.test:3128',
      SSL_CERT_FILE: '/etc/corp.pem',
      npm_config_registry: 'https://npm.corp.test/',
    };
    withVariables({ ...settings, UV_PUBLISH_TOKEN: 'hush' });
    const { command } = hostile() as { readonly command: readonly string[] };
    const speaking = ['sh', '-c', 'echo "by $HTTPS_PROXY" >&2; exec "$0" "$@"', ...command];
    await running('plain', { command: speaking });
    const seen = JSON.parse(await rig.text('x_s_env')) as Record<string, string>;
    expect(seen).include(settings).not.property('UV_PUBLISH_TOKEN');
    await until('a line', () => JSON.stringify(rig.lines).includes('by http://'));
    expect(JSON.stringify(rig.lines)).contain('@proxy.corp.test').not.contain('s3cretword');
  });

  it('never logs values of env that a server prints', async () => {
    await running('leaky', { env: { TOKEN: 'very-secret-token' } });
    await until('line', () => rig.lines.some(({ text }) => text === 'server wrote'));
    expect(JSON.stringify(rig.lines))
      .to.contain('my token is [redacted]')
      .and.to.not.contain('very-secret-token');
    process.env['UPSTREAM_TEST_SECRET'] = 'planted-password';
    await running('leaky', { env: { TOKEN: 'alice:${env:UPSTREAM_TEST_SECRET}' } });
    delete process.env['UPSTREAM_TEST_SECRET'];
    await until('its end', () => rig.lines.some(({ data }) => String(data['line']).startsWith('its end is')));
    expect(JSON.stringify(rig.lines)).to.contain('its end is [redacted]').and.to.not.contain('planted');
    await running('leaky', { env: { TOKEN: '-----BEGIN KEY-----\nfirst "half"\nsecond half' } });
    await until('last line', () => rig.lines.some(({ data }) => data['line'] === 'end'));
    expect(JSON.stringify(rig.lines))
      .to.contain('as JSON')
      .and.to.not.match(/BEGIN|first|second/);
  });

  it('fails a server with an unresolved reference and names the variable', async () => {
    await rig.configure();
    await rig.define({ s: hostile('plain', { env: { TOKEN: '${env:UPSTREAM_NOT_SET}' } }) });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('UPSTREAM_NOT_SET');
  });

  it('resolves a file reference without the last line break, and names an unreadable file at once', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'token');
    writeFileSync(file, 'from a file\n');
    await running('plain', { env: { TOKEN: `Bearer \${file:${file}}` } });
    expect((JSON.parse(await rig.text('x_s_env')) as Record<string, string>)['TOKEN']).to.equal(
      'Bearer from a file',
    );
    execFileSync('mkfifo', [join(folder.path, 'pipe')]);
    for (const name of ['pipe', 'gone', '']) {
      await rig.define({ s: hostile('plain', { env: { TOKEN: `\${file:${join(folder.path, name)}}` } }) });
      await rig.reaches('s', 'failed');
      expect(rig.status('s').error).to.contain(
        `names the file ${join(folder.path, name)}, which cannot be read`,
      );
      await rig.define({});
    }
    folder.remove();
  });

  it('reports why a command cannot be run', async () => {
    await rig.configure();
    await rig.define({
      s: { type: 'stdio', autoStart: true, command: ['no-such-command-here'], timeout: 5 },
    });
    await rig.reaches('s', 'failed');
    expect(rig.status('s')).to.deep.include({ health: 'unhealthy' });
    expect(rig.status('s').error).to.contain('command no-such-command-here cannot be run');
    expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
  });

  it('relays progress to the call that asked, increasing and only while it is open', async () => {
    await running('plain');
    const heard: Progress[] = [];
    const other: Progress[] = [];
    const [asked, , silent] = await Promise.all([
      rig.text('x_s_grow', { steps: 4, ms: 5 }, { progress: (update) => heard.push(update) }),
      rig.text('x_s_grow', { steps: 2, ms: 5 }, { progress: (update) => other.push(update) }),
      rig.text('x_s_grow', { steps: 2, ms: 5 }),
    ]);
    expect(asked).to.equal('token given');
    expect(silent).to.equal('token none');
    expect(heard.map(({ progress }) => progress)).to.deep.equal([1, 2, 3, 4]);
    expect(other.map(({ progress }) => progress)).to.deep.equal([1, 2]);
  });

  it('notifies the server of a cancelled call and answers the caller at once', async () => {
    await running('plain');
    const cancel = new Cancellation();
    const refusal = rig.refusal('x_s_never', {}, { cancel });
    await rig.text('x_s_echo');
    cancel.cancel('changed my mind');
    const { code, message, details } = await refusal;
    expect(code).to.equal('TOOL_CANCELLED');
    expect(message).to.contain('changed my mind; it may have run');
    expect(details).to.include({ mayHaveRun: true });
    expect(await rig.text('x_s_cancelled')).to.contain('changed my mind');
  });

  it('ends a silent call after callTimeout and notifies the server', async () => {
    await running('plain', { callTimeout: 0.2 }, { deadlineTickMs: 20 });
    const error = await rig.refusal('x_s_never');
    expect(error).to.include({ code: 'UPSTREAM_TIMEOUT' });
    expect(error.message).to.contain('it may have run, check its effect before calling again');
    expect(error.details).to.include({ mayHaveRun: true });
    expect(await rig.text('x_s_cancelled')).to.contain('timed out');
  });

  it('applies time limits to single tools, by the names their server gives them', async () => {
    await running('plain', { callTimeout: 60, callTimeouts: { never: 0.2 } }, { deadlineTickMs: 20 });
    expect(await rig.refusal('x_s_never')).to.include({ code: 'UPSTREAM_TIMEOUT' });
    await running('plain', { callTimeout: 0.2, callTimeouts: { grow: 60 } }, { deadlineTickMs: 20 });
    expect(await rig.text('x_s_grow', { steps: 1, ms: 400 })).to.be.a('string');
  });

  it('lets progress keep a call alive, up to a limit', async () => {
    await running('plain', { callTimeout: 0.2 }, { deadlineTickMs: 20, callMaxMs: 1_000 });
    const progress = (): void => undefined;
    expect(await rig.text('x_s_grow', { steps: 10, ms: 50 }, { progress })).to.equal('token given');
    expect(await rig.refusal('x_s_grow', { steps: 1_000, ms: 50 }, { progress })).to.include({
      code: 'UPSTREAM_TIMEOUT',
    });
  });

  it('passes on the error of a server with its code and data', async () => {
    await running('plain');
    const error = await rig.refusal('x_s_fail');
    expect(error).to.include({ code: 'UPSTREAM_ERROR' });
    expect(error.message).to.contain('no luck');
    expect(error.details).to.deep.include({ code: -32099, data: { why: 'x' } });
    expect((await rig.refusal('x_s_bare')).message).to.contain('an error without a message');
  });

  it("removes terminal sequences and invisible characters from a server's texts about itself and its faults", async () => {
    await rig.configure();
    const error = { code: -32000, message: '\u001b[31mno\u202e luck\nat all' };
    const tools = [{ name: 'fail', inputSchema: {} }];
    const initialize = { serverInfo: { name: '\u001b[31mred\u200b', version: '1\u0007' } };
    await rig.define({ s: told({ initialize, 'tools/list': { tools }, 'tools/call': { error } }) });
    await rig.hasTool('x_s_fail');
    expect((await rig.refusal('x_s_fail')).message).to.equal('tool fail of server s failed: no luck\nat all');
    expect(rig.status('s').metadata).to.include({ serverName: 'red', serverVersion: '1' });
    await rig.define({ s: told({ initialize: { protocolVersion: `\u001b[31m${'9'.repeat(200)}` } }) });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.match(/^the server speaks MCP revision "9{39}; supported are/);
  });

  it('hides in an error the secrets that a server was given', async () => {
    await running('plain', { env: { LUCK: 'sk-planted-secret' } });
    const { message, details } = await rig.refusal('x_s_fail');
    expect(message).to.equal('tool fail of server s failed: [redacted]');
    expect(details).to.deep.include({ code: -32099, data: { why: '[redacted]' } });
    await running('plain', { env: { LUCK: 'a key of\n"two" lines' } });
    expect((await rig.refusal('x_s_fail')).details).to.deep.include({ data: { why: '[redacted]' } });
    await running('plain', { env: { LUCK: '4815162342' } });
    const hidden = { why: '[redacted]', number: '[redacted]', list: [{ '[redacted]': 7 }] };
    expect((await rig.refusal('x_s_fail')).details).to.deep.include({ data: hidden });
  });

  it('answers ping and refuses every other request of a server', async () => {
    await running('plain');
    const heard = await rig.text('x_s_ask');
    expect(heard).to.contain('{"jsonrpc":"2.0","id":"q1","result":{}}');
    expect(heard).to.contain('-32601');
  });

  it('does not let a slow call delay others', async () => {
    await running('plain');
    let isDone = false;
    const slow = rig.text('x_s_slow', { ms: 500 }).then(() => (isDone = true));
    await Promise.all(Array.from({ length: 200 }, (_, n) => rig.text('x_s_echo', { message: `${n}` })));
    expect(isDone).to.equal(false);
    await slow;
  });

  it('refuses an unknown revision and does not try again', async () => {
    await rig.configure({ backoffFirstMs: 1 });
    await rig.define({ s: hostile('ancient') });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain('1999-01-01');
    expect(rig.status('s').metadata).to.not.have.property('nextRetryAfter');
  });

  it('fails a server that never answers initialize, kills it and tries again later', async () => {
    await rig.configure();
    await rig.define({ s: hostile('mute', { timeout: 0.3 }), other: hostile() });
    await rig.hasTool('x_other_echo');
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error)
      .to.contain('initialize')
      .and.contain('its last words: reading settings | waiting for the database')
      .and.not.contain('may have run');
    expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
  });

  it('ends a server that ignores end of input and SIGTERM, and its children', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'pids');
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 100 });
    await rig.define({ s: hostile('family', {}, file) });
    await rig.hasTool('x_s_echo');
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    expect(pids.every(isAlive)).to.equal(true);
    await rig.define({});
    await until('the end of all', () => !pids.some(isAlive));
    folder.remove();
  });
});
