import type { Cancellation } from '../lib/cancellation.ts';
import type { Progress } from './call.ts';
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

/** A request of a server to a client. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** JSON text of an object; undefined without params. */
  readonly params: string | undefined;
  /** Set when the server wants to hear of progress: the token in `params`, and what it is told under it. */
  readonly progress?: { readonly token: string | number; tell(update: Progress): void } | undefined;
}
/** What the client made of it, as JSON text as it came. */
export interface ClientAnswer {
  readonly kind: 'result' | 'error';
  readonly json: string;
}

/** The client that made a request, for what a server tells it or asks it meanwhile. Given by the front. */
export interface Client {
  /** Id of its session, without sessions of the call: two requests with one id are one client's. */
  readonly id: string;
  /** Whether it can be told something once the call is over. */
  readonly hasSession: boolean;
  /** What it declared at initialize, or with the request: `elicitation` with `form` and `url`, `sampling` with `tools`, `roots`. */
  readonly capabilities: JsonObject;
  /** Sends a log message if its level was asked for.
   *  @param params of `notifications/message`, JSON text */
  log(level: McpLogLevel, params: string): void;
  /** Sends a notification; once the request is answered, on the session's standing stream.
   *  @param params JSON text @returns whether there was a stream to write to */
  tell(method: string, params: string): boolean;
  /** Asks, and waits for as long as `cancel` lets it; a cancelled question is taken back.
   *  @throws GatewayError TOOL_CANCELLED, also when the session ends */
  ask(question: Question, cancel: Cancellation): Promise<ClientAnswer>;
}
