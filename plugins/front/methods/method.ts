import type { CallOptions, InboundRequest, JsonObject } from 'pegboard';
import type { Session } from '../../contracts/sessions.ts';

export interface MethodContext {
  readonly request: InboundRequest;
  readonly options: CallOptions;
  /** Session of a client up to revision 2025-11-25; clients of later revisions have none. */
  readonly session?: Session;
}
export interface SessionContext extends MethodContext {
  readonly session: Session;
}
/** @returns the complete result as JSON text @throws CodecError, GatewayError */
export type Method<Context = MethodContext> = (
  params: JsonObject,
  context: Context,
) => string | Promise<string>;
