import { ANYONE, isObject } from 'pegboard';
import type { CallOptions, ClientMeta, InboundRequest, JsonObject, Log, Progress, Scope } from 'pegboard';
import { internalErrorText } from '../../kit/calls/internalErrorText.ts';
import { ownerOf } from '../../kit/authority/ownerOf.ts';
import { rawMember } from '../../kit/text/rawJson.ts';
import type { SpanEnd } from '../../contracts/tracing.ts';
import { Peers } from '../../contracts/processes.ts';
import type { StatelessFront, StatelessSink } from '../../contracts/mcp.ts';
import { CodecError, decodeBody, RPC } from '../message/codec.ts';
import type { Message, MessageId } from '../message/codec.ts';
import type { FrontConfig } from '../config.ts';
import { CAPABILITIES, instructionsFor } from '../methods/introduction.ts';
import type { ListWatch } from '../client/listWatch.ts';
import type { Method } from '../methods/method.ts';
import type { Relay } from '../client/relay.ts';
import type { OwnerHandles } from '../session/ownerHandles.ts';
import { beginRequest } from '../message/beginRequest.ts';
import { metaOf } from '../message/metaOf.ts';
import { traceOf } from '../message/traceOf.ts';
import { unknownMethod } from '../message/unknownMethod.ts';
import { clientIdOf } from './clientIdOf.ts';
import { StatelessCall } from './statelessCall.ts';
import type { Next } from './statelessCall.ts';
import { OWNER_KEY, readEnvelope, STATELESS_REVISIONS, VERSION_KEY } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { Listeners } from './listeners.ts';
import { ForwardedCalls } from './forwardedCalls.ts';
import type { Forwarded } from './forwardedCalls.ts';
import { ParkedCalls } from './parkedCalls.ts';
import type { Comeback } from './parkedCalls.ts';
import { completeAnswer, failureAnswer, inputRequired, refusalAnswer } from './answers.ts';
import type { StatelessAnswer, CacheHints } from './answers.ts';

type Request = Message & { readonly kind: 'request' };
interface Hop {
  readonly message: Request;
  readonly envelope: Envelope;
  readonly request: InboundRequest;
  readonly sink: StatelessSink;
  readonly text: string;
}
/** Methods that may return questions instead of a result. Source: MCP 2026-07-28, Supported Requests. */
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read']);
const NOT_KEPT: CacheHints = { ttlMs: 0, cacheScope: 'private' };

export interface StatelessParts {
  readonly methods: ReadonlyMap<string, Method>;
  readonly relay: Relay;
  readonly listWatch: ListWatch;
  readonly owners: () => OwnerHandles;
}

/** The MCP interface of revision 2026-07-28: no sessions; each request declares its client and what it wants. */
export class StatelessMcpFront implements StatelessFront {
  readonly #scope: Scope<FrontConfig>;
  readonly #relay: Relay;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #parked: ParkedCalls;
  readonly #forwarded: ForwardedCalls;
  readonly #listeners: Listeners;
  readonly #owners: () => OwnerHandles;
  /** Bound once: a closure per call would retain the call (D55). */
  readonly #noWait = (): string | undefined => this.#parked.noRoom();

  constructor(scope: Scope<FrontConfig>, { methods, relay, listWatch, owners }: StatelessParts) {
    this.#scope = scope;
    this.#owners = owners;
    this.#relay = relay;
    this.#methods = new Map([...methods, ['server/discover', (_, { request }) => this.#discover(request)]]);
    this.#parked = new ParkedCalls(
      () => scope.config,
      () => scope.find(Peers)?.own,
    );
    this.#forwarded = new ForwardedCalls(scope, (forwarded, sink) => this.#continue(forwarded, sink));
    this.#listeners = new Listeners(scope, listWatch);
  }

  get revisions(): readonly string[] {
    return this.#scope.config.stateless ? STATELESS_REVISIONS : [];
  }

  /** Calls that wait for their client. */
  get parked(): number {
    return this.#parked.size;
  }
  /** Where each stream is, and what it speaks. */
  streams(): readonly { readonly transport: string; readonly revision: string }[] {
    const [revision] = STATELESS_REVISIONS;
    return this.#listeners.transports().map((transport) => ({ transport, revision }));
  }

  claims(text: string): boolean {
    return this.#scope.config.stateless && text.includes(`"${VERSION_KEY}"`);
  }

  receive(text: string, request: InboundRequest, sink: StatelessSink): void {
    this.#receive(text, request, sink).catch((error: unknown) => send(this.#refusal(error, request), sink));
  }

  stop(): void {
    this.#listeners.stop();
    this.#parked.stop();
  }

  #logOf({ id }: InboundRequest): Log {
    return this.#scope.log.child({ request: id });
  }

  #refusal(error: unknown, request: InboundRequest): StatelessAnswer {
    const refusal =
      error instanceof CodecError
        ? error
        : new CodecError(RPC.internal, internalErrorText('call failed', error, this.#logOf(request)));
    return refusalAnswer(refusal);
  }

  async #receive(text: string, request: InboundRequest, sink: StatelessSink): Promise<void> {
    const body = decodeBody(text, this.#scope.config);
    if (body.batch)
      throw new CodecError(RPC.invalidRequest, 'this revision has no batches; send one message');
    const { message } = body;
    if (message.kind === 'response')
      throw new CodecError(RPC.invalidRequest, 'send answers as params.inputResponses of the next request');
    if (message.kind === 'notification') {
      sink.answer(undefined);
      return;
    }
    const envelope = readEnvelope(message, request);
    this.#own(message.id, envelope, request);
    const { id, method, params } = message;
    if (method === 'subscriptions/listen')
      await this.#listeners.open({ id, params, request, client: envelope }, sink);
    else send(await this.#answer({ message, envelope, request, sink, text }), sink);
  }

  /** Sets the owner of the request, if its client sent a handle.
   *  @throws CodecError for a handle that does not open: if it were ignored, a call under a known key would run again */
  #own(id: MessageId, { owner: handle }: Envelope, request: InboundRequest): void {
    if (handle === undefined || request.caller !== undefined) return;
    request.anonymousOwner = typeof handle === 'string' ? this.#owners().open(handle) : undefined;
    if (request.anonymousOwner !== undefined) return;
    const text =
      `params._meta "${OWNER_KEY}" cannot be opened: it has expired, or this gateway did not create it; ` +
      'leave it out, and take the new one from the answer';
    throw new CodecError(RPC.invalidParams, text, id);
  }

  async #answer(hop: Hop): Promise<StatelessAnswer> {
    const { message, envelope, request, sink } = hop;
    const { id, method, params } = message;
    const comeback = { id, method, params, request };
    const isBack = MAY_ASK.has(method) && params['requestState'] !== undefined;
    const log = this.#logOf(request);
    if (isBack) {
      const elsewhere = await this.#elsewhere(hop);
      if (elsewhere !== undefined) return elsewhere;
    }
    const call = isBack ? this.#resume(hop, comeback) : this.#begin(hop, () => meta);
    const { meta, span } = beginRequest(this.#scope, message, { request, revision: envelope.revision });
    try {
      const next = await call.next({ params, logLevel: envelope.logLevel, sink });
      span?.end(endOf(next));
      if (next.kind === 'failure')
        return failureAnswer(id, next.thrown, { capabilities: call.capabilities, log, meta });
      if (next.kind === 'questions')
        return inputRequired(id, next.requests, this.#parked.park(call, comeback));
      const hints = this.#hintsFor(method, request, next.json);
      return completeAnswer(id, { result: next.json, hints, owner: this.#handleFor(call, hints) });
    } catch (error) {
      // Without an answer, no client can return for the call.
      call.cancel.cancel('its request failed');
      span?.end({ error });
      return failureAnswer(id, error, { capabilities: {}, log, meta });
    }
  }

  /** The answer of another process, in which the call waits; undefined if there is none. */
  async #elsewhere({ message, envelope, request, sink, text }: Hop): Promise<StatelessAnswer | undefined> {
    const { caller } = request;
    try {
      const process = await this.#forwarded.processOf(message.params['requestState']);
      if (process === undefined) return undefined;
      const trace = traceOf(message.params, request);
      const forwarded = { text, envelope, caller, request: request.id, trace };
      return await this.#forwarded.forward(process, forwarded, sink);
    } catch (error) {
      const meta = metaOf(message.params, request);
      return failureAnswer(message.id, error, { capabilities: {}, log: this.#logOf(request), meta });
    }
  }

  /** Continues a call for a client that has returned to another process, which has checked the request. Never rejects. */
  async #continue(forwarded: Forwarded, sink: StatelessSink): Promise<StatelessAnswer> {
    const { text, envelope, caller } = forwarded;
    const known: Readonly<Record<string, unknown>> = { ...forwarded.trace };
    const header = (name: string): string | undefined =>
      typeof known[name] === 'string' ? known[name] : undefined;
    const request = { ...ANYONE, id: forwarded.request, header, caller };
    try {
      const body = decodeBody(text, this.#scope.config);
      if (body.batch || body.message.kind !== 'request')
        throw new CodecError(RPC.invalidRequest, 'only a request is forwarded');
      const { message } = body;
      return await this.#answer({ message, envelope, request, sink, text });
    } catch (error) {
      return this.#refusal(error, request);
    }
  }

  /** The handle to what the call has stored. A result that caches may share gets none. */
  #handleFor({ oneTimeOwner }: StatelessCall, hints: CacheHints | undefined): string | undefined {
    if (oneTimeOwner === undefined || hints?.cacheScope === 'public') return undefined;
    return this.#owners().seal(oneTimeOwner);
  }

  /** @throws CodecError if the request cannot continue a call; the call then keeps waiting */
  #resume({ text }: Hop, comeback: Comeback): StatelessCall {
    const { id, params } = comeback;
    const { requestState, inputResponses = {} } = params;
    if (!isObject(inputResponses))
      throw new CodecError(RPC.invalidParams, 'params.inputResponses must be an object', id);
    const call = this.#parked.take(requestState, comeback);
    const responses = rawMember(rawMember(text, 'params') ?? '{}', 'inputResponses') ?? '{}';
    call.answered((key) => objectText(rawMember(responses, key)));
    return call;
  }

  /** @throws CodecError if the method does not exist */
  #begin({ message, envelope, request }: Hop, metaOfCall: () => ClientMeta | undefined): StatelessCall {
    const { method, params } = message;
    const handle = this.#methods.get(method);
    if (handle === undefined) throw unknownMethod(method, message.id);
    const mayAsk = MAY_ASK.has(method) && this.#parked.noRoom() === undefined;
    const capabilities = mayAsk ? envelope.capabilities : {};
    const work = async (call: StatelessCall): Promise<string> => {
      const progress = (update: Progress): void => call.tellProgress(update);
      const meta = metaOfCall();
      const options: CallOptions = { cancel: call.cancel, client: call, progress, meta };
      const release = envelope.logLevel && this.#relay.levels.hold(envelope.logLevel);
      try {
        return await handle(params, { request, options });
      } finally {
        release?.();
        call.oneTimeOwner = request.oneTimeOwner;
      }
    };
    const { maxQuestions } = this.#scope.config;
    return new StatelessCall({
      id: clientIdOf(request, envelope),
      capabilities,
      program: envelope.client,
      maxQuestions,
      work,
      noWait: this.#noWait,
      counts: this.#relay.questionCounts,
    });
  }

  #discover(request: InboundRequest): string {
    // A client that discovers the server first thus gets its owner handle before its first call.
    ownerOf(request);
    const result: JsonObject = {
      supportedVersions: STATELESS_REVISIONS,
      capabilities: CAPABILITIES,
      instructions: instructionsFor(request, this.#scope, this.#relay.audience),
    };
    return JSON.stringify(result);
  }

  /** The meta-tools are the same for all requests without a toolset; other lists and reads depend on the caller and change at
   *  any time. */
  #hintsFor(method: string, { toolset }: InboundRequest, result: string): CacheHints | undefined {
    const cacheScope = toolset === undefined ? 'public' : 'private';
    if (method === 'tools/list') return { ttlMs: this.#scope.config.toolsTtlMs, cacheScope };
    // Another caller may not read the resource, so the server's own cacheScope does not count.
    if (method === 'resources/read') return { ...NOT_KEPT, ttlMs: ttlIn(result) };
    return /\/(list|discover)$/.test(method) ? NOT_KEPT : undefined;
  }
}

function endOf(next: Next): SpanEnd {
  if (next.kind === 'failure') return { error: next.thrown };
  return next.kind === 'result' ? { json: next.json } : {};
}

function send({ json, refused }: StatelessAnswer, sink: StatelessSink): void {
  sink.answer(json, refused);
}

function ttlIn(result: string): number {
  const ttlMs = Number(rawMember(result, 'ttlMs'));
  return ttlMs > 0 ? ttlMs : 0;
}

/** Servers receive answers to their questions only as JSON objects. */
function objectText(json: string | undefined): string | undefined {
  return json?.startsWith('{') === true ? json : undefined;
}
