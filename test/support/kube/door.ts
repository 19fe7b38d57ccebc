import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** The way of all clients to a server: a port on loopback that passes bytes on. */
export interface Door {
  /** Listens; does nothing if it listens already. */
  open(): Promise<void>;
  /** Refuses connections from now on, and ends the present ones. */
  close(): Promise<void>;
  /** Ends the present connections; later ones work. @returns how many there were */
  drop(): number;
}

/** @param from its own port, the same one each time @param to the port of the server */
export function doorTo(to: number, from: number): Door {
  const clients = new Set<Socket>();
  let server: Server | undefined;
  const connect = (client: Socket): void => {
    const upstream = createConnection(to, '127.0.0.1');
    clients.add(client);
    client.pipe(upstream).pipe(client);
    client.on('error', () => client.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => upstream.destroy()).on('close', () => client.destroy());
    client.on('close', () => clients.delete(client));
  };
  const drop = (): number => {
    const { size } = clients;
    for (const client of clients) client.resetAndDestroy();
    return size;
  };
  return {
    open: async () => {
      if (server !== undefined) return;
      server = createServer({ noDelay: true }, connect).listen(from, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      const closed = server && once(server, 'close');
      server?.close();
      server = undefined;
      drop();
      await closed;
    },
    drop,
  };
}
