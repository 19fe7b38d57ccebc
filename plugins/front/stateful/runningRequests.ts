import type { Cancellation } from 'pegboard';
import { InFlight } from '../../kit/limits/inFlight.ts';
import type { MessageId } from '../message/codec.ts';

interface Running {
  readonly number: number;
  readonly sessionId: string;
  readonly id: MessageId;
  readonly cancel: Cancellation;
  /** Its client, or the end of its session, has cancelled it: no answer is due. */
  isWithdrawn: boolean;
}
export interface RunningRequest {
  isWithdrawn(): boolean;
  ended(): void;
}

/** Running requests, so that a client can cancel them. */
export class RunningRequests {
  readonly #running = new InFlight<Running>();

  add(sessionId: string, id: MessageId, cancel: Cancellation): RunningRequest {
    const running = this.#running.add((own) => ({ number: own, sessionId, id, cancel, isWithdrawn: false }));
    return {
      isWithdrawn: () => running.isWithdrawn,
      ended: () => void this.#running.delete(running.number),
    };
  }

  /** Cancels the request with that id; of two with one id, the older. @returns whether it runs here */
  cancel(sessionId: string, id: unknown, reason: string): boolean {
    const found = this.#of(sessionId).find((running) => running.id === id);
    if (found === undefined) return false;
    withdraw(found, reason);
    return true;
  }

  cancelAll(sessionId: string, reason: string): void {
    for (const running of this.#of(sessionId)) withdraw(running, reason);
  }

  #of(sessionId: string): readonly Running[] {
    return this.#running.values().filter((running) => running.sessionId === sessionId);
  }
}

function withdraw(running: Running, reason: string): void {
  running.isWithdrawn = true;
  running.cancel.cancel(reason);
}
