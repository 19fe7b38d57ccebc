import type { RequestListener } from 'node:http';
import { Turns } from 'pegboard';

/** Handles the next request of a connection once the answer before it has been taken in by the system: a client that sends
 *  many without reading has one answer made, not all. What waited so begins one by one, between the requests of others. */
export function oneAtATime(handle: RequestListener): RequestListener {
  const turns = new Turns();
  return (req, res) => {
    // An answer has the connection when none before it needs that any more.
    if (res.socket !== null) {
      handle(req, res);
      return;
    }
    res.once('socket', () => {
      void turns.next().then(() => {
        if (!req.socket.destroyed) handle(req, res);
      });
    });
  };
}
