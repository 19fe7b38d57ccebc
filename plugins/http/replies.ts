import type { ServerResponse } from 'node:http';
import { GatewayError, internalErrorText, isGatewayError, messageOf } from 'pegboard';
import type { ErrorCode, JsonObject, Log, Reply } from 'pegboard';

const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  REQUEST_UNAUTHENTICATED: 401,
  REQUEST_FORBIDDEN: 403,
  REQUEST_MALFORMED: 400,
  REQUEST_NOT_FOUND: 404,
  REQUEST_METHOD: 405,
  REQUEST_NOT_ACCEPTABLE: 406,
  REQUEST_MEDIA_TYPE: 415,
  REQUEST_TOO_LARGE: 413,
  REQUEST_TIMEOUT: 408,
  STORE_FORBIDDEN: 503,
  PLUGIN_STOPPED: 503,
  PLUGIN_MISSING: 503,
};

/** A failure as an HTTP answer; what may not leave the process stays in the log under a correlation id. */
export function replyFor(thrown: unknown, log: Log, refusalBody: (error: GatewayError) => JsonObject): Reply {
  const error = isGatewayError(thrown) && thrown.expose ? thrown : hidden(thrown, log);
  return { status: STATUS[error.code] ?? 500, body: refusalBody(error) };
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

/** Writes a whole answer; does nothing when one has begun. */
export function writeReply(res: ServerResponse, { status, headers, body }: Reply): void {
  if (res.headersSent || res.destroyed) return;
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  // RFC 9110 §8.6: no length with 204
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
  res.writeHead(status, { ...type, ...length, ...headers });
  res.end(text);
}
