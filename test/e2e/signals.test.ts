import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { packedFolder, packedProgram } from '../support/packed.ts';
import { catches } from '../support/proc.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import { until, within } from '../support/until.ts';

/** A debugger that opens takes a free port. */
const ANY_PORT = { NODE_OPTIONS: '--inspect-port=0' };
const CASSETTE = '{"cassette":1,"server":"shop","tools":[]}\n';

/** Starts a program and sends it SIGUSR1 and SIGUSR2 as soon as it has handlers, long before it is ready. */
function signalledEarly(program: string, args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...ANY_PORT } });
  defer(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const sent = until(() => catches(child.pid ?? 0, constants.signals.SIGUSR2), {
    what: 'a handler for SIGUSR2',
  }).then(() => {
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) child.kill(signal);
  });
  return { child, said, sent };
}

describe('e2e: SIGUSR1 and SIGUSR2', () => {
  it('open no debugger and do not end a gateway, which logs that they do nothing', async () => {
    const { path } = makeDirectory({ 'config.yaml': '' });
    const pegboard = await servePegboard(path, [], { env: ANY_PORT });
    process.kill(pegboard.pid, 'SIGUSR1');
    await pegboard.logged('SIGUSR1 opens no debugger; to debug, start with node --inspect');
    process.kill(pegboard.pid, 'SIGUSR2');
    await pegboard.logged('SIGUSR2 does nothing; SIGHUP reads the configuration again');
    expect((await fetch(`${pegboard.url}/health`)).status).to.equal(200);
    expect(await within(pegboard.stop())).to.deep.equal({ code: 0, signal: null });
    expect(pegboard.lines.filter(({ text }) => /debugger listening/i.test(text))).to.deep.equal([]);
  });

  it('do so during the start, too', async () => {
    const { path } = makeDirectory({ 'config.yaml': '' });
    const { child, said, sent } = signalledEarly(packedProgram(), [
      'serve',
      '--config-path',
      path,
      '--port',
      '0',
    ]);
    await sent;
    expect(said.stderr, 'not ready yet').not.to.contain(' ready');
    await until(() => said.stderr.includes(' ready') || child.exitCode !== null || child.signalCode !== null);
    child.kill('SIGTERM');
    expect(await within(once(child, 'exit'))).to.deep.equal([0, null]);
    expect(said.stderr).not.to.match(/debugger listening/i);
  });

  it('do nothing to pegboard-replay', async () => {
    const { at } = makeDirectory({ 'shop.jsonl': CASSETTE });
    const replay = join(packedFolder(), 'dist/plugins/cassettes/replay.js');
    const { child, said, sent } = signalledEarly(replay, [at('shop.jsonl')]);
    await sent;
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(await within(once(child, 'close'))).to.deep.equal([0, null]);
    expect(JSON.parse(said.stdout)).to.deep.equal({ jsonrpc: '2.0', id: 1, result: {} });
    expect(said.stderr).to.equal('pegboard-replay: replaying server shop\n');
  });

  it('leave node --inspect as it is', async () => {
    const { code, stderr } = await runPegboard(['--version'], { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
    expect(code).to.equal(0);
    expect(stderr).to.match(/^Debugger listening on ws:/);
  });
});
