/** Every code with what it means; kernel/README.md holds the same table, a test keeps them equal. */
export const ERROR_CODES = {
  CONFIG_INVALID: 'config.yaml or a definition breaks its schema or a rule',
  CONFIG_REFERENCE: 'it names something that does not exist',
  CONFIG_UNREADABLE: 'a file is not readable or not YAML',
  PLUGIN_MISSING: 'a plugin, or the provider of a capability, is not there',
  PLUGIN_IMPORT: "a plugin's own code or dependency failed while loading",
  PLUGIN_CONTRACT: 'a plugin does not keep the plugin contract',
  PLUGIN_START: 'a plugin could not be started',
  PLUGIN_STOPPED: 'a plugin was stopped while it was needed; try again',
  PLUGIN_TAP: 'a plugin failed inside a hook',
  REQUEST_UNAUTHENTICATED: 'nobody identified the caller',
  REQUEST_FORBIDDEN: 'Host, Origin or caller is not allowed',
  REQUEST_MALFORMED: 'the request is not what the protocol asks for',
  REQUEST_NOT_FOUND: 'no such path or session',
  REQUEST_METHOD: 'the path does not take this method',
  REQUEST_NOT_ACCEPTABLE: 'the client does not accept what the answer would be',
  REQUEST_MEDIA_TYPE: 'the body has a content type or encoding that is not read',
  REQUEST_TOO_LARGE: 'the body is over the limit',
  REQUEST_TIMEOUT: 'the body did not arrive in time',
  TOOL_NOT_FOUND: 'no such tool for this caller',
  TOOL_DUPLICATE: 'two tools have one name',
  TOOL_ARGUMENTS: "arguments do not fit the tool's schema",
  TOOL_OUTSIDE_TOOLSET: "the request's toolset does not hold the tool",
  TOOL_TOOLSET_INVALID: "the request's toolset cannot be used",
  TOOL_DENIED: 'the operator has denied the tool',
  TOOL_CANCELLED: 'the caller ended the call',
  TOOL_RESULT_GONE: 'a stored result has expired or never existed',
  TOOL_KEY_BUSY: 'the call with this idempotency key is under way; ask again',
  TOOL_KEY_REUSED: 'the idempotency key stands for a call with other arguments',
  TOOL_OUTCOME_UNKNOWN: 'the call with this idempotency key began; how it ended is not known',
  LIMIT_EXCEEDED: 'as many calls as a limit allows have come; try again after retryAfter seconds',
  RESOURCE_NOT_FOUND: 'no MCP resource of that uri for this caller',
  PROMPT_NOT_FOUND: 'no MCP prompt of that name for this caller',
  WORKFLOW_UNAVAILABLE: 'a workflow needs tools that are not there',
  WORKFLOW_BUSY: 'as many workflows run as may run at once; try again',
  STORE_NOT_FOUND: 'no definition of that name',
  STORE_CONFLICT: 'a definition of that name exists',
  STORE_FORBIDDEN: 'the store refuses the write',
  STORE_UNREACHABLE: 'the store does not answer',
  SERVICE_NOT_FOUND: 'no service of that name',
  SERVICE_UNSUPPORTED: 'the service does not know this operation',
  SERVICE_RUNNING: 'the service must be stopped first',
  UPSTREAM_UNREACHABLE: 'an MCP server cannot be reached now',
  UPSTREAM_TIMEOUT: 'an MCP server did not answer in time',
  UPSTREAM_AUTH_REQUIRED: 'an MCP server wants the caller to sign in',
  UPSTREAM_SUSPENDED: 'an MCP server is stopped on purpose',
  UPSTREAM_CLOSED: 'an MCP server went away during the call',
  UPSTREAM_PROTOCOL: 'an MCP server answered what the protocol does not allow',
  UPSTREAM_ERROR: 'an MCP server answered with an error',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** Facts for logs and structured answers; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether the message may leave the process; default true, false for wrapped foreign errors. */
  readonly expose?: boolean;
}

/** The one error class. Message: lower case, names the thing and the next step. Source: architecture.md 3.12. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly expose: boolean;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.details = options.details ?? {};
    this.expose = options.expose ?? true;
  }
}

/** Compared by shape, so that an error from a plugin's own copy of pegboard counts too. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof Error && error.name === 'GatewayError' && 'code' in error && 'expose' in error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
