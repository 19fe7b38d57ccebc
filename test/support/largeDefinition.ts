import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { defer } from './cleanup.ts';
import { LARGE_SERVER } from './largeServer.ts';
import type { LargeKind } from './largeServer.ts';
import { NODE_FLAGS } from './programs.ts';

/** The definition of a server with large results; a remote one runs until the end of the test. */
export async function largeDefinition(kind: LargeKind): Promise<object> {
  if (kind === 'stdio')
    return {
      type: 'stdio',
      autoStart: true,
      command: [process.execPath, ...NODE_FLAGS, LARGE_SERVER, 'stdio'],
    };
  const child = spawn(process.execPath, [...NODE_FLAGS, LARGE_SERVER, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  defer(() => {
    child.kill('SIGKILL');
    return exited;
  });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return kind === 'sse'
    ? { type: 'sse', url: `http://127.0.0.1:${port}/sse` }
    : { type: 'streamable-http', url: `http://127.0.0.1:${port}/mcp` };
}
