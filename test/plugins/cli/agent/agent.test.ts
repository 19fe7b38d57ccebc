import { readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { EVERYTHING, freePort } from '../../../support/everything.ts';
import { CTRL_C, onTerminal } from '../../../support/onTerminal.ts';
import { servePegboard } from '../../../support/serve.ts';
import type { Pegboard } from '../../../support/serve.ts';
import { told } from '../../upstream/support.ts';

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

describe('plugins/cli: agent on a terminal', () => {
  it('prints the catalogue and each change, over kill -9 of the gateway, until Ctrl-C', async () => {
    const small = JSON.stringify(
      told({ 'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } }),
    );
    const directory = makeDirectory({ 'config.yaml': '{}', 'mcpservers/first.yaml': small });
    const port = await freePort();
    const gateway = await serveAt(directory, port);
    const { shows, type, exited } = onTerminal([
      ...['agent', '--config-path', directory.path, '--endpoint', `${gateway.url}/mcp`],
    ]);
    await shows('changes follow until Ctrl-C');
    await shows('x_first_echo');
    directory.replace('mcpservers/second.yaml', small);
    await shows('+ x_second_echo');
    await gateway.kill();
    await shows('trying again');
    directory.remove('mcpservers/second.yaml');
    await serveAt(directory, port);
    await shows('- x_second_echo');
    type(CTRL_C);
    expect(await exited).equal(130);
  });

  it('reads commands with completion and a history in a private file, over kill -9 of the gateway', async () => {
    const directory = makeDirectory({ 'config.yaml': '{}', 'mcpservers/everything.yaml': DEFINITION });
    const port = await freePort();
    const gateway = await serveAt(directory, port);
    const args = ['agent', '--repl', '--config-path', directory.path, '--endpoint', `${gateway.url}/mcp`];
    const { shows, type, exited } = onTerminal(args);
    await shows('pegboard> ');
    type('ca\t');
    await shows('call ');
    type('x_everything_ec\t');
    await shows('x_everything_echo ');
    type('--mes\t');
    await shows('--message ');
    type('"it works"\r');
    await shows('Echo: it works');
    await gateway.kill();
    await serveAt(directory, port);
    type('call x_everything_get-su\t');
    await shows('x_everything_get-sum ');
    type('{"a": 2, "b": 3}\r');
    await shows('The sum of 2 and 3 is 5.');
    type('exit\r');
    expect(await exited).equal(0);
    const file = directory.at('state/repl-history');
    expect(readFileSync(file, 'utf8')).contain('call x_everything_echo --message "it works"');
    expect(statSync(file).mode & 0o777).equal(0o600);
  });
});
