import type { Socket } from 'node:net';
import { UnaskedFlow } from './unaskedFlow.ts';

/** The budget of one remote server, and its sockets, which can be left unread for a while. undici's own way, onData returning
 *  false, does not work: its parser throws outside of every try block when such a connection ends. */
export class SocketFlow extends UnaskedFlow {
  readonly #held = new WeakSet<Socket>();
  /** The socket that undici read last: inside onHeaders, the socket of these headers. */
  reading: Socket | undefined;

  /** Must be called before undici receives the socket. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    // Node.js itself calls read(0), which consumes nothing.
    socket.read = (size?: number): unknown => {
      if (size !== undefined) return read(size);
      if (this.#held.has(socket)) return null;
      this.reading = socket;
      return read();
    };
  }

  hold(socket: Socket | undefined): void {
    if (socket !== undefined) this.#held.add(socket);
  }
  letGo(socket: Socket | undefined): void {
    if (socket !== undefined && this.#held.delete(socket)) socket.emit('readable');
  }
}
