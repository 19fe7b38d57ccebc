import type { Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defer } from '../support/cleanup.ts';
import { freePort } from '../support/everything.ts';
import { ROOT } from '../support/sources.ts';

/** The balancer of examples/replicas, closed after the test. @returns its address */
export async function balancerOver(ports: readonly number[]): Promise<string> {
  const file = pathToFileURL(join(ROOT, 'examples/replicas/balancer.mjs')).href;
  const { startBalancer } = (await import(file)) as {
    startBalancer: (port: number, ports: readonly number[]) => Promise<Server>;
  };
  const port = await freePort();
  const server = await startBalancer(port, ports);
  defer(() => void server.close());
  return `http://localhost:${port}`;
}
