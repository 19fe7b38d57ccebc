import { rawResult } from 'pegboard';
import type {
  Call,
  CallResult,
  Cancellation,
  Client,
  ClientMeta,
  GatewayError,
  JsonObject,
  Progress,
} from 'pegboard';
import { sharerOf } from '../../../kit/authority/ownerOf.ts';
import { withRawMeta } from '../../../kit/text/rawJson.ts';
import type { Era, RequestLimits } from '../options.ts';
import type { Dialect } from './dialect.ts';
import type { LateCall } from './lateCalls.ts';
import { requestText } from './rpcText.ts';
import type { RpcText } from './rpcText.ts';
import { traceHeaders } from './traceHeaders.ts';
import type { Carrier, Outgoing } from '../wire/wire.ts';

/** Options of a request; a Call has them. */
export interface RequestOptions {
  readonly cancel?: Cancellation | undefined;
  readonly progress?: ((update: Progress) => void) | undefined;
  readonly client?: Client | undefined;
  readonly meta?: ClientMeta | undefined;
  /** The server's own name of the called tool. */
  readonly tool?: string;
  /** The call of a tool, if it is one. */
  readonly call?: Call;
  /** Told the id under which it is sent, for its span. */
  readonly sentAs?: (id: number) => void;
  /** The tool declares that a second run is harmless. */
  readonly isRepeatable?: boolean;
  /** It is written in the form of the modern era, also on a connection of the legacy one. */
  readonly asModern?: boolean;
}

/** A call whose server needs more from the client. */
export interface Round {
  /** The call, in errors. */
  readonly what: string;
  /** The request of the first round. */
  readonly first: RpcText;
  readonly options: RequestOptions;
  /** 1 for the first round. */
  readonly number: number;
}

/** Key in `_meta` of a result: the request was sent twice. */
const RETRIED = 'pegboard.dev/retried';

/** One request that waits for its answer. */
export class Pending implements Outgoing {
  readonly id: number;
  readonly what: string;
  sent = false;
  isSettled = false;
  carrier: Carrier | undefined = undefined;
  /** Requests the gateway itself makes belong to one connection and are never sent over the next. */
  readonly isOwn: boolean;
  /** It stays open, and does not count as running. */
  isStanding = false;
  wasRenewed = false;
  isRepeatable = false;
  #asModern = false;
  wasRepeated = false;
  lastHeardAt: number;
  readonly silenceMs: number;
  readonly endAt: number;
  progress: ((update: Progress) => void) | undefined = undefined;
  lastProgress = Number.NEGATIVE_INFINITY;
  stopListening: (() => void) | undefined = undefined;
  /** The client that receives questions of the server about this request. */
  client: Client | undefined = undefined;
  call: Call | undefined = undefined;
  /** Open questions about this request: while there are any, it does not count as silent. */
  questions: Set<{ callEnded(call: Pending): void }> | undefined = undefined;
  readonly settle: (result: string) => void;
  readonly reject: (error: GatewayError) => void;
  readonly #rpc: RpcText;
  readonly #dialect: Dialect;
  readonly #meta: ClientMeta | undefined;
  #era: Era = 'legacy';

  constructor(id: number, dialect: Dialect, parts: PendingParts) {
    this.id = id;
    this.#dialect = dialect;
    this.#rpc = parts.rpc;
    this.#meta = parts.meta;
    this.what = parts.what;
    this.isOwn = parts.isOwn;
    this.lastHeardAt = performance.now();
    this.silenceMs = parts.silenceMs;
    this.endAt = this.lastHeardAt + parts.totalMs;
    this.settle = parts.settle;
    this.reject = parts.reject;
  }

  belongTo({ progress, client, call, sentAs, isRepeatable = false, asModern = false }: RequestOptions): void {
    sentAs?.(this.id);
    this.progress = progress;
    this.client = client;
    this.call = call;
    this.isRepeatable = isRepeatable;
    this.#asModern = asModern;
  }

  /** The message in the form of the era agreed at the time it is read, unless it has one of its own. */
  get text(): string {
    this.#era = this.#asModern ? 'modern' : this.#dialect.era;
    const envelope = this.#dialect.envelope(this.#era, this.client);
    const progressToken = this.progress && this.id;
    return requestText(this.id, this.#rpc, { envelope, progressToken, meta: this.#meta });
  }
  get headers(): readonly string[] | undefined {
    return this.#dialect.headers(this.#era, this.#rpc);
  }
  get sharer(): string | undefined {
    return this.call && sharerOf(this.call.request);
  }
  get trace(): readonly string[] | undefined {
    // A request of the gateway itself has no trace, and may be to name its method on a connection of either era.
    return this.isOwn ? this.#rpc.mirrored : traceHeaders(this.#meta);
  }
  /** The era in which it was sent last. */
  get era(): Era {
    return this.#era;
  }
  get method(): string {
    return this.#rpc.method;
  }

  /** @returns whether it may be sent again, although it may have run: once, and only if that is harmless */
  repeat(): boolean {
    if (!this.isRepeatable || this.wasRepeated) return false;
    this.wasRepeated = true;
    this.questions?.forEach((question) => question.callEnded(this));
    this.questions = undefined;
    this.unsent();
    return true;
  }

  /** Whether an error is about a form that is not the one of its connection. From then on it has that one. */
  isFormRefused({ code }: GatewayError): boolean {
    const isRefused = this.#asModern && this.#dialect.era === 'legacy' && code !== 'UPSTREAM_UNREACHABLE';
    if (isRefused) this.#asModern = false;
    return isRefused;
  }

  /** It is to be sent again. */
  unsent(): void {
    this.sent = false;
    this.carrier = undefined;
  }

  /** The limit (ms) that has passed without an answer; undefined if none has. */
  overdueMs(now: number): number | undefined {
    const isAsking = this.questions !== undefined && this.questions.size > 0;
    if (!isAsking && now - this.lastHeardAt >= this.silenceMs) return Math.round(this.silenceMs);
    return now < this.endAt ? undefined : Math.round(this.endAt - this.lastHeardAt);
  }

  /** The result as the caller receives it. */
  resultOf(json: string): CallResult {
    if (!this.wasRepeated) return rawResult(json);
    return rawResult(withRawMeta(json, RETRIED, 'true'));
  }

  /** Restarts the time-out; forwards progress only if it has grown. @param params of notifications/progress */
  progressed({ progress, total, message }: JsonObject): void {
    if (this.progress === undefined) return;
    this.lastHeardAt = performance.now();
    if (typeof progress !== 'number' || progress <= this.lastProgress) return;
    this.lastProgress = progress;
    this.progress({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }
}
/** A request that stays open. */
export interface StandingRequest {
  readonly id: number;
  /** Ends it; nothing is called any more. */
  end(): void;
}

export interface PendingParts extends RequestLimits {
  readonly rpc: RpcText;
  readonly meta?: ClientMeta | undefined;
  readonly what: string;
  readonly isOwn: boolean;
  readonly settle: (result: string) => void;
  readonly reject: (error: GatewayError) => void;
}

/** The id or token that a server returns; some servers send it as a string. @returns NaN if it cannot be one */
export function returnedKey(given: unknown): number {
  return typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
}

export function cancellation(requestId: number, reason: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
}

/** A request or notification of a server. */
export interface Said {
  readonly method: string;
  readonly params: JsonObject;
  /** The whole message as received. */
  readonly text: string;
  /** The requests it may belong to: the one on whose stream it arrived, otherwise all that are running. */
  readonly about: readonly Pending[];
  /** Calls that were given up, and that it may belong to as well. */
  readonly late: readonly LateCall[];
}
