import type { GatewayError } from 'pegboard';
import type { Quotes } from './standardError.ts';

/** A request on its way; the wire writes into `sent` and `carrier`. */
export interface Outgoing {
  readonly id: number;
  /** The whole JSON-RPC message, one line. */
  readonly text: string;
  /** True once it has its answer or its error. */
  readonly isSettled: boolean;
  /** True once bytes may have left: the server may have acted on them. */
  sent: boolean;
  /** What waits for the answer. Set by wires that hold something for it. */
  carrier: Carrier | undefined;
}

/** An object, not a closure: one that holds its request drags the next ones into the old generation (decision D55). */
export interface Carrier {
  /** Frees what the wire holds: at once, or soon when the answer has come. */
  release(isAnswered: boolean): void;
}

/** What a wire tells. After `closed` it says nothing more. */
export interface WireListener {
  /** A whole message, or text that should have been one.
   *  @param about the request on whose own stream it came; undefined where all share one
   *  @returns how many messages in it answer no request: 0 for an answer, little for what can be no message */
  message(text: string, about?: Outgoing): number;
  /** That request gets no answer on this wire. */
  failed(outgoing: Outgoing, error: GatewayError): void;
  /** The server has certainly not acted on that request (not reached, or its session is lost): initialize must be
   *  sent again, unless the request was sent in a session that has been replaced since (`isOutdated`). */
  notTaken(outgoing: Outgoing, error: GatewayError, isOutdated: boolean): void;
  /** It says so much unasked that it is read more slowly; undefined: no more. */
  flooding(error: GatewayError | undefined): void;
  /** The server has forgotten the session. */
  sessionLost(error: GatewayError): void;
  /** The connection is gone; requests with `sent` unset have not reached the server. */
  closed(error: GatewayError): void;
}

/** One connection to a server: JSON-RPC messages as text, in both directions. */
export interface Wire {
  /** Resolves when messages can be sent. @throws GatewayError UPSTREAM_UNREACHABLE, UPSTREAM_AUTH_REQUIRED */
  open(): Promise<void>;
  request(outgoing: Outgoing): void;
  /** Sends what needs no answer; losing it is nobody's error. */
  notify(text: string): void;
  /** The revision agreed at initialize. */
  agreed(revision: string): void;
  /** Forgets the session before initialize is sent again. */
  renew(): void;
  /** Ends it and everything that belongs to it; safe twice and before open(). */
  close(): Promise<void>;
  /** What the server wrote beside the protocol, for error messages. */
  quotes(): Quotes;
}
