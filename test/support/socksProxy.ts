import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { defer } from './cleanup.ts';

export interface SocksProxy {
  /** `127.0.0.1:<port>` */
  readonly place: string;
  /** Hosts and ports that were asked for. */
  readonly asked: string[];
}

/** A SOCKS5 proxy that lets one user in, whose bytes arrive one at a time. Source: RFC 1928, RFC 1929
 *  @param leads the port on this machine of each host and port that it knows */
export async function socksProxy(
  login: string,
  leads: (target: string) => number | undefined,
): Promise<SocksProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const serve = async (socket: Socket): Promise<void> => {
    const read = async (count: number): Promise<Buffer> => {
      let found: Buffer | null;
      while ((found = socket.read(count) as Buffer | null) === null) await once(socket, 'readable');
      return found;
    };
    const text = async (): Promise<string> => (await read((await read(1))[0]!)).toString();
    await read((await read(2))[1]!);
    socket.write(Buffer.of(5));
    socket.write(Buffer.of(2));
    await read(1);
    const isKnown = `${await text()}:${await text()}` === login;
    socket.write(Buffer.of(1, isKnown ? 0 : 1));
    if (!isKnown) return;
    await read(4);
    const host = await text();
    const target = `${host}:${(await read(2)).readUInt16BE()}`;
    asked.push(target);
    const port = leads(target);
    if (port === undefined) {
      socket.end(Buffer.of(5, 4, 0, 1, 0, 0, 0, 0, 0, 0));
      return;
    }
    const other = connect(port, '127.0.0.1', () => {
      for (const byte of [5, 0, 0, 3, 1, 120, 0, 80]) socket.write(Buffer.of(byte));
      socket.pipe(other).pipe(socket);
    });
    other.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => other.destroy());
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    void serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
