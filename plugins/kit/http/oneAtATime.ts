import type { RequestListener } from 'node:http';
import { Turns } from '../limits/turns.ts';

/** Handles the next request of a connection once the system has accepted the response before it: for a client that sends many
 *  requests without reading, one response is made, not all. Delayed requests then run one by one, between those of others. */
export function oneAtATime(handle: RequestListener): RequestListener {
  const turns = new Turns();
  return (req, res) => {
    // A response gets the socket once all responses before it are finished.
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
