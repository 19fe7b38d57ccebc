import { GatewayError } from 'pegboard';
import type { ErrorCode, JsonObject } from 'pegboard';

/** The code by which SDK clients recognise a lost session. */
const SESSION_NOT_FOUND = -32001;
const REFUSED = -32000;

/** A refusal of the HTTP request as the JSON-RPC error that MCP clients expect. */
export function rpcRefusal({ code, message }: GatewayError): JsonObject {
  const rpcCode = code === 'REQUEST_NOT_FOUND' ? SESSION_NOT_FOUND : REFUSED;
  return { jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data: { code } } };
}

export function refusal(code: ErrorCode, message: string): GatewayError {
  return new GatewayError(code, message);
}

export const sessionNotFound = (): GatewayError =>
  refusal(
    'REQUEST_NOT_FOUND',
    'session not found: it ended, expired, or is not yours; send initialize again',
  );
