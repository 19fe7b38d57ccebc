import { ToolTable } from 'pegboard';
import { McpLogSource } from '../../upstream/contract.ts';
import type { Cancellation, Client, ClientAnswer, McpLogLevel, Question, Scope } from 'pegboard';
import type { Session } from '../contract.ts';
import { writeNotification } from '../message/codec.ts';
import { Audience } from './audience.ts';
import type { FrontConfig } from '../config.ts';
import { LogLevels } from './logLevels.ts';
import type { Outlets } from './outlets.ts';
import { Questions } from './questions.ts';
import type { Siblings } from './siblings.ts';
import { Subscriptions } from './subscriptions.ts';

/** Within it, the process that has a session's stream says that it has sent a question. */
const RECEIPT_MS = 2_000;

/** Messages from servers to clients besides answers: log messages, resource updates, questions. */
export class Relay {
  readonly levels: LogLevels;
  readonly subscriptions: Subscriptions;
  readonly questions: Questions;
  readonly outlets: Outlets;
  readonly audience: Audience;
  readonly siblings: Siblings;
  /** Questions that another process may have sent. */
  readonly #unconfirmed = new Map<string, NodeJS.Timeout>();

  constructor(scope: Scope<FrontConfig>, outlets: Outlets, siblings: Siblings) {
    this.siblings = siblings;
    this.audience = new Audience(() => scope.get(ToolTable));
    this.outlets = outlets;
    this.levels = new LogLevels(
      () => scope.config.maxLoggingSessions,
      (least) => {
        for (const source of scope.all(McpLogSource)) source.want(least);
      },
    );
    this.subscriptions = new Subscriptions({
      limits: () => scope.config,
      tell: (id, uri) => this.tell(id, writeNotification('notifications/resources/updated', { uri })),
    });
    this.questions = new Questions(() => scope.config.maxQuestions);
    scope.each(McpLogSource, (source) => {
      if (this.levels.least !== undefined) source.want(this.levels.least);
      return source.follow((level, params, server) => {
        const wants = (id: string): boolean => this.levels.wants(id, level);
        return outlets.tellAll(
          logMessage(params),
          (id, request) => wants(id) && this.audience.sees(request, server),
        );
      });
    });
  }

  /** Writes to the session's standing stream, wherever it is. @param question id of the request that the message asks
   *  @returns false if there is certainly no such stream */
  tell(sessionId: string, json: string, question?: string): boolean {
    if (this.outlets.tell(sessionId, json)) return true;
    const asked = question === undefined ? {} : { question };
    if (!this.siblings.send({ kind: 'tell', sessionId, json, ...asked })) return false;
    if (question === undefined) return true;
    const timer = setTimeout(() => {
      this.#unconfirmed.delete(question);
      this.questions.unsent(sessionId, question);
    }, RECEIPT_MS);
    this.#unconfirmed.set(question, timer);
    return true;
  }

  /** Another process has the session's stream. */
  reached(sessionId: string, question = ''): void {
    this.subscriptions.reached(sessionId);
    clearTimeout(this.#unconfirmed.get(question));
    this.#unconfirmed.delete(question);
  }

  stop(): void {
    this.subscriptions.stop();
    for (const timer of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
  }

  drop({ id }: Pick<Session, 'id'>): void {
    this.levels.drop(id);
    this.subscriptions.drop(id);
    this.questions.drop(id);
  }

  /** Removes levels and subscriptions that no client can receive.
   *  @param time ms since the epoch: sessions that began earlier have expired */
  sweep(time: number): void {
    this.levels.dropBefore(time);
    this.subscriptions.dropUnreachable((id) => {
      if (this.outlets.has(id)) return true;
      this.siblings.send({ kind: 'seek', sessionId: id });
      return false;
    });
  }
}

/** The client of one request: until the request is answered, messages precede its answer; then they use the standing stream. */
export class SessionClient implements Client {
  readonly hasSession = true;
  readonly #relay: Relay;
  readonly #session: Session;
  readonly #before: (json: string) => boolean;
  #isOpen = true;

  constructor(relay: Relay, session: Session, before: (json: string) => boolean) {
    this.#relay = relay;
    this.#session = session;
    this.#before = before;
  }

  get id(): string {
    return this.#session.id;
  }
  get capabilities(): Session['capabilities'] {
    return this.#session.capabilities;
  }

  log(level: McpLogLevel, params: string): void {
    if (this.#relay.levels.wants(this.id, level)) this.#send(logMessage(params));
  }
  tell(method: string, params: string): boolean {
    return this.#send(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`);
  }
  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer> {
    return this.#relay.questions.ask(this.id, question, { cancel, send: (json, id) => this.#send(json, id) });
  }

  /** The request is answered. */
  close(): void {
    this.#isOpen = false;
  }

  #send(json: string, question?: string): boolean {
    return (this.#isOpen && this.#before(json)) || this.#relay.tell(this.id, json, question);
  }
}

/** @param params JSON text */
export function logMessage(params: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`;
}
