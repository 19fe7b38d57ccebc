/** What failed: parsing, execution as in Go, a limit of this package, or a function that policy denies. */
export type TemplateErrorKind = 'parse' | 'exec' | 'limit' | 'policy';

/** The template and position of an error; line and column as Go counts them (column in bytes from 0). */
export interface ErrorPlace {
  readonly name: string;
  readonly line: number;
  readonly column?: number;
  /** The failing node as Go prints it between angle brackets. */
  readonly node?: string;
}

/** The only error that leaves this module. `message` is the whole text as Go prints it. */
export class TemplateError extends Error {
  readonly kind: TemplateErrorKind;
  readonly templateName: string;
  readonly line: number;
  readonly column: number | undefined;
  readonly node: string | undefined;
  /** The message without position and node. */
  readonly reason: string;

  constructor(kind: TemplateErrorKind, place: ErrorPlace, reason: string, message: string) {
    super(message);
    this.name = 'TemplateError';
    this.kind = kind;
    this.templateName = place.name;
    this.line = place.line;
    this.column = place.column;
    this.node = place.node;
    this.reason = reason;
  }
}

/** Thrown by template functions; the executor adds position and function name. */
export class CallError extends Error {
  readonly kind: TemplateErrorKind;

  constructor(message: string, kind: TemplateErrorKind = 'exec') {
    super(message);
    this.kind = kind;
  }
}

/** Thrown when a limit is hit outside a function call; becomes a TemplateError without `error calling`. */
export class LimitError extends CallError {
  constructor(message: string) {
    super(message, 'limit');
  }
}

export const NIL_DEREFERENCE = 'runtime error: invalid memory address or nil pointer dereference';
