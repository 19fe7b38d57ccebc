import { isObject } from 'pegboard';
import type { GatewayError, JsonObject } from 'pegboard';
import type { Dialect } from './dialect.ts';
import type { Fault } from './faultsIn.ts';
import { judgedResult } from './judgedResult.ts';
import type { LateCalls } from './lateCalls.ts';
import { returnedKey } from './pending.ts';
import type { Pending, Said } from './pending.ts';
import { badResult, errorAnswer, errorWords, noAnswer, notJson, oddResult } from './requestErrors.ts';
import { idOfAnswer } from '../wire/idOfAnswer.ts';
import type { StandardError } from '../wire/standardError.ts';
import { HEAVY_LINE, LIGHT_LINE } from '../wire/unaskedFlow.ts';
import { mayBeMessage, splitBatch, splitMessage } from './splitMessage.ts';
import type { Outgoing } from '../wire/wire.ts';

export interface IncomingHooks {
  notified(said: Said): void;
  /** Receives a request of the server, which is answered with reply(). */
  asked(id: unknown, said: Said): void;
  readonly output: Pick<StandardError, 'noise' | 'redact' | 'hideInProse' | 'isRepeatedIn'>;
}

export interface IncomingParts extends IncomingHooks {
  readonly server: string;
  readonly dialect: Dialect;
  /** @returns the request of that id, which no longer waits */
  readonly take: (id: unknown) => Pending | undefined;
  readonly get: (id: number) => Pending | undefined;
  readonly all: () => readonly Pending[];
  /** Calls that were given up, and may still run. */
  readonly late: Pick<LateCalls, 'calls' | 'answered'>;
  /** @param answer as the server sent it @returns whether it is of the session or the era rather than of the request, which continues to wait */
  readonly isWithheld: (pending: Pending, error: GatewayError, answer?: JsonObject) => boolean;
}

/** What an error said that belongs to no request. */
interface Adrift {
  readonly words: string;
  readonly at: number;
}

/** Some programs of Windows begin their output with it. */
const BYTE_ORDER_MARK = 0xfeff;

/** Messages of one server: answers go to their requests, all others to the hooks. */
export class Incoming {
  readonly #parts: IncomingParts;
  #adrift: Adrift | undefined;

  constructor(parts: IncomingParts) {
    this.#parts = parts;
  }

  /** @returns how many unsolicited messages the text has: 0 for an answer, a fraction for text that is not a message */
  message(given: string, about?: Outgoing): number {
    const text = given.charCodeAt(0) === BYTE_ORDER_MARK ? given.slice(1) : given;
    const split = splitMessage(text);
    if (split === undefined) return this.#noMessage(text, about);
    if (split.result === undefined) return this.#other(split.message, text, about);
    const pending = this.#parts.take(split.id);
    if (pending === undefined) return this.#unmatched(split.id, 1);
    pending.carrier?.release(true);
    this.#answered(pending, judgedResult(pending, split));
    return 0;
  }

  /** An answer to no request that waits: of a call that was given up it is not unsolicited. @returns its cost otherwise */
  #unmatched(id: unknown, cost: number): number {
    return this.#parts.late.answered(returnedKey(id)) ? 0 : cost;
  }

  #answered(pending: Pending, judged: string | Fault | undefined): void {
    const { server, output } = this.#parts;
    if (typeof judged === 'string') pending.settle(judged);
    else if (judged === undefined) pending.reject(badResult(server, pending));
    else pending.reject(oddResult(server, pending, output.redact(judged.text)));
  }

  #noMessage(text: string, about?: Outgoing): number {
    const batch = splitBatch(text);
    const taken = batch?.map((item) => (item.startsWith('{') ? this.message(item, about) : 1));
    if (taken !== undefined) return taken.reduce((sum, unasked) => sum + unasked, 0);
    // Some event streams begin with an empty message.
    if (text.trim() !== '') this.#parts.output.noise(text);
    return mayBeMessage(text) ? this.#unreadable(text) : LIGHT_LINE;
  }

  /** Fails the request whose answer is not JSON, which would wait until its time-out. */
  #unreadable(text: string): number {
    const id = idOfAnswer(text);
    const pending = id === undefined ? undefined : this.#parts.take(id);
    if (pending === undefined) return id === undefined ? HEAVY_LINE : this.#unmatched(id, HEAVY_LINE);
    pending.carrier?.release(true);
    pending.reject(notJson(this.#parts.server, pending, text));
    return 0;
  }

  #other(message: JsonObject, text: string, about?: Outgoing): number {
    const { id, method, params: given, error } = message;
    if (typeof method !== 'string') return this.#failed(id, error, about);
    const { get, late, output, dialect } = this.#parts;
    const params = isObject(given) ? given : {};
    if (method === 'notifications/progress' && id === undefined) {
      const running = get(returnedKey(params['progressToken']));
      running?.progressed(params);
      return running === undefined ? 1 : LIGHT_LINE;
    }
    const abandoned = about === undefined ? late.calls() : [];
    const said = { method, params, text, about: this.#under(about), late: abandoned };
    // The modern era has no requests of servers, and no messages that could answer them.
    const isAsked = isId(id) && dialect.era === 'legacy';
    if (id === undefined) this.#parts.notified(said);
    else if (isAsked) this.#parts.asked(id, said);
    else output.noise(text);
    return isAsked ? HEAVY_LINE : 1;
  }

  /** The error of a request without an answer, with what the server said meanwhile in an error that names no request. */
  noAnswer(pending: Pending, limitMs: number): GatewayError {
    const { words, at = -Infinity }: Partial<Adrift> = this.#adrift ?? {};
    const adrift = at >= pending.lastHeardAt ? words : undefined;
    return noAnswer(this.#parts.server, pending, { limitMs, adrift });
  }

  #failed(id: unknown, error: unknown, about: Outgoing | undefined): number {
    const { server, output, take, get, isWithheld } = this.#parts;
    const isNameless = error !== undefined && isNoId(id);
    const waiting = isNameless ? this.#only(about) : get(returnedKey(id));
    if (waiting === undefined && !isNameless) return this.#unmatched(id, 1);
    if (waiting === undefined) {
      this.#adrift = { words: errorWords(error, output), at: performance.now() };
      output.noise(JSON.stringify(error));
      return 1;
    }
    const answer = errorAnswer({ server, output }, waiting, error);
    if (isWithheld(waiting, answer, isObject(error) ? error : undefined)) return 0;
    take(waiting.id);
    waiting.carrier?.release(true);
    waiting.reject(answer);
    return 0;
  }

  /** The request on whose stream an error arrived, or the only one that waits for an answer. */
  #only(about: Outgoing | undefined): Pending | undefined {
    const { get, all } = this.#parts;
    if (about !== undefined) return get(about.id);
    const [only, other] = all().filter(({ sent, isStanding }) => sent && !isStanding);
    return other === undefined ? only : undefined;
  }

  /** The calls a message may belong to; requests the gateway itself made are never attributed to a client. */
  #under(about: Outgoing | undefined): readonly Pending[] {
    const { get, all } = this.#parts;
    const candidates = about === undefined ? all() : [get(about.id)];
    return candidates.filter((one) => one !== undefined && one.sent && !one.isOwn) as readonly Pending[];
  }
}

/** An id that the server could not read is null, or a text of its own (JSON-RPC 2.0 §5). */
function isNoId(id: unknown): boolean {
  if (typeof id === 'string') return id === '' || Number.isNaN(Number(id));
  return id === null || id === undefined;
}

function isId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number';
}
