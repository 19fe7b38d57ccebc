import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Turns } from 'pegboard';

/** Handles the next request of a connection once the answer before it has been taken in by the system: a client that sends
 *  many without reading has one answer made, not all. What waited so begins one by one, between the requests of others. */
export function oneAtATime(handle: RequestListener): RequestListener {
  const lastBySocket = new WeakMap<Socket, ServerResponse>();
  const turns = new Turns();
  return (req, res) => {
    const before = lastBySocket.get(req.socket);
    lastBySocket.set(req.socket, res);
    const begin = (): void => {
      if (!req.socket.destroyed) handle(req, res);
    };
    if (before === undefined || before.writableFinished || before.destroyed) handle(req, res);
    else before.once('close', () => void turns.next().then(begin));
  };
}
