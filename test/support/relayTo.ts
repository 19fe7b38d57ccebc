import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { defer } from './cleanup.ts';

/** Passes connections on to a port on this machine, from all of its addresses. @returns where it listens, until the test ends */
export async function relayTo(port: () => number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(port(), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    other.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  defer(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
