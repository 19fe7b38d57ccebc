import type { Cancellation } from '../lib/cancellation.ts';
import type { JsonObject } from './json.ts';

/** RFC 5424, least severe first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type McpLogLevel = (typeof LOG_LEVELS)[number];

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A request of a server to a client. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** JSON text of an object. */
  readonly params: string;
  /** Set if the server wants progress: the token in `params`, and the function that receives the updates. */
  readonly progress?: { readonly token: string | number; tell(update: Progress): void } | undefined;
}
/** The client's answer; its JSON text is unchanged. */
export interface ClientAnswer {
  readonly kind: 'result' | 'error';
  readonly json: string;
}

/** The client that made a request; servers can notify and ask it meanwhile. Created by the front. */
export interface Client {
  /** Id of its session or, without sessions, its caller, owner handle or address: requests with the same id are of the same client. */
  readonly id: string;
  /** Whether it can be notified after the call has ended. */
  readonly hasSession: boolean;
  /** Whether it wants log messages, and receives none after the answer to its call. */
  readonly endsLogs?: boolean;
  /** Declared at initialize or with the request: `elicitation` with `form` and `url`, `sampling` with `tools`, `roots`. */
  readonly capabilities: JsonObject;
  /** Sends a log message if the client asked for its level.
   *  @param params of `notifications/message`, JSON text */
  log(level: McpLogLevel, params: string): void;
  /** Sends a notification; once the request is answered, on the session's standing stream.
   *  @param params JSON text @returns whether there was a stream to write to */
  tell(method: string, params: string): boolean;
  /** Asks the client and waits for the answer until `cancel` ends the wait; the question is then withdrawn.
   *  @throws GatewayError TOOL_CANCELLED, also when the session ends */
  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer>;
}
