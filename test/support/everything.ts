import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { defer } from './cleanup.ts';
import { until } from './until.ts';

export const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

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

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
