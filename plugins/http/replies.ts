import type { ServerResponse } from 'node:http';
import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { JsonObject, Log, Reply } from 'pegboard';
import { internalErrorText } from '../kit/calls/internalErrorText.ts';
import { statusOf } from '../kit/http/statusOf.ts';

/** A failure as an HTTP response; a message that must not leave the process goes to the log under a correlation id. */
export function replyFor(thrown: unknown, log: Log, refusalBody: (error: GatewayError) => JsonObject): Reply {
  const error = isGatewayError(thrown) && thrown.expose ? thrown : hidden(thrown, log);
  const status = statusOf(error.code);
  // RFC 9110 §10.2.3: what is not available now is soon, or its operator knows.
  return { status, body: refusalBody(error), ...(status === 503 && { headers: { 'retry-after': '2' } }) };
}

export function plainRefusal({ code, message }: GatewayError): JsonObject {
  return { error: { code, message } };
}

function hidden(thrown: unknown, log: Log): GatewayError {
  const code = isGatewayError(thrown) ? thrown.code : 'PLUGIN_TAP';
  return new GatewayError(code, internalErrorText('request failed', thrown, log), {
    cause: messageOf(thrown),
  });
}

/** Writes a complete response; does nothing if one has begun. */
export function writeReply(res: ServerResponse, { status, headers, body }: Reply): void {
  if (res.headersSent || res.destroyed) return;
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  // RFC 9110 §8.6: no length with 204
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
  res.writeHead(status, { ...type, ...length, ...headers });
  res.end(text);
}
