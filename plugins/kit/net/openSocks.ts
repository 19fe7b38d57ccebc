import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { ProxyError } from './proxyRoutes.ts';
import type { Proxy } from './proxyRoutes.ts';

const PASSWORD = 2;
/** What the proxy may answer. Source: RFC 1928 §6 */
const REFUSALS = [
  'no reason',
  'a general failure',
  'its rules forbid it',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'expired',
];

/** Opens a connection to a host through a SOCKS5 proxy, which resolves its name. @throws ProxyError, or the error of the
 *  connection to the proxy. Source: RFC 1928, RFC 1929 */
export async function openSocks(
  proxy: Proxy,
  { host, port, signal }: { readonly host: string; readonly port: number; readonly signal?: AbortSignal },
): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port });
  const abort = (): void => void socket.destroy(new Error('it took too long'));
  signal?.addEventListener('abort', abort);
  // Who waits for bytes is told when it closes.
  const ignore = (): void => undefined;
  socket.on('error', ignore);
  try {
    await once(socket, 'connect');
    const methods = proxy.credentials === '' ? [0] : [0, PASSWORD];
    socket.write(Buffer.from([5, methods.length, ...methods]));
    const chosen = (await bytesOf(socket, 2))[1];
    if (chosen === PASSWORD) await authenticate(socket, proxy);
    else if (chosen !== 0)
      throw new ProxyError(`the proxy ${proxy.name} wants credentials: write user:password@ before its host`);
    const name = Buffer.from(host);
    socket.write(Buffer.from([5, 1, 0, 3, name.length, ...name, port >> 8, port & 255]));
    const [, status = 1, , kind] = await bytesOf(socket, 4);
    if (status !== 0)
      throw new ProxyError(
        `the proxy ${proxy.name} did not connect to ${host}:${port}: ${REFUSALS[status] ?? `status ${status}`}`,
      );
    await bytesOf(socket, (kind === 1 ? 4 : kind === 4 ? 16 : ((await bytesOf(socket, 1))[0] ?? 0)) + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off('error', ignore);
    signal?.removeEventListener('abort', abort);
  }
}

async function authenticate(socket: Socket, { credentials, name }: Proxy): Promise<void> {
  const [user = '', ...rest] = credentials.split(':');
  const parts = [Buffer.from(user), Buffer.from(rest.join(':'))];
  socket.write(Buffer.concat([Buffer.of(1), ...parts.flatMap((part) => [Buffer.of(part.length), part])]));
  if ((await bytesOf(socket, 2))[1] !== 0)
    throw new ProxyError(`the proxy ${name} refuses the user and password of its url`);
}

/** @throws Error of the socket, or that it was closed */
function bytesOf(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      const found = socket.read(count) as Buffer | null;
      if (found === null) return;
      leave();
      resolve(found);
    };
    const closed = (): void => {
      leave();
      reject(socket.errored ?? new Error('it closed the connection'));
    };
    const leave = (): void => void socket.off('readable', take).off('close', closed);
    if (socket.destroyed) closed();
    else socket.on('readable', take).on('close', closed);
  });
}
