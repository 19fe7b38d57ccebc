import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from 'pegboard';
import type { InboundRequest, JsonObject } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { CodecError, RPC } from '../message/codec.ts';
import type { MessageId } from '../message/codec.ts';
import type { StatelessCall } from './statelessCall.ts';

export interface ParkLimits {
  readonly parkedCallMs: number;
  readonly maxParkedCalls: number;
}
/** A request that may continue a parked call. */
export interface Comeback {
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject;
  readonly request: InboundRequest;
}
interface Parked {
  readonly call: StatelessCall;
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

/** Calls that wait for their client to return with answers. The client returns with a random name for one of them, valid
 *  once, for the same caller, method and arguments, and for a limited time: it contains nothing to forge. */
export class ParkedCalls {
  readonly #limits: () => ParkLimits;
  readonly #process: () => string | undefined;
  readonly #byState = new Map<string, Parked>();

  /** @param process id of this process, if there are others */
  constructor(limits: () => ParkLimits, process: () => string | undefined) {
    this.#limits = limits;
    this.#process = process;
  }

  get size(): number {
    return this.#byState.size;
  }

  /** Why one more call cannot wait; undefined if it can. */
  noRoom(): string | undefined {
    const { maxParkedCalls } = this.#limits();
    if (this.#byState.size < maxParkedCalls) return undefined;
    return `${maxParkedCalls} calls wait for their clients already; see plugins.front.config.maxParkedCalls`;
  }

  /** @returns the state with which the client returns */
  park(call: StatelessCall, comeback: Comeback): string {
    const name = randomBytes(24).toString('base64url');
    const process = this.#process();
    const state = process === undefined ? name : `${process}.${name}`;
    const { parkedCallMs } = this.#limits();
    const timer = setTimeout(() => this.#end(state, 'its client did not return'), parkedCallMs);
    timer.unref();
    this.#byState.set(state, { call, owner: ownerOf(comeback), timer });
    return state;
  }

  /** @throws CodecError if the state is unknown, expired, or another request's */
  take(state: unknown, comeback: Comeback): StatelessCall {
    const parked = typeof state === 'string' ? this.#byState.get(state) : undefined;
    if (parked?.owner !== ownerOf(comeback)) {
      const text =
        'params.requestState does not match a call that waits for this request: it was used, it expired, ' +
        'its process has ended, or the request differs from the first one; repeat the call';
      throw new CodecError(RPC.invalidParams, text, comeback.id);
    }
    this.#byState.delete(state as string);
    clearTimeout(parked.timer);
    return parked.call;
  }

  stop(): void {
    for (const state of [...this.#byState.keys()]) this.#end(state, 'Pegboard stops');
  }

  #end(state: string, reason: string): void {
    const parked = this.#byState.get(state);
    this.#byState.delete(state);
    clearTimeout(parked?.timer);
    parked?.call.cancel.cancel(reason);
  }
}

/** Identifies the caller and its request, in any order of members. */
function ownerOf({ method, params, request: { caller } }: Comeback): string {
  const { name, uri, arguments: args } = params;
  const asked = canonicalJson([method, name, uri, args]);
  const digest = createHash('sha256').update(asked).digest('base64');
  return `${digest} ${callerKey(caller) ?? ''}`;
}
