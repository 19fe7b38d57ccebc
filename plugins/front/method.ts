import type { CallOptions, InboundRequest, JsonObject, Session } from 'pegboard';

export interface MethodContext {
  readonly request: InboundRequest;
  readonly session: Session;
  readonly options: CallOptions;
}
/** @returns the complete result as JSON text @throws CodecError, GatewayError */
export type Method = (params: JsonObject, context: MethodContext) => string | Promise<string>;
