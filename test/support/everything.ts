import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { defer } from './cleanup.ts';
import { until } from './until.ts';
import { ROOT } from './sources.ts';

export const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** MCP's demonstration server over HTTP, as a process of its own. @returns its endpoint */
export async function startEverything(transport: 'sse' | 'streamableHttp'): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  defer(() => {
    child.kill('SIGKILL');
    return gone;
  });
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/nothing`).then(
      async (answer) => (await answer.arrayBuffer()).byteLength >= 0,
      () => false,
    );
  await until(answers, { what: `server-everything on ${url}`, withinMs: 15_000 });
  return url;
}

const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** A port that is free at this moment, below those that the system gives to other sockets: parallel tests do not take it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
