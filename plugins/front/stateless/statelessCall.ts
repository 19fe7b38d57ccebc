import { setImmediate as nextTurn } from 'node:timers/promises';
import { Cancellation, LOG_LEVELS } from 'pegboard';
import type { Client, ClientAnswer, JsonObject, McpLogLevel, Progress, Question } from 'pegboard';
import type { StatelessSink } from '../../contracts/mcp.ts';
import { progressFor } from '../client/progressFor.ts';
import type { ToldProgress } from '../client/progressFor.ts';
import type { QuestionCounts } from '../client/questionCounts.ts';
import { takenBack, tooManyQuestions } from '../client/clientQuestions.ts';
import { logMessage } from '../client/relay.ts';
import type { Envelope } from './envelope.ts';

type Outcome =
  { readonly kind: 'result'; readonly json: string } | { readonly kind: 'failure'; readonly thrown: unknown };
/** The possible answers to the waiting request. */
export type Next = Outcome | { readonly kind: 'questions'; readonly requests: ReadonlyMap<string, string> };

interface Asked {
  /** Method and params of the request, as this revision has them. */
  readonly json: string;
  readonly settle: (answer: ClientAnswer) => void;
  readonly takeBack: (reason: string) => void;
}
export interface CallParts {
  /** Equal for all calls of one client; see `clientIdOf`. */
  readonly id: string;
  /** The kinds of question that its client accepts. */
  readonly capabilities: JsonObject;
  readonly program: string;
  /** How many questions may wait for its client at a time. */
  readonly maxQuestions: number;
  /** Why it cannot wait for its client now; undefined if it can. */
  readonly noWait: () => string | undefined;
  readonly counts: QuestionCounts;
  /** Runs the request. @returns the result as JSON text */
  readonly work: (call: StatelessCall) => Promise<string>;
}

/** A request that waits for the call's next answer. */
export interface Waiting {
  readonly params: JsonObject;
  readonly logLevel: Envelope['logLevel'];
  readonly sink: StatelessSink;
}
const CALL_OVER = 'the call is over';

/** One call, over as many requests as servers have questions; a question of its server is shown in it. */
export class StatelessCall implements Client {
  readonly id: string;
  readonly hasSession = false;
  readonly capabilities: JsonObject;
  readonly program: string;
  /** The random owner of what the call has stored, if its client cannot know it. */
  oneTimeOwner: string | undefined;
  readonly cancel = new Cancellation();
  readonly #parts: Pick<CallParts, 'maxQuestions' | 'noWait' | 'counts'>;
  readonly #asked = new Map<string, Asked>();
  /** Undefined once it has begun. */
  #work: CallParts['work'] | undefined;
  #isOver = false;
  #lastKey = 0;
  #sink: StatelessSink | undefined;
  #logLevel: Envelope['logLevel'];
  #progress: ToldProgress | undefined;
  #outcome: Outcome | undefined;
  #wake = (): void => undefined;

  constructor({ id, capabilities, program, work, maxQuestions, noWait, counts }: CallParts) {
    this.id = id;
    this.capabilities = capabilities;
    this.program = program;
    this.#parts = { maxQuestions, noWait, counts };
    this.#work = work;
    this.cancel.onCancel((reason) => this.#takeBack(reason));
  }

  /** Answers one request of its client; messages sent meanwhile precede that answer. The first request begins the work. */
  async next({ params, logLevel, sink }: Waiting): Promise<Next> {
    this.#sink = sink;
    this.#logLevel = logLevel;
    this.#progress = progressFor(params, (json) => sink.before(json));
    sink.onLeave(() => this.cancel.cancel('its client left'));
    if (this.#work !== undefined) this.#begin(this.#work);
    try {
      for (;;) {
        // Questions asked in the same turn are sent together.
        if (this.#asked.size > 0) await nextTurn();
        const outcome = this.#outcome;
        // Objects that still refer to this client must not retain its result.
        this.#outcome = undefined;
        if (outcome !== undefined) {
          this.#takeBack(CALL_OVER);
          return outcome;
        }
        const noWait = this.#asked.size > 0 ? this.#parts.noWait() : undefined;
        if (noWait !== undefined) this.#takeBack(noWait);
        if (this.#asked.size > 0) return { kind: 'questions', requests: this.#requests() };
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#progress?.end();
      this.#progress = undefined;
      this.#sink = undefined;
    }
  }

  /** Takes the client's answers by the keys of the questions; a question without an answer stays open. */
  answered(answerTo: (key: string) => string | undefined): void {
    for (const [key, { settle }] of [...this.#asked]) {
      const json = answerTo(key);
      if (json !== undefined) settle({ kind: 'result', json });
    }
  }

  get endsLogs(): boolean {
    return this.#logLevel !== undefined;
  }

  tellProgress(update: Progress): void {
    this.#progress?.tell(update);
  }

  log(level: McpLogLevel, params: string): void {
    const logLevel = this.#logLevel;
    if (logLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
    this.#sink?.before(logMessage(params));
  }

  /** Sends nothing: the only server notifications of a call in this revision are log messages and progress. */
  tell(): boolean {
    return false;
  }

  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer> {
    return this.#parts.counts.follow(question, this.#ask(question, cancel));
  }

  #ask({ method, params }: Question, cancel: Cancellation): Promise<ClientAnswer> {
    const { size } = this.#asked;
    if (size >= this.#parts.maxQuestions) return Promise.reject(tooManyQuestions(size));
    const over = this.cancel.reason ?? (this.#isOver ? CALL_OVER : undefined);
    if (over !== undefined) return Promise.reject(takenBack(over));
    const key = `question${++this.#lastKey}`;
    return new Promise((resolve, reject) => {
      let stopListening = (): void => undefined;
      const forget = (): void => {
        stopListening();
        this.#asked.delete(key);
      };
      const takeBack = (reason: string): void => {
        forget();
        reject(takenBack(reason));
      };
      const settle = (answer: ClientAnswer): void => {
        forget();
        resolve(answer);
      };
      this.#asked.set(key, { json: `{"method":"${method}","params":${params}}`, settle, takeBack });
      stopListening = cancel.onCancel(takeBack);
      this.#wake();
    });
  }

  /** Withdraws all open questions. */
  #takeBack(reason: string): void {
    for (const { takeBack } of [...this.#asked.values()]) takeBack(reason);
  }

  #begin(work: CallParts['work']): void {
    this.#work = undefined;
    const settled = (outcome: Outcome): void => {
      this.#isOver = true;
      this.#outcome = outcome;
      // What its client was already shown may concern another of its calls: the answer still counts.
      if (this.#sink !== undefined) this.#takeBack(CALL_OVER);
      this.#wake();
    };
    work(this).then(
      (json) => settled({ kind: 'result', json }),
      (thrown: unknown) => settled({ kind: 'failure', thrown }),
    );
  }

  #requests(): ReadonlyMap<string, string> {
    return new Map([...this.#asked].map(([key, { json }]) => [key, json]));
  }
}
