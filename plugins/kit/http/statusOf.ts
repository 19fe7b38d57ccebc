import type { ErrorCode } from 'pegboard';

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
  MEMORY_FULL: 503,
  STORE_FORBIDDEN: 503,
  STORE_UNREACHABLE: 503,
  PLUGIN_STOPPED: 503,
  PLUGIN_MISSING: 503,
};
/** The HTTP status of a refusal with that code. Source: RFC 9110 §15. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 500;
}
