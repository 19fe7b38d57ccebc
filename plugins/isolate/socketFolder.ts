import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** The folder of the sockets, without those whose gateway has ended. No server sees it. */
export async function socketFolder(state: string): Promise<string> {
  const folder = join(state, 'isolate-net');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await errorAt(path)) === 'ECONNREFUSED') await rm(path, { force: true });
  }
  return folder;
}

/** The code with which a connection fails; undefined if something listens. */
async function errorAt(path: string): Promise<string | undefined> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}
