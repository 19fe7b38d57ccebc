import type { Cancellation } from 'pegboard';
import type { MessageId } from './codec.ts';

/** Requests under way, so that a client can cancel them; empty for an idle session. */
export class RunningRequests {
  readonly #bySession = new Map<string, Map<MessageId | symbol, Cancellation>>();

  /** @returns the function to call when the request has ended */
  add(sessionId: string, id: MessageId, cancel: Cancellation): () => void {
    let running = this.#bySession.get(sessionId);
    if (running === undefined) {
      running = new Map();
      this.#bySession.set(sessionId, running);
    }
    // A second one of that id cannot be cancelled by it, but ends with its session.
    const key = running.has(id) ? Symbol('again') : id;
    running.set(key, cancel);
    return () => {
      running.delete(key);
      if (running.size === 0 && this.#bySession.get(sessionId) === running) this.#bySession.delete(sessionId);
    };
  }

  cancel(sessionId: string, id: unknown, reason: string): void {
    this.#bySession
      .get(sessionId)
      ?.get(id as MessageId)
      ?.cancel(reason);
  }

  cancelAll(sessionId: string, reason: string): void {
    for (const cancel of this.#bySession.get(sessionId)?.values() ?? []) cancel.cancel(reason);
  }
}
