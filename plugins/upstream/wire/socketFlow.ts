import type { Socket } from 'node:net';
import { UnaskedFlow } from './unaskedFlow.ts';

/** The pace of one remote server, whose sockets can be left unread for a while. undici's own way, onData returning false, is
 *  none: its parser throws outside of every try when such a connection ends. */
export class SocketFlow extends UnaskedFlow {
  readonly #held = new WeakSet<Socket>();
  /** The one that undici has turned to last: while headers are told it is theirs. */
  reading: Socket | undefined;

  /** Before undici gets it. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    // Node itself calls read(0), which takes nothing out.
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
