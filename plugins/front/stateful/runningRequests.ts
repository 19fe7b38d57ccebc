import { InFlight } from 'pegboard';
import type { Cancellation } from 'pegboard';
import type { MessageId } from '../message/codec.ts';

interface Running {
  readonly number: number;
  readonly sessionId: string;
  readonly id: MessageId;
  readonly cancel: Cancellation;
}

/** Running requests, so that a client can cancel them. */
export class RunningRequests {
  readonly #running = new InFlight<Running>();

  /** @returns the function to call when the request has ended */
  add(sessionId: string, id: MessageId, cancel: Cancellation): () => void {
    const { number } = this.#running.add((own) => ({ number: own, sessionId, id, cancel }));
    return () => void this.#running.delete(number);
  }

  /** Cancels the request with that id; of two with one id, the older. @returns whether it runs here */
  cancel(sessionId: string, id: unknown, reason: string): boolean {
    const found = this.#of(sessionId).find((running) => running.id === id);
    found?.cancel.cancel(reason);
    return found !== undefined;
  }

  cancelAll(sessionId: string, reason: string): void {
    for (const { cancel } of this.#of(sessionId)) cancel.cancel(reason);
  }

  #of(sessionId: string): readonly Running[] {
    return this.#running.values().filter((running) => running.sessionId === sessionId);
  }
}
