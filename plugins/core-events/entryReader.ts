import { randomInt } from 'node:crypto';
import type { InboundRequest, JsonObject, KernelEvent } from 'pegboard';
import { callerKey } from '../kit/authority/ownerOf.ts';
import { isOperator } from '../kit/authority/adminPages.ts';
import { SUBJECTS, noticeOf } from '../kit/notices/noticeOf.ts';

/** One event; core_events shows it without `owner`. Source: requirement core.events. */
export interface EventEntry extends JsonObject {
  /** Sorts by time: `<ms since the epoch, 13 digits>-<count, 6 digits>`. */
  readonly id: string;
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly resource_type: string;
  readonly resource_name: string;
  readonly namespace: string;
  readonly details?: JsonObject;
  /** See Notice. */
  readonly owner?: string;
}

/** Fields of an event that are not part of `details`. */
const PLACED: readonly string[] = ['type', 'reason', 'message', 'severity', 'owner', ...SUBJECTS] as const;

const MAX_COUNT = 1_000_000;

/** Turns events into entries. Ids never decrease, even if the clock is set back. */
export class EntryReader {
  readonly #context: () => { readonly namespace: string; readonly maxMessageChars: number };
  #lastMs = 0;
  /** Random, because processes that begin at the same time share a vault. */
  #count = randomInt(MAX_COUNT);

  constructor(context: () => { readonly namespace: string; readonly maxMessageChars: number }) {
    this.#context = context;
  }

  /** @returns undefined for an event without reason and message, which is not for operators */
  read(event: KernelEvent): EventEntry | undefined {
    const notice = noticeOf(event);
    if (notice === undefined) return undefined;
    const { kind, name, reason, message, severity, owner } = notice;
    const { namespace, maxMessageChars } = this.#context();
    const details = Object.entries(event).filter(([key, value]) => !PLACED.includes(key) && isPlain(value));
    this.#lastMs = Math.max(this.#lastMs, Date.now());
    this.#count = (this.#count + 1) % MAX_COUNT;
    return {
      id: `${String(this.#lastMs).padStart(13, '0')}-${String(this.#count).padStart(6, '0')}`,
      timestamp: new Date(this.#lastMs).toISOString(),
      type: severity,
      reason,
      message: message.length > maxMessageChars ? `${message.slice(0, maxMessageChars)}…` : message,
      resource_type: kind,
      resource_name: name,
      namespace,
      ...(details.length > 0 && { details: Object.fromEntries(details) }),
      ...(owner !== undefined && { owner }),
    };
  }
}

/** Who reads events: `callerKey`, or `local` for the local user on standard input and output and for the operator on the admin
 *  pages, who see all of them. */
export type ReaderKey = string | undefined;
export const LOCAL = 'local';
export function readerOf(request: InboundRequest): ReaderKey {
  const { caller, transport } = request;
  const isLocal = caller === undefined && transport === 'stdio';
  return isLocal || isOperator(request) ? LOCAL : callerKey(caller);
}

/** @returns the entry as it is shown; undefined for one that this reader may not see */
export function shownTo(reader: ReaderKey, entry: EventEntry): EventEntry | undefined {
  const { owner, ...shown } = entry;
  if (owner === undefined) return entry;
  return owner === reader || reader === LOCAL ? shown : undefined;
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
