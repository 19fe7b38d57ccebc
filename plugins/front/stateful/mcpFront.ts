import { Cancellation } from 'pegboard';
import type { CallOptions, ClientAnswer, InboundRequest, Scope } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { rawMember } from '../../kit/text/rawJson.ts';
import type { Tally } from '../../kit/metrics/tally.ts';
import type { Front, Outlet, Sink } from '../../contracts/mcp.ts';
import type { Session } from '../../contracts/sessions.ts';
import {
  CodecError,
  RPC,
  notificationText,
  decodeBody,
  writeError,
  writeFailure,
  writeResult,
} from '../message/codec.ts';
import type { Message, MessageId } from '../message/codec.ts';
import { beginRequest } from '../message/beginRequest.ts';
import { questionsOf } from '../message/questionsOf.ts';
import type { FrontConfig } from '../config.ts';
import { CAPABILITIES, instructionsFor, SERVER_INFO } from '../methods/introduction.ts';
import type { Method, SessionContext } from '../methods/method.ts';
import { progressFor } from '../client/progressFor.ts';
import { SessionClient } from '../client/relay.ts';
import type { Relay } from '../client/relay.ts';
import { REVISIONS, hasBatches, negotiatedRevision } from '../message/revisions.ts';
import { RunningRequests } from './runningRequests.ts';
import type { End } from '../session/endedSessions.ts';
import type { SeenSessions } from '../session/seenSessions.ts';
import type { Sessions } from '../session/sessions.ts';
import { unknownMethod } from '../message/unknownMethod.ts';
import { watchingMethods } from '../methods/watchingMethods.ts';

type Request = Message & { readonly kind: 'request' };
type Response = Message & { readonly kind: 'response' };
interface Hop {
  readonly request: InboundRequest;
  readonly session: Session;
  readonly sink: Pick<Sink, 'before'>;
}

/** The answer to one request, or the answer for a request that its client has cancelled. */
type Answer = { readonly json: string } | { readonly cancelled: string };

export interface FrontParts {
  readonly sessions: () => Sessions;
  /** The methods that all revisions share. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly relay: Relay;
  readonly seen: SeenSessions;
  /** Counts sessions by transport and revision. */
  readonly opened: Tally;
}

/** The MCP interface up to revision 2025-11-25: JSON-RPC in, kernel calls, JSON-RPC out. */
export class McpFront implements Front {
  readonly revisions = REVISIONS;
  readonly #scope: Scope<FrontConfig>;
  readonly #sessions: () => Sessions;
  readonly #methods: ReadonlyMap<string, Method<SessionContext>>;
  readonly #running = new RunningRequests();
  readonly #relay: Relay;
  readonly #seen: SeenSessions;
  readonly #opened: Tally;

  constructor(scope: Scope<FrontConfig>, { sessions, methods, relay, seen, opened }: FrontParts) {
    this.#opened = opened;
    this.#scope = scope;
    this.#sessions = sessions;
    this.#relay = relay;
    this.#seen = seen;
    const watching = watchingMethods(relay);
    this.#methods = new Map<string, Method<SessionContext>>([['ping', () => '{}'], ...methods, ...watching]);
  }

  resume(handle: string, request: InboundRequest): Session | undefined {
    return this.#sessions().resume(handle, request);
  }

  async end(session: Session): Promise<void> {
    const ended = this.#sessions().end(session);
    this.abandon(session);
    await ended;
  }

  /** What another process says about its sessions, which may have parts here. */
  listen(ended: (end: End) => void, gap: () => void): void {
    const { questions, outlets, siblings } = this.#relay;
    siblings.listen(
      {
        ended: ({ sessionId, createdAt, owner }) => ended({ id: sessionId, createdAt, owner }),
        cancel: ({ sessionId, requestId, reason }) => this.#running.cancel(sessionId, requestId, reason),
        answer: ({ sessionId, id, answer }) => questions.answered(sessionId, id, answer),
        progress: ({ sessionId, params }) => questions.progressed(sessionId, params),
        tell: ({ sessionId, json, question }) => {
          if (outlets.tell(sessionId, json) && question !== undefined)
            siblings.send({ kind: 'sent', sessionId, question });
        },
        sent: ({ question }) => this.#relay.confirmed(question),
        updated: ({ sessionId, uri }) => this.#relay.updatedElsewhere(sessionId, uri),
        attached: ({ sessionId }) => outlets.drop({ id: sessionId }),
        log: (message) => void this.#relay.tellLog(message),
      },
      gap,
    );
  }

  /** Another process has ended the session. */
  endedElsewhere(id: string): void {
    this.#relay.outlets.end(id);
    this.#drop({ id });
  }

  abandon(session: Session): void {
    this.#sessions().forget(session);
    this.#drop(session);
  }

  #drop(session: Pick<Session, 'id'>): void {
    this.#running.cancelAll(session.id, 'the session ended');
    this.#relay.outlets.drop(session);
    this.#relay.drop(session);
    this.#seen.delete(session.id);
    this.#scope.emit({ type: 'session.ended', sessionId: session.id });
  }

  /** Ends expired sessions and what they subscribed to; clients often leave without ending them. */
  sweep(): void {
    const oldest = Date.now() - this.#scope.config.sessionTtlSeconds * 1_000;
    for (const { session, outlet } of this.#relay.outlets.begunBefore(oldest)) {
      this.abandon(session);
      outlet.end?.();
    }
    this.#relay.sweep(oldest);
    this.#seen.dropBefore(oldest);
  }

  attach(session: Session, outlet: Outlet): () => void {
    return this.#relay.attach(session, outlet);
  }

  tell(sessionId: string, method: string, params: string): boolean {
    return this.#relay.tell(sessionId, notificationText(method, params));
  }

  holds(sessionId: string): boolean {
    return this.#relay.outlets.has(sessionId);
  }

  receive(text: string, request: InboundRequest, session: Session | undefined, sink: Sink): void {
    try {
      if (session !== undefined) this.#seen.used(session, request);
      const body = decodeBody(text, this.#scope.config);
      if (session === undefined) this.#initialize(body.batch ? undefined : body.message, request, sink);
      else if (body.batch) this.#batch(body.messages, { request, session, sink }, sink);
      else if (body.message.kind === 'response') this.#answered(body.message, session, text, sink);
      else this.#single(body.message, { request, session, sink }, sink);
    } catch (error) {
      const refusal =
        error instanceof CodecError
          ? error
          : new CodecError(
              RPC.internal,
              internalErrorText('call failed', error, this.#scope.log.child({ request: request.id })),
            );
      sink.answer(writeError(refusal.id, refusal.rpcCode, refusal.message), { refused: true });
    }
  }

  #initialize(message: Message | undefined, request: InboundRequest, sink: Sink): void {
    if (message?.kind !== 'request' || message.method !== 'initialize') {
      throw new CodecError(
        RPC.refused,
        'there is no session: send initialize first, then its Mcp-Session-Id with every request',
        message?.kind === 'request' ? message.id : null,
      );
    }
    const { protocolVersion, capabilities, clientInfo } = message.params;
    if (typeof protocolVersion !== 'string') {
      throw new CodecError(RPC.invalidParams, 'params.protocolVersion must be a string', message.id);
    }
    const revision = negotiatedRevision(protocolVersion);
    const { span } = beginRequest(this.#scope, message, { request, revision });
    const session = this.#sessions().open(revision, questionsOf(capabilities), request, clientInfo);
    this.#seen.opened(session, request, clientInfo);
    this.#scope.emit({ type: 'session.opened', sessionId: session.id });
    this.#opened.add({ transport: request.transport, revision });
    const result = {
      protocolVersion: revision,
      capabilities: CAPABILITIES,
      serverInfo: SERVER_INFO,
      instructions: instructionsFor(request, this.#scope, this.#relay.audience),
    };
    span?.end({});
    sink.answer(writeResult(message.id, JSON.stringify(result)), { refused: false, opened: session.handle });
  }

  #single(message: Message, hop: Hop, sink: Sink): void {
    if (message.kind !== 'request') {
      this.#notice(message, hop.session);
      sink.answer(undefined, { refused: false });
      return;
    }
    if (message.method === 'initialize')
      throw new CodecError(RPC.invalidRequest, 'the session is initialized already', message.id);
    void this.#answer(message, hop).then((answer) => give(sink, answer));
  }

  #batch(messages: readonly Message[], hop: Hop, sink: Sink): void {
    if (!hasBatches(hop.session.revision)) {
      const text = `revision ${hop.session.revision} has no batches; send one message per request`;
      throw new CodecError(RPC.invalidRequest, text);
    }
    if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
      throw new CodecError(RPC.invalidRequest, 'initialize cannot be part of a batch');
    }
    const answers: Promise<Answer>[] = [];
    for (const message of messages) {
      if (message.kind === 'request') answers.push(this.#answer(message, hop));
      else this.#notice(message, hop.session);
    }
    void Promise.all(answers).then((all) => {
      const owed = all.flatMap((answer) => ('json' in answer ? answer.json : []));
      const cancelled = all.flatMap((answer) => ('cancelled' in answer ? answer.cancelled : []));
      if (owed.length > 0) give(sink, { json: arrayOf(owed) });
      else if (cancelled.length > 0) give(sink, { cancelled: arrayOf(cancelled) });
      else sink.answer(undefined, { refused: false });
    });
  }

  /** Never rejects. */
  async #answer(message: Request, { request, session, sink }: Hop): Promise<Answer> {
    const { id, method, params } = message;
    const cancel = new Cancellation();
    const running = this.#running.add(session.id, id, cancel);
    const progress = progressFor(params, (json) => sink.before(json));
    const client = new SessionClient(this.#relay, session, (json) => sink.before(json));
    const { meta, span } = beginRequest(this.#scope, message, { request, revision: session.revision });
    const options: CallOptions = { cancel, client, progress: progress?.tell, meta };
    try {
      const handle = this.#methods.get(method);
      if (handle === undefined) throw unknownMethod(method);
      const result = await handle(params, { request, session, options });
      span?.end({ json: result });
      return running.isWithdrawn() ? cancelledAnswer(id, cancel) : { json: writeResult(id, result) };
    } catch (error) {
      span?.end({ error });
      if (running.isWithdrawn()) return cancelledAnswer(id, cancel);
      const log = this.#scope.log.child({ request: request.id });
      return { json: writeFailure(id, error, { log, meta }) };
    } finally {
      progress?.end();
      client.close();
      running.ended();
    }
  }

  /** The server that asked receives the client's answer unchanged. */
  #answered({ id, answer }: Response, session: Session, text: string, sink: Sink): void {
    this.#settle(session.id, id, { kind: answer, json: rawMember(text, answer) ?? '{}' });
    sink.answer(undefined, { refused: false });
  }

  #notice(message: Message, session: Session): void {
    if (message.kind === 'response') {
      const { id, answer, value } = message;
      this.#settle(session.id, id, { kind: answer, json: JSON.stringify(value) });
      return;
    }
    if (message.kind !== 'notification') return;
    const { id: sessionId } = session;
    const { questions, siblings } = this.#relay;
    const { method, params } = message;
    if (method === 'notifications/progress' && !questions.progressed(sessionId, params))
      siblings.send({ kind: 'progress', sessionId, params });
    if (method !== 'notifications/cancelled') return;
    const { requestId } = params;
    const reason = typeof params['reason'] === 'string' ? params['reason'] : 'the client cancelled it';
    if (!this.#running.cancel(sessionId, requestId, reason))
      siblings.send({ kind: 'cancel', sessionId, requestId, reason });
  }

  #settle(sessionId: string, id: unknown, answer: ClientAnswer): void {
    if (!this.#relay.questions.answered(sessionId, id, answer))
      this.#relay.siblings.send({ kind: 'answer', sessionId, id, answer });
  }
}

function cancelledAnswer(id: MessageId, { reason = '' }: Cancellation): Answer {
  return { cancelled: writeError(id, RPC.refused, `the request was cancelled: ${reason}`) };
}

function give(sink: Sink, answer: Answer): void {
  if ('json' in answer) sink.answer(answer.json, { refused: false });
  else sink.answer(undefined, { refused: false, cancelled: answer.cancelled });
}

function arrayOf(answers: readonly string[]): string {
  return `[${answers.join(',')}]`;
}
