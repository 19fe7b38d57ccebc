import { isObject } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';

/** `status`: the API server refuses; `timeout`: no answer in time; `unreachable`: no connection, or it broke; `unreadable`:
 *  the answer is not what an API server sends; `credentials`: there are none. */
export type KubeErrorKind = 'status' | 'timeout' | 'unreachable' | 'unreadable' | 'credentials';

/** What is wrong at one place of an object. */
export interface KubeCause {
  /** `spec.steps[1]`; empty where the API server names none. */
  readonly field: string;
  readonly message: string;
  /** `FieldValueInvalid`, `FieldManagerConflict`. */
  readonly reason: string;
}
export interface KubeFacts {
  /** The HTTP status, or the code in an ERROR event of a watch; 0 without an answer. */
  readonly status?: number;
  /** `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`; empty where the API server gives none, as it does for 401. */
  readonly reason?: string;
  readonly causes?: readonly KubeCause[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The one error of calls and watches. Its message never has a token or a header of a request. */
export class KubeError extends Error {
  readonly kind: KubeErrorKind;
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly KubeCause[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: KubeErrorKind,
    message: string,
    { status = 0, reason = '', causes = [], retryAfterSeconds, cause }: KubeFacts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KubeError';
    this.kind = kind;
    this.status = status;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const MAX_TEXT = 300;

/** The error in the body of a refusal, which is plain text for paths that do not exist. */
export function kubeErrorOf(status: number, body: string, retryAfter?: string): KubeError {
  const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const parsed = jsonIn(body);
  if (isObject(parsed) && parsed['kind'] === 'Status') return errorOfStatus(parsed, status, seconds);
  const said = body.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);
  const facts = { status, ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
  return new KubeError('status', `HTTP ${status}${said && `: ${said}`}`, facts);
}

/** The error in a Status object, also in an ERROR event. @param httpStatus is used where the object has no code
 *  Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export function errorOfStatus(
  object: { readonly [key: string]: unknown },
  httpStatus = 0,
  retryAfter?: number,
): KubeError {
  const { code, reason, message, details } = object;
  const status = typeof code === 'number' ? code : httpStatus;
  const inside = isObject(details) ? details : {};
  const seconds = retryAfter ?? inside['retryAfterSeconds'];
  const causes = Array.isArray(inside['causes']) ? inside['causes'].filter(isObject).map(causeOf) : [];
  return new KubeError('status', textOf(message) || `HTTP ${status}`, {
    status,
    reason: textOf(reason),
    causes,
    ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
  });
}

function causeOf({ field, message, reason }: { readonly [key: string]: unknown }): KubeCause {
  return { field: textOf(field), message: textOf(message), reason: textOf(reason) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
