import { readFileSync, statSync } from 'node:fs';
import { spawn } from '@lydell/node-pty';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { EVERYTHING, freePort } from '../../../support/everything.ts';
import { PROGRAM } from '../../../support/packed.ts';
import { servePegboard } from '../../../support/serve.ts';
import type { Pegboard } from '../../../support/serve.ts';
import { until } from '../../../support/until.ts';

const DEFINITION = JSON.stringify({
  type: 'stdio',
  autoStart: true,
  command: [process.execPath, EVERYTHING, 'stdio'],
});

async function serveAt(directory: Directory, port: number): Promise<Pegboard> {
  const gateway = await servePegboard(directory.path, ['--port', String(port)]);
  await gateway.logged('server connected');
  return gateway;
}

interface OnTerminal {
  readonly type: (text: string) => void;
  readonly shown: () => string;
  readonly shows: (text: string) => Promise<void>;
  readonly exited: Promise<number>;
}

function onTerminal(directory: string, args: readonly string[]): OnTerminal {
  const argv = [PROGRAM, 'agent', '--config-path', directory, ...args];
  const terminal = spawn(process.execPath, argv, { cols: 200, rows: 40, env: { ...process.env } });
  let shown = '';
  terminal.onData((data) => (shown += data));
  let isOver = false;
  const exited = new Promise<number>((resolve) =>
    terminal.onExit(({ exitCode }) => {
      isOver = true;
      resolve(exitCode);
    }),
  );
  defer(() => {
    if (!isOver) terminal.kill('SIGKILL');
    return exited;
  });
  const shows = async (text: string): Promise<void> => {
    await until(() => shown.includes(text), { what: text, withinMs: 15_000 }).catch((error: unknown) => {
      throw new Error(`${String(error)} in:\n${shown.slice(-2_000)}`);
    });
  };
  return { type: (text) => terminal.write(text), shown: () => shown, shows, exited };
}

describe('plugins/cli: agent on a terminal', () => {
  it('prints the catalogue and each change, over kill -9 of the gateway, until Ctrl-C', async () => {
    const directory = makeDirectory({ 'config.yaml': '{}', 'mcpservers/everything.yaml': DEFINITION });
    const port = await freePort();
    const gateway = await serveAt(directory, port);
    const { shows, type, exited } = onTerminal(directory.path, ['--endpoint', `${gateway.url}/mcp`]);
    await shows('changes follow until Ctrl-C');
    await shows('x_everything_echo');
    directory.replace('mcpservers/second.yaml', DEFINITION);
    await shows('+ x_second_echo');
    await gateway.kill();
    await shows('trying again');
    directory.remove('mcpservers/second.yaml');
    await serveAt(directory, port);
    await shows('- x_second_echo');
    type('\u0003');
    expect(await exited).equal(130);
  });

  it('reads commands with completion and a history in a private file', async () => {
    const directory = makeDirectory({ 'config.yaml': '{}', 'mcpservers/everything.yaml': DEFINITION });
    const gateway = await serveAt(directory, await freePort());
    const args = ['--repl', '--endpoint', `${gateway.url}/mcp`];
    const { shows, shown, type, exited } = onTerminal(directory.path, args);
    await shows('pegboard> ');
    type('ca\t');
    await shows('call ');
    type('x_everything_ec\t');
    await shows('x_everything_echo ');
    type('--mes\t');
    await shows('--message ');
    type('"it works"\r');
    await shows('Echo: it works');
    type('call x_everything_trigger-long-running-operation {"duration": 60, "steps": 1}\r');
    // Pressed before the call has begun, Ctrl-C only clears the line.
    await until(() => {
      type('\u0003');
      return shown().includes('cancelled at the gateway');
    });
    type('exit\r');
    expect(await exited).equal(0);
    const file = directory.at('state/repl-history');
    expect(readFileSync(file, 'utf8')).contain('call x_everything_echo --message "it works"');
    expect(statSync(file).mode & 0o777).equal(0o600);
  });
});
