import type { GatewayError } from 'pegboard';
import type { MemoryShare } from '../../../contracts/memory.ts';
import type { Quotes } from './standardError.ts';

/** An outgoing request; the wire sets `sent` and `carrier`. */
export interface Outgoing {
  readonly id: number;
  /** The whole JSON-RPC message, one line. */
  readonly text: string;
  /** HTTP headers that repeat parts of the message, name and value in turn; undefined in the legacy era. */
  readonly headers: readonly string[] | undefined;
  /** Who shares the memory that its answer takes; undefined for a request of the gateway itself. */
  readonly sharer: string | undefined;
  /** HTTP headers that repeat the trace of the message or its method, name and value in turn; undefined for none. */
  readonly trace: readonly string[] | undefined;
  /** True once it has its answer or its error. */
  readonly isSettled: boolean;
  /** True once bytes may have been sent: the server may have acted on them. */
  sent: boolean;
  /** The object that waits for the answer. Set by wires that hold resources for a request. */
  carrier: Carrier | undefined;
}

/** Whether an answer that has ended left the request without one; false for one that is to be sent again, or has been. */
export function isUnanswered({ isSettled, sent, carrier }: Outgoing): boolean {
  return !isSettled && sent && carrier === undefined;
}

/** The memory that a message takes. @param about the request that it answers, if that is known before it is read */
export type MemoryOf = (about: Outgoing | undefined) => MemoryShare | undefined;

/** An object, not a closure: a closure would retain its request and move later ones into the old generation (decision D55). */
export interface Carrier {
  /** Frees the resources of the wire: soon if the answer has arrived, otherwise at once. */
  release(isAnswered: boolean): void;
}

/** Receives the events of a wire. `closed` is the last one. */
export interface WireListener {
  /** A whole message, or text that should have been one.
   *  @param about the request on whose own stream it arrived; undefined if all requests share a stream
   *  @returns how many unsolicited messages the text has: 0 for an answer, a fraction for text that is not a message */
  message(text: string, about?: Outgoing): number;
  /** The request receives no answer on this wire. */
  failed(outgoing: Pick<Outgoing, 'id'>, error: GatewayError): void;
  /** The server has certainly not acted on that request (not reached, or its session is lost): initialize must be
   *  sent again, unless the request was sent in a session that has been replaced since (`isOutdated`). */
  notTaken(outgoing: Outgoing, error: GatewayError, isOutdated: boolean): void;
  /** The standing stream was refused or cut: a ping is to show whether the session, and the server, is still there. */
  doubted(): void;
  /** The standing stream is there again, after a gap in which messages may have been lost. */
  reopened(): void;
  /** The connection has ended; requests with `sent` unset have not reached the server. */
  closed(error: GatewayError): void;
}

/** One connection to a server: JSON-RPC messages as text, in both directions. */
export interface Wire {
  /** Id of the server's process; undefined for a remote server. */
  readonly pid?: number | undefined;
  /** Whether messages of the server outside of requests arrive now; absent: always. */
  readonly hears?: boolean;
  /** Id of the session that the server has assigned, and may forget while the connection stays; absent: there is none. */
  readonly sessionId?: string | undefined;
  /** Resolves when messages can be sent. @throws GatewayError UPSTREAM_UNREACHABLE, UPSTREAM_AUTH_REQUIRED */
  open(): Promise<void>;
  request(outgoing: Outgoing): void;
  /** Sends a message that needs no answer; a loss is not reported. */
  notify(text: string): void;
  /** The status of a GET outside of a session, which may say whether the server has streams of sessions; undefined if there is none in
   *  time. Absent: there are no such streams. */
  statusOf?(method: 'GET', timeoutMs: number): Promise<number | undefined>;
  /** Sends the next request in a session that an earlier connection began; agreed() follows. Absent: there are no sessions. */
  resume?(sessionId: string, revision: string): void;
  /** Sets the revision that initialize has negotiated; not called in the modern era. */
  agreed(revision: string): void;
  /** Discards the session before initialize is sent again. */
  renew(): void;
  /** Closes the connection and everything that belongs to it. Safe to call twice, and before open().
   *  @param keepsSession the server is not told to end the session: another is begun at once, or the server may serve one only */
  close(keepsSession?: boolean): Promise<void>;
  /** Output of the server outside of the protocol, for error messages. */
  quotes(): Quotes;
}
