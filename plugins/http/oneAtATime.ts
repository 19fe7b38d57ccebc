import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Handles the next request of a connection once the answer before it has been taken in by the system: a client that sends
 *  many without reading has one answer made, not all. What waited so begins one by one, between the requests of others. */
export function oneAtATime(handle: RequestListener): RequestListener {
  const lastBySocket = new WeakMap<Socket, ServerResponse>();
  const due: (() => void)[] = [];
  const beginDue = (): void => {
    // Taken out afterwards: what comes meanwhile must not begin a second row.
    due[0]?.();
    due.shift();
    if (due.length > 0) setImmediate(beginDue);
  };
  const beginLater = (req: IncomingMessage, res: ServerResponse): void => {
    due.push(() => {
      if (!req.socket.destroyed) handle(req, res);
    });
    if (due.length === 1) setImmediate(beginDue);
  };
  return (req, res) => {
    const before = lastBySocket.get(req.socket);
    lastBySocket.set(req.socket, res);
    if (before === undefined || before.writableFinished || before.destroyed) handle(req, res);
    else before.once('close', () => beginLater(req, res));
  };
}
