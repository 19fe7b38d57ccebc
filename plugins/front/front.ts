import { readFileSync } from 'node:fs';
import { Cancellation, isObject, rawMember, ServiceSource } from 'pegboard';
import type {
  CallOptions,
  Front,
  InboundRequest,
  JsonObject,
  ManagedService,
  Outlet,
  Progress,
  Scope,
  Session,
  Sink,
} from 'pegboard';
import {
  CodecError,
  RPC,
  readBody,
  writeError,
  writeFailure,
  writeNotification,
  writeResult,
} from './codec.ts';
import type { Message } from './codec.ts';
import type { FrontConfig } from './config.ts';
import { instructions } from './instructions.ts';
import { createMethods } from './methods.ts';
import type { Outlets } from './outlets.ts';
import { Relay, SessionClient } from './relay.ts';
import { hiddenMessage } from './results.ts';
import { REVISIONS, hasBatches, negotiate } from './revisions.ts';
import { RunningRequests } from './running.ts';
import type { Sessions } from './sessions.ts';

type Request = Message & { readonly kind: 'request' };
type Response = Message & { readonly kind: 'response' };
interface Hop {
  readonly request: InboundRequest;
  readonly session: Session;
  readonly sink: Pick<Sink, 'before'>;
}

/** What a server may ask a client for, and the parts of it that a client declares one by one. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['tools', 'context'],
  roots: [],
};
const SERVER_INFO = { name: 'pegboard', title: 'Pegboard', version: packageVersion() };

/** The MCP face up to revision 2025-11-25: JSON-RPC in, kernel calls, JSON-RPC out. */
export class McpFront implements Front {
  readonly revisions = REVISIONS;
  readonly #scope: Scope<FrontConfig>;
  readonly #sessions: () => Sessions;
  readonly #methods: ReturnType<typeof createMethods>;
  readonly #running = new RunningRequests();
  readonly #outlets: Outlets;
  readonly #relay: Relay;

  constructor(scope: Scope<FrontConfig>, sessions: () => Sessions, outlets: Outlets) {
    this.#scope = scope;
    this.#sessions = sessions;
    this.#outlets = outlets;
    this.#relay = new Relay(scope, outlets);
    this.#methods = createMethods(scope, this.#relay);
  }

  resume(handle: string, request: InboundRequest): Session | undefined {
    return this.#sessions().resume(handle, request);
  }

  end(session: Session): void {
    this.#sessions().end(session);
    this.abandon(session);
  }

  abandon(session: Session): void {
    this.#running.cancelAll(session.id, 'the session ended');
    this.#outlets.drop(session);
    this.#relay.drop(session);
  }

  /** What requests see may have changed. */
  noticeChange(): void {
    this.#relay.audience.changed();
  }

  /** What a session has asked for ends with it, also when nobody says so. */
  sweep(): void {
    const oldest = Date.now() - this.#scope.config.sessionTtlSeconds * 1_000;
    for (const { session, outlet } of this.#outlets.before(oldest)) {
      this.abandon(session);
      outlet.end?.();
    }
    this.#relay.sweep(oldest);
  }

  stop(): void {
    this.#relay.subscriptions.stop();
  }

  attach(session: Session, outlet: Outlet): () => void {
    return this.#outlets.add(session, outlet);
  }

  receive(text: string, request: InboundRequest, session: Session | undefined, sink: Sink): void {
    try {
      const body = readBody(text, this.#scope.config);
      if (session === undefined) this.#initialize(body.batch ? undefined : body.message, request, sink);
      else if (body.batch) this.#batch(body.messages, { request, session, sink }, sink);
      else if (body.message.kind === 'response') this.#answered(body.message, session, text, sink);
      else this.#single(body.message, { request, session, sink }, sink);
    } catch (error) {
      const refusal =
        error instanceof CodecError
          ? error
          : new CodecError(RPC.internal, hiddenMessage(error, this.#scope.log));
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
    const { protocolVersion, capabilities } = message.params;
    if (typeof protocolVersion !== 'string') {
      throw new CodecError(RPC.invalidParams, 'params.protocolVersion must be a string', message.id);
    }
    const revision = negotiate(protocolVersion);
    const session = this.#sessions().open(revision, questionsOf(capabilities), request);
    const result = {
      protocolVersion: revision,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      serverInfo: SERVER_INFO,
      instructions: this.#instructionsFor(request),
    };
    sink.answer(writeResult(message.id, JSON.stringify(result)), { refused: false, opened: session.handle });
  }

  /** A client that is narrowed to some servers does not read of the others. */
  #instructionsFor(request: InboundRequest): string {
    const services = this.#scope.all(ServiceSource).flatMap((source) => source.services());
    const isShown = ({ name }: ManagedService): boolean =>
      request.toolset === undefined || this.#relay.audience.sees(request, name);
    return instructions(services.filter(isShown), this.#scope.config);
  }

  #single(message: Message, hop: Hop, sink: Sink): void {
    if (message.kind !== 'request') {
      this.#notice(message, hop.session);
      sink.answer(undefined, { refused: false });
      return;
    }
    if (message.method === 'initialize')
      throw new CodecError(RPC.invalidRequest, 'the session is initialized already', message.id);
    void this.#answer(message, hop).then((json) => sink.answer(json, { refused: false }));
  }

  #batch(messages: readonly Message[], hop: Hop, sink: Sink): void {
    if (!hasBatches(hop.session.revision)) {
      const text = `revision ${hop.session.revision} has no batches; send one message per request`;
      throw new CodecError(RPC.invalidRequest, text);
    }
    if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
      throw new CodecError(RPC.invalidRequest, 'initialize cannot be part of a batch');
    }
    const answers: Promise<string | undefined>[] = [];
    for (const message of messages) {
      if (message.kind === 'request') answers.push(this.#answer(message, hop));
      else this.#notice(message, hop.session);
    }
    void Promise.all(answers).then((all) => {
      const owed = all.filter((json) => json !== undefined);
      sink.answer(owed.length === 0 ? undefined : `[${owed.join(',')}]`, { refused: false });
    });
  }

  /** Never rejects. @returns undefined for a request that its client has cancelled: nothing is owed then */
  async #answer(message: Request, { request, session, sink }: Hop): Promise<string | undefined> {
    const { id, method, params } = message;
    const cancel = new Cancellation();
    const ended = this.#running.add(session.id, id, cancel);
    const progress = progressFor(params, (json) => sink.before(json));
    const client = new SessionClient(this.#relay, session, (json) => sink.before(json));
    const options: CallOptions =
      progress === undefined ? { cancel, client } : { cancel, client, progress: progress.tell };
    try {
      const handle = this.#methods.get(method);
      if (handle === undefined) throw new CodecError(RPC.methodNotFound, `unknown method ${method}`);
      const result = await handle(params, { request, session, options });
      return cancel.reason === undefined ? writeResult(id, result) : undefined;
    } catch (error) {
      if (cancel.reason !== undefined) return undefined;
      return writeFailure(id, error, (thrown) => hiddenMessage(thrown, this.#scope.log));
    } finally {
      progress?.end();
      client.close();
      ended();
    }
  }

  /** The text as it came is what the server gets that asked. */
  #answered({ id, answer }: Response, session: Session, text: string, sink: Sink): void {
    this.#relay.questions.answered(session.id, id, { kind: answer, json: rawMember(text, answer) ?? '{}' });
    sink.answer(undefined, { refused: false });
  }

  #notice(message: Message, session: Session): void {
    if (message.kind === 'response') {
      const { id, answer, value } = message;
      this.#relay.questions.answered(session.id, id, { kind: answer, json: JSON.stringify(value) });
      return;
    }
    if (message.kind !== 'notification') return;
    if (message.method === 'notifications/progress')
      this.#relay.questions.progressed(session.id, message.params);
    if (message.method !== 'notifications/cancelled') return;
    const { requestId, reason } = message.params;
    this.#running.cancel(
      session.id,
      requestId,
      typeof reason === 'string' ? reason : 'the client cancelled it',
    );
  }
}

/** Progress goes out under the client's own token, rising, and only while the request is open (MCP, Progress). */
function progressFor(params: JsonObject, send: (json: string) => void) {
  const meta = params['_meta'];
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  let last = -Infinity;
  return {
    tell: (update: Progress): void => {
      if (!(update.progress > last)) return;
      last = update.progress;
      send(writeNotification('notifications/progress', { progressToken, ...update }));
    },
    end: (): void => void (last = Infinity),
  };
}

/** Of the client's capabilities only what a server may ask it for is kept: the handle travels with every request. */
function questionsOf(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const kept = Object.keys(PARTS).filter((name) => isObject(capabilities[name]));
  return Object.fromEntries(kept.map((name) => [name, partsOf(capabilities[name], PARTS[name] ?? [])]));
}

function partsOf(capability: unknown, names: readonly string[]): JsonObject {
  const parts = names.filter((name) => isObject(capability) && isObject(capability[name]));
  return Object.fromEntries(parts.map((name) => [name, {}]));
}

function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
