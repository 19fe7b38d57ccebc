import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { defer } from './cleanup.ts';

/** A forward proxy as companies have them: it alone knows where hosts are, tunnels to them and forwards plain http. */
export interface ForwardProxy {
  /** `127.0.0.1:<port>` */
  readonly place: string;
  /** Each request, as `CONNECT host:port` or `GET http://host/path`. */
  readonly asked: string[];
  /** Credentials that came, as `user:password`. */
  readonly credentials: (string | undefined)[];
  /** Answer to every request instead of doing it. */
  refuseWith: number | undefined;
}

/** @param leads the port on this machine of each host that it knows */
export async function forwardProxy(leads: (host: string) => number | undefined): Promise<ForwardProxy> {
  const proxy: ForwardProxy = { place: '', asked: [], credentials: [], refuseWith: undefined };
  const took = (line: string, headers: IncomingHttpHeaders): void => {
    proxy.asked.push(line);
    const [, coded] = /^Basic (.+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
    proxy.credentials.push(coded === undefined ? undefined : Buffer.from(coded, 'base64').toString());
  };
  const sockets = new Set<Socket>();
  const server = createServer((req, res) => {
    took(`${req.method ?? ''} ${req.url ?? ''}`, req.headers);
    const url = new URL(req.url ?? '', 'http://none.test');
    const port = leads(url.host);
    if (port === undefined || proxy.refuseWith !== undefined) {
      res.writeHead(proxy.refuseWith ?? 502).end('no such host');
      return;
    }
    const { method, headers } = req;
    delete headers['proxy-authorization'];
    const passed = request({ port, method, path: url.pathname + url.search, headers });
    passed.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 0, answer.headers)));
    passed.on('error', () => res.destroy());
    res.on('close', () => passed.destroy());
    req.pipe(passed);
  });
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    took(`CONNECT ${url}`, headers);
    const port = leads(url);
    if (port === undefined || proxy.refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${proxy.refuseWith ?? 502} No\r\n\r\n`);
      return;
    }
    const other = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Ok\r\n\r\n'));
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(proxy, { place: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}
