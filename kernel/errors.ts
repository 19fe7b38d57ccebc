import type { ErrorCode, ErrorCodes, ErrorDetails } from './contracts/errorCodes.ts';

type DetailsOf<C extends ErrorCode> = Readonly<ErrorDetails & ErrorCodes[C]>;

export interface ErrorOptions<C extends ErrorCode = ErrorCode> {
  readonly cause?: unknown;
  readonly details?: DetailsOf<C>;
  /** Whether the message may leave the process; default true, false for wrapped foreign errors. */
  readonly expose?: boolean;
}

class CodedError<C extends ErrorCode> extends Error {
  readonly code: C;
  readonly details: DetailsOf<C>;
  readonly expose: boolean;

  constructor(code: C, message: string, options: ErrorOptions<C> = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.details = options.details ?? ({} as DetailsOf<C>);
    this.expose = options.expose ?? true;
  }
}

/** The one error class. Message: lower case, names the thing and the next step. The type is the union over all codes:
 *  checking `code` narrows `details`. */
export type GatewayError<C extends ErrorCode = ErrorCode> = C extends ErrorCode ? CodedError<C> : never;
export const GatewayError = CodedError as new <C extends ErrorCode>(
  code: C,
  message: string,
  options?: ErrorOptions<C>,
) => GatewayError<C>;

/** Compared by shape, so that errors from a plugin's own copy of pegboard match too. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof Error && error.name === 'GatewayError' && 'code' in error && 'expose' in error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
