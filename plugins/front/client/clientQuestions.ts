import { randomBytes } from 'node:crypto';
import { GatewayError } from 'pegboard';
import type { Cancellation, ClientAnswer, JsonObject, Question } from 'pegboard';
import type { OpenQuestion } from '../../contracts/sessions.ts';
import { writeNotification } from '../message/codec.ts';

interface Asked {
  readonly method: string;
  readonly since: number;
  readonly settle: (answer: ClientAnswer) => void;
  readonly end: (reason: string) => void;
  readonly progress: Question['progress'];
  lastProgress: number;
}

const UNREACHABLE = 'its client has no connection left';

/** Unanswered requests to clients. An answer counts only if it comes from the session that was asked. */
export class ClientQuestions {
  /** Random, so that another process, or this one after a restart, does not accept the answer as its own. */
  readonly #prefix = randomBytes(6).toString('base64url');
  readonly #maxPerSession: () => number;
  readonly #bySession = new Map<string, Map<string, Asked>>();
  #lastId = 0;

  constructor(maxPerSession: () => number) {
    this.#maxPerSession = maxPerSession;
  }

  /** @param send to the client; returns false if the client cannot be reached
   *  @throws GatewayError TOOL_CANCELLED; REQUEST_FORBIDDEN if too many questions wait */
  ask(
    sessionId: string,
    { method, params, progress }: Question,
    {
      cancel,
      send,
    }: { readonly cancel: Cancellation; readonly send: (json: string, id?: string) => boolean },
  ): Promise<ClientAnswer> {
    const waiting = this.#bySession.get(sessionId) ?? new Map<string, Asked>();
    const max = this.#maxPerSession();
    if (waiting.size >= max) {
      return Promise.reject(tooManyQuestions(max));
    }
    const id = `${this.#prefix}-${++this.#lastId}`;
    this.#bySession.set(sessionId, waiting);
    return new Promise((resolve, reject) => {
      let stopListening = (): void => undefined;
      const forget = (): void => {
        stopListening();
        waiting.delete(id);
        if (waiting.size === 0) this.#bySession.delete(sessionId);
      };
      const end = (reason: string): void => {
        forget();
        reject(takenBack(reason));
      };
      waiting.set(id, {
        method,
        since: Date.now(),
        settle: (answer) => {
          forget();
          resolve(answer);
        },
        end,
        progress,
        lastProgress: -Infinity,
      });
      const json = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
      if (!send(json, id)) {
        end(UNREACHABLE);
        return;
      }
      stopListening = cancel.onCancel((reason) => {
        send(writeNotification('notifications/cancelled', { requestId: id, reason }));
        end(reason);
      });
    });
  }

  /** @returns whether the question was asked here */
  answered(sessionId: string, id: unknown, answer: ClientAnswer): boolean {
    const asked = this.#bySession.get(sessionId)?.get(id as string);
    asked?.settle(answer);
    return asked !== undefined;
  }

  /** Those that the session's client has not answered yet. */
  of(sessionId: string): readonly OpenQuestion[] {
    return [...(this.#bySession.get(sessionId)?.values() ?? [])].map(({ method, since }) => ({
      method,
      since,
    }));
  }

  /** Ends a question that no process could send. */
  unsent(sessionId: string, id: string): void {
    this.#bySession.get(sessionId)?.get(id)?.end(UNREACHABLE);
  }

  /** Forwards rising progress on an open question; ignored if two servers chose the same token, as it is ambiguous.
   *  @param params of `notifications/progress` @returns whether the question was asked here */
  progressed(sessionId: string, { progressToken, progress, total, message }: JsonObject): boolean {
    const all = [...(this.#bySession.get(sessionId)?.values() ?? [])];
    const [asked, another] = all.filter((one) => one.progress?.token === progressToken);
    if (asked?.progress === undefined || another !== undefined) return asked !== undefined;
    if (typeof progress !== 'number' || !(progress > asked.lastProgress)) return true;
    asked.lastProgress = progress;
    asked.progress.tell({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
    return true;
  }

  /** Ends the questions of a session that has ended. */
  drop(sessionId: string): void {
    for (const { end } of [...(this.#bySession.get(sessionId)?.values() ?? [])]) end('the session ended');
  }
}

export function tooManyQuestions(waiting: number): GatewayError {
  const text = `${waiting} questions wait for this client's answer already`;
  return new GatewayError('REQUEST_FORBIDDEN', text);
}

export function takenBack(reason: string): GatewayError {
  return new GatewayError('TOOL_CANCELLED', `the question was withdrawn: ${reason}`);
}
