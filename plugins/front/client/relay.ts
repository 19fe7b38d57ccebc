import { ToolTable } from 'pegboard';
import type { Cancellation, Client, ClientAnswer, JsonObject, McpLogLevel, Question, Scope } from 'pegboard';
import { McpLogSource } from '../../contracts/mcp.ts';
import type { Outlet } from '../../contracts/mcp.ts';
import { SharedTable } from '../../kit/vault/sharedTable.ts';
import type { Session } from '../../contracts/sessions.ts';
import { notificationText, writeNotification } from '../message/codec.ts';
import { VisibleServers } from './visibleServers.ts';
import type { FrontConfig } from '../config.ts';
import { LogLevels } from './logLevels.ts';
import type { Outlets } from './outlets.ts';
import { QuestionCounts } from './questionCounts.ts';
import { ClientQuestions } from './clientQuestions.ts';
import type { SiblingMessage, Siblings } from './siblings.ts';
import { Subscriptions } from './subscriptions.ts';
import { WatchedResources } from './watchedResources.ts';

/** Time within which the process that has a session's stream says that it has sent a question. */
const RECEIPT_MS = 2_000;

interface SetLevel extends JsonObject {
  readonly level: McpLogLevel;
  readonly createdAt: number;
}
type LogMessage = Omit<Extract<SiblingMessage, { kind: 'log' }>, 'kind'>;

/** Time within which several processes report a change of a server that they share; the client is notified once. */
const COLLECT_MS = 250;

/** Messages from servers to clients besides answers: log messages, resource updates, questions. */
export class Relay {
  readonly levels: LogLevels;
  readonly watched: WatchedResources;
  readonly questions: ClientQuestions;
  readonly questionCounts = new QuestionCounts();
  readonly outlets: Outlets;
  readonly audience: VisibleServers;
  readonly siblings: Siblings;
  readonly #scope: Scope<FrontConfig>;
  readonly #subscriptions: Subscriptions;
  /** The levels at all processes: calls and streams of a session may be at any of them. */
  readonly #setLevels: SharedTable<SetLevel>;
  /** Questions that another process may have sent. */
  readonly #unconfirmed = new Map<string, NodeJS.Timeout>();

  constructor(scope: Scope<FrontConfig>, outlets: Outlets, siblings: Siblings) {
    this.#scope = scope;
    this.siblings = siblings;
    this.audience = new VisibleServers(() => scope.get(ToolTable));
    this.outlets = outlets;
    this.levels = new LogLevels(
      () => scope.config.maxLoggingSessions,
      (least) => {
        for (const source of scope.all(McpLogSource)) source.want(least);
      },
    );
    this.#setLevels = new SharedTable<SetLevel>(scope, {
      name: 'log-level',
      max: () => scope.config.maxLoggingSessions,
      added: (id, { level, createdAt }) => this.levels.set({ id, createdAt }, level),
      removed: (id) => this.levels.drop(id),
    });
    this.#subscriptions = new Subscriptions(
      () => scope.config,
      (id, uri) => {
        if (!outlets.tell(id, resourceUpdated(uri))) siblings.send({ kind: 'updated', sessionId: id, uri });
      },
      (id) => (this.watched.isShared && outlets.has(id) ? COLLECT_MS : 0),
    );
    this.watched = new WatchedResources(scope, this.#subscriptions, outlets);
    this.questions = new ClientQuestions(() => scope.config.maxQuestions);
    scope.each(McpLogSource, (source) => {
      if (this.levels.least !== undefined) source.want(this.levels.least);
      return source.follow((level, params, server) => {
        const message = { level, params, server };
        const isElsewhere =
          this.#setLevels.isShared && this.levels.wantedElsewhere(level, (id) => !outlets.has(id));
        const isSent = isElsewhere && siblings.send({ kind: 'log', ...message });
        return this.tellLog(message) + (isSent ? 1 : 0);
      });
    });
  }

  /** Writes a log message to the standing streams here of the sessions that want it. @returns their number */
  tellLog({ level, params, server }: LogMessage): number {
    return this.outlets.tellAll(
      logMessage(params),
      (id, request) => this.levels.wants(id, level) && this.audience.sees(request, server),
    );
  }

  /** A server of another process has changed a resource that the session watches. */
  updatedElsewhere(sessionId: string, uri: string): void {
    if (!this.outlets.has(sessionId) || this.#subscriptions.updated(sessionId, uri)) return;
    this.outlets.tell(sessionId, resourceUpdated(uri));
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  setLevel({ id, createdAt }: Session, level: McpLogLevel): Promise<void> {
    const leftMs = createdAt + this.#scope.config.sessionTtlSeconds * 1_000 - Date.now();
    return this.#setLevels.set(id, { level, createdAt }, leftMs / 1_000);
  }

  attach(session: Session, outlet: Outlet): () => void {
    const { id } = session;
    const detach = this.outlets.add(session, outlet);
    this.siblings.send({ kind: 'attached', sessionId: id });
    this.watched.attached(id, outlet.hasMissed === true, (uri) => outlet.write(resourceUpdated(uri)));
    return detach;
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

  /** Another process has sent the question. */
  confirmed(question: string): void {
    clearTimeout(this.#unconfirmed.get(question));
    this.#unconfirmed.delete(question);
  }

  stop(): void {
    this.#subscriptions.stop();
    for (const timer of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
  }

  drop({ id }: Pick<Session, 'id'>): void {
    this.#setLevels.delete(id);
    this.watched.drop(id);
    this.questions.drop(id);
  }

  /** Removes levels and subscriptions that no client can receive.
   *  @param time ms since the epoch: sessions that began earlier have expired */
  sweep(time: number): void {
    for (const [id, { createdAt }] of [...this.#setLevels.entries])
      if (createdAt < time) this.#setLevels.delete(id);
    this.levels.dropBefore(time);
    this.watched.sweep();
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
  get program(): string | undefined {
    return this.#session.program;
  }

  log(level: McpLogLevel, params: string): void {
    if (this.#relay.levels.wants(this.id, level)) this.#send(logMessage(params));
  }
  tell(method: string, params: string): boolean {
    return this.#send(notificationText(method, params));
  }
  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer> {
    const { questions, questionCounts } = this.#relay;
    const send = (json: string, id?: string): boolean => this.#send(json, id);
    return questionCounts.follow(question, questions.ask(this.id, question, { cancel, send }));
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
  return notificationText('notifications/message', params);
}

function resourceUpdated(uri: string): string {
  return writeNotification('notifications/resources/updated', { uri });
}
