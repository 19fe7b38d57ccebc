import { mkdirSync } from 'node:fs';
import type { Directory } from './directory.ts';
import { listenerUrl } from './edge.ts';
import { bootGateway } from './gateway.ts';
import type { Gateway } from './gateway.ts';

/** What `pegboard serve` would run, in this process, which saves the start of a program: 500 ms of CPU.
 *  It listens on a free port unless one is given, and does not watch the directory.
 *  @returns with `url`: `http://host:port` */
export async function serveHere(directory: Directory, port = 0): Promise<Gateway & { readonly url: string }> {
  mkdirSync(directory.at('state'), { recursive: true, mode: 0o700 });
  const gateway = await bootGateway({ directory, builtIns: 'all', aggregator: { port } });
  return { ...gateway, url: listenerUrl(gateway) };
}
