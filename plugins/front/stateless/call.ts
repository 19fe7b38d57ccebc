import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Cancellation, GatewayError, LOG_LEVELS } from 'pegboard';
import type {
  Client,
  ClientAnswer,
  JsonObject,
  McpLogLevel,
  Progress,
  Question,
  StatelessSink,
} from 'pegboard';
import { progressFor } from '../progress.ts';
import type { ToldProgress } from '../progress.ts';
import type { Envelope } from './envelope.ts';

type Outcome =
  { readonly kind: 'result'; readonly json: string } | { readonly kind: 'failure'; readonly thrown: unknown };
/** What the request that waits can be answered with. */
export type Next = Outcome | { readonly kind: 'questions'; readonly requests: ReadonlyMap<string, string> };

interface Asked {
  /** The request as this revision has it: method and params. */
  readonly json: string;
  readonly settle: (answer: ClientAnswer) => void;
}
export interface CallParts {
  readonly envelope: Envelope;
  /** How many questions may wait for its client at a time. */
  readonly maxQuestions: number;
  /** Shared by the calls of one client, where that is known. */
  readonly id: string | undefined;
  /** Does it. @returns the result as JSON text */
  readonly work: (call: StatelessCall) => Promise<string>;
}

/** One call and its client, over as many requests as servers have questions. */
export class StatelessCall implements Client {
  readonly id: string;
  readonly capabilities: JsonObject;
  readonly cancel = new Cancellation();
  readonly #parts: CallParts;
  readonly #asked = new Map<string, Asked>();
  #isBegun = false;
  #lastKey = 0;
  #sink: StatelessSink | undefined;
  #progress: ToldProgress | undefined;
  #outcome: Outcome | undefined;
  #wake = (): void => undefined;

  constructor(parts: CallParts) {
    this.id = parts.id ?? randomUUID();
    this.capabilities = parts.envelope.capabilities;
    this.#parts = parts;
  }

  /** A request of its client that waits for the answer: what is said meanwhile goes there. The first one begins it. */
  async next(params: JsonObject, sink: StatelessSink): Promise<Next> {
    this.#sink = sink;
    this.#progress = progressFor(params, (json) => sink.before(json));
    sink.onLeave(() => this.cancel.cancel('its client left'));
    if (!this.#isBegun) this.#begin();
    try {
      for (;;) {
        // Questions that are asked together go out together.
        if (this.#asked.size > 0) await nextTurn();
        const outcome = this.#outcome;
        if (outcome !== undefined) return outcome;
        if (this.#asked.size > 0) return { kind: 'questions', requests: this.#requests() };
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#progress?.end();
      this.#progress = undefined;
      this.#sink = undefined;
    }
  }

  /** What its client answers, by the questions' keys; a question without an answer stays open. */
  answered(answerTo: (key: string) => string | undefined): void {
    for (const [key, { settle }] of [...this.#asked]) {
      const json = answerTo(key);
      if (json !== undefined) settle({ kind: 'result', json });
    }
  }

  tellProgress(update: Progress): void {
    this.#progress?.tell(update);
  }

  log(level: McpLogLevel, params: string): void {
    const { logLevel } = this.#parts.envelope;
    if (logLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
    this.tell('notifications/message', params);
  }

  tell(method: string, params: string): boolean {
    this.#sink?.before(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`);
    return this.#sink !== undefined;
  }

  ask({ method, params }: Question, cancel: Cancellation): Promise<ClientAnswer> {
    if (this.#asked.size >= this.#parts.maxQuestions) {
      const text = `${this.#asked.size} questions wait for this client's answer already`;
      return Promise.reject(new GatewayError('REQUEST_FORBIDDEN', text));
    }
    const key = `question${++this.#lastKey}`;
    const rest = params === undefined ? '' : `,"params":${params}`;
    return new Promise((resolve, reject) => {
      let stopListening = (): void => undefined;
      const settle = (answer: ClientAnswer): void => {
        stopListening();
        this.#asked.delete(key);
        resolve(answer);
      };
      this.#asked.set(key, { json: `{"method":"${method}"${rest}}`, settle });
      stopListening = cancel.onCancel((reason) => {
        this.#asked.delete(key);
        reject(new GatewayError('TOOL_CANCELLED', `the question was taken back: ${reason}`));
      });
      this.#wake();
    });
  }

  #begin(): void {
    this.#isBegun = true;
    const settled = (outcome: Outcome): void => {
      this.#outcome = outcome;
      this.#wake();
    };
    this.#parts.work(this).then(
      (json) => settled({ kind: 'result', json }),
      (thrown: unknown) => settled({ kind: 'failure', thrown }),
    );
  }

  #requests(): ReadonlyMap<string, string> {
    return new Map([...this.#asked].map(([key, { json }]) => [key, json]));
  }
}
