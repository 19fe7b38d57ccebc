import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { sharedKeyClient } from '../../plugins/kit/tls/sharedKey.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { needRoot } from '../support/needRoot.ts';
import { packedProgram } from '../support/packed.ts';
import { until } from '../support/until.ts';

/** Answers one request. */
const ECHO = `
process.stdin.on('data', (line) => {
  const result = { hasLibraries: require('fs').existsSync('/lib') };
  console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result }));
});
`;

describe('pegboard stdio --install', () => {
  it('copies a bridge that runs in a root with no shell, no Node.js and no C library', async function () {
    needRoot(this);
    const port = await freePort();
    const root = makeDirectory({ 'echo.js': ECHO, key: 'ab'.repeat(32) });
    const install = ['stdio', '--install', root.at('pegboard')];
    const installed = spawn(process.execPath, [packedProgram(), ...install], { stdio: 'ignore' });
    expect((await once(installed, 'exit'))[0]).equal(0);
    const node = ['/pegboard/lib/ld.so', '--library-path', '/pegboard/lib', '/pegboard/node'];
    const program = '/pegboard/app/dist/kernel/program/pegboard.js';
    const words = ['stdio', '--listen', `127.0.0.1:${port}`, '--key-file', '/key', '--', ...node, '/echo.js'];
    const bridge = spawn('chroot', [root.path, ...node, program, ...words], {
      env: { HOME: '/tmp', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const gone = once(bridge, 'exit');
    defer(async () => {
      bridge.kill('SIGKILL');
      await gone;
    });
    let said = '';
    bridge.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('listening on') || bridge.exitCode !== null);
    expect(said).include('listening on');
    const { secureContext, pskCallback } = sharedKeyClient(Buffer.alloc(32, 0xab));
    const tls = { secureContext: secureContext(), pskCallback, checkServerIdentity: () => undefined };
    const req = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent: false, ...tls });
    req.end('{"jsonrpc":"2.0","id":1,"method":"initialize"}');
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    expect(await text(res)).include('"hasLibraries":false');
  });
});
