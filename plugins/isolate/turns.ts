import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inTurn } from '../kit/limits/inTurn.ts';

/** Requests of one connection at a time; with more it is closed. */
const MAX_AT_A_TIME = 10;

interface Turn {
  count: number;
  readonly inTurn: ReturnType<typeof inTurn>;
}

/** The requests of connections, one after another: each that is sent on takes a connection of its own. */
export class Turns {
  readonly #bySocket = new WeakMap<Socket, Turn>();

  /** Works once those before are answered. Resolves when this one is, or its connection is closed. */
  async take({ socket }: IncomingMessage, answer: ServerResponse, work: () => Promise<void>): Promise<void> {
    const turn = this.#bySocket.get(socket) ?? { count: 0, inTurn: inTurn() };
    this.#bySocket.set(socket, turn);
    turn.count += 1;
    if (turn.count > MAX_AT_A_TIME) socket.destroy();
    await turn.inTurn(async () => {
      if (socket.destroyed) return;
      const answered = new AbortController();
      const end = (): void => answered.abort();
      answer.once('close', end);
      socket.once('close', end);
      await Promise.all([once(answered.signal, 'abort'), work()]);
      socket.off('close', end);
    });
    turn.count -= 1;
  }
}
