import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';

const MAX_MS = 2_000;
/** So much of a body may also come from a client that reads only after its last byte. It costs no memory, and no more than the same
 *  bytes in requests that are accepted. */
const MAX_BYTES = 64 * 1_048_576;
const MAX_KEPT_BYTES = 65_536;

/** The connections of this server end by closeGently after their last response. */
export function closesGently(server: Server): void {
  server.on('connection', (socket) => {
    // Node calls it after a response with `connection: close`.
    socket.destroySoon = () => closeGently(socket);
  });
}

/** Ends a connection behind what is written, and throws away what still arrives: unread bytes would reset it before the client has read
 *  the response. It is closed when the client closes its side, after 2 s at the latest; over 64 MiB nothing more is read.
 *  Source: RFC 9112 §9.6 */
export function closeGently(socket: Socket): void {
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  if (socket.readableEnded || socket.writableEnded) {
    close();
    return;
  }
  const timer = setTimeout(() => socket.destroy(), MAX_MS);
  socket.once('close', () => clearTimeout(timer)).once('end', close);
  const last = socket.bytesRead + MAX_BYTES;
  const discard = (): void => {
    // The parser of HTTP listens here: no further request is handled.
    socket.removeAllListeners('data').on('data', () => {
      if (socket.bytesRead > last) socket.pause();
    });
  };
  // Node reads on in a listener of this event, which a listener of data removes.
  if (socket.isPaused()) socket.once('resume', discard);
  else discard();
  socket.end();
  socket.resume();
}

/** Whether so much of the body has not arrived that the connection ends with the response instead of waiting for it. */
export function hasLargeRest({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_KEPT_BYTES
  );
}
