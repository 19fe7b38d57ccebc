import { rawResult, withRawMeta } from 'pegboard';
import type {
  CallResult,
  Cancellation,
  Client,
  GatewayError,
  JsonObject,
  Progress,
  TraceContext,
} from 'pegboard';
import type { RequestLimits } from '../definition.ts';
import type { Carrier, Outgoing } from '../wire/wire.ts';

/** A Call is one. */
export interface RequestOptions {
  readonly cancel?: Cancellation | undefined;
  readonly progress?: ((update: Progress) => void) | undefined;
  readonly client?: Client | undefined;
  readonly trace?: TraceContext | undefined;
  /** The server's own name of the tool that it calls. */
  readonly tool?: string;
  /** Running twice does no more than once. */
  readonly isRepeatable?: boolean;
}

/** In `_meta` of a result: it took a second attempt. */
const RETRIED = 'pegboard.dev/retried';

/** One request without an answer yet. */
export class Pending implements Outgoing {
  readonly id: number;
  readonly text: string;
  readonly what: string;
  sent = false;
  isSettled = false;
  carrier: Carrier | undefined = undefined;
  /** Own requests belong to one connection and are never carried over to the next. */
  readonly isOwn: boolean;
  wasRenewed = false;
  isRepeatable = false;
  wasRepeated = false;
  lastHeardAt: number;
  readonly silenceMs: number;
  readonly endAt: number;
  progress: ((update: Progress) => void) | undefined = undefined;
  lastProgress = Number.NEGATIVE_INFINITY;
  stopListening: (() => void) | undefined = undefined;
  /** Who may be asked on its behalf. */
  client: Client | undefined = undefined;
  /** Questions that are open on its behalf: it is not silent meanwhile. */
  questions: Set<{ callEnded(call: Pending): void }> | undefined = undefined;
  readonly settle: (result: string) => void;
  readonly reject: (error: GatewayError) => void;

  constructor(id: number, text: string, parts: PendingParts) {
    this.id = id;
    this.text = text;
    this.what = parts.what;
    this.isOwn = parts.isOwn;
    this.lastHeardAt = performance.now();
    this.silenceMs = parts.silenceMs;
    this.endAt = this.lastHeardAt + parts.totalMs;
    this.settle = parts.settle;
    this.reject = parts.reject;
  }

  /** @returns whether it may go out again, though it may have run: once, and only when that does no harm */
  repeat(): boolean {
    if (!this.isRepeatable || this.wasRepeated) return false;
    this.wasRepeated = true;
    this.questions?.forEach((question) => question.callEnded(this));
    this.questions = undefined;
    this.sent = false;
    this.carrier = undefined;
    return true;
  }

  /** The answer as the caller gets it. */
  resultOf(json: string): CallResult {
    if (!this.wasRepeated) return rawResult(json);
    return rawResult(withRawMeta(json, RETRIED, 'true'));
  }

  /** Progress is a sign of life; told on only when it grows. @param params of notifications/progress */
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
export interface PendingParts extends RequestLimits {
  readonly what: string;
  readonly isOwn: boolean;
  readonly settle: (result: string) => void;
  readonly reject: (error: GatewayError) => void;
}

/** The id or token that a server gives back, which some write as text. @returns NaN for what can be none */
export function keyOf(given: unknown): number {
  return typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
}

export function cancellation(requestId: number, reason: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
}

/** What a server says by itself. */
export interface Said {
  readonly method: string;
  readonly params: JsonObject;
  /** The whole message as it came. */
  readonly text: string;
  /** The requests it may belong to: the one on whose stream it came, else all that are under way. */
  readonly about: readonly Pending[];
  /** Clients of calls that were given up, which it may belong to as well; undefined stands for one that is not known. */
  readonly late: readonly (string | undefined)[];
}
