import { CHANGING, GatewayError, isGatewayError } from 'pegboard';
import type { Call, InboundRequest, JsonObject, ToolAnnotations } from 'pegboard';
import { readRemedy } from '../kit/faults/remedy.ts';
import type { ManagedService, ServiceRecord } from '../contracts/services.ts';

export type Operation = 'start' | 'stop' | 'restart';

interface OperationFacts {
  readonly description: string;
  readonly hints: ToolAnnotations;
  /** Service states in which there is nothing to do, and the words of the result. */
  readonly settledStates: readonly string[];
  readonly settledWords: string;
  readonly doneWords: string;
}

const UP: readonly string[] = ['running', 'connected'];
const DOWN: readonly string[] = ['stopped', 'disconnected'];

export const OPERATIONS: Readonly<Record<Operation, OperationFacts>> = {
  start: {
    description: 'Start a service; a suspended MCP server is activated again',
    hints: { ...CHANGING, destructiveHint: false },
    settledStates: UP,
    settledWords: 'is already running',
    doneWords: 'started',
  },
  stop: {
    description: 'Stop a service and keep it stopped until core_service_start; its tools disappear',
    hints: CHANGING,
    settledStates: DOWN,
    settledWords: 'is already stopped',
    doneWords: 'stopped',
  },
  restart: {
    description: 'Stop a service and start it again',
    hints: { ...CHANGING, idempotentHint: false },
    settledStates: [],
    settledWords: '',
    doneWords: 'restarted',
  },
};

export interface AskedOperation {
  readonly call: Call;
  readonly isConfirmed: boolean;
  /** Whether callers sign in at the server. */
  readonly hasSignIn: () => Promise<boolean>;
}

/** @returns the operation with the state that it reached
 *  @throws GatewayError SERVICE_UNSUPPORTED, TOOL_ARGUMENTS, UPSTREAM_AUTH_REQUIRED, UPSTREAM_UNREACHABLE, TOOL_CANCELLED */
export async function operate(
  operation: Operation,
  service: ManagedService,
  { call, isConfirmed, hasSignIn }: AskedOperation,
): Promise<JsonObject> {
  const { name } = service;
  const stopWarning = operation === 'stop' ? service.stopWarning : undefined;
  const { settledStates, settledWords, doneWords } = OPERATIONS[operation];
  const answer = (message: string): JsonObject => ({ operation, status: 'ok', message, ...service.status() });
  if (settledStates.includes(service.status().state)) return answer(`Service '${name}' ${settledWords}`);
  const run = orderOf(operation, service);
  if (run === undefined) {
    const text = `service ${name} does not support ${operation}; it runs as long as the process`;
    throw new GatewayError('SERVICE_UNSUPPORTED', text);
  }
  if (stopWarning !== undefined && !isConfirmed) {
    const text = `${stopWarning}; send "confirm": true beside name if this is intended`;
    throw new GatewayError('TOOL_ARGUMENTS', text);
  }
  await untilDone(run(call.request), operation, call).catch((error: unknown) => {
    const isLocked = isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED';
    if (!isLocked || service.status().state !== 'auth_required') throw failed(operation, name, error);
  });
  const record = service.status();
  if (record.state === 'auth_required') throw locked(record, await hasSignIn());
  if (operation === 'stop' ? DOWN.includes(record.state) : UP.includes(record.state)) {
    const after = stopWarning === undefined ? '' : `; ${stopWarning}`;
    return answer(`Successfully ${doneWords} service '${name}'${after}`);
  }
  return answer(underWay(operation, record));
}

type Order = (as: InboundRequest) => Promise<void>;

function orderOf(operation: Operation, service: ManagedService): Order | undefined {
  if (service[operation] === undefined) return undefined;
  return (as) => service[operation]?.(as) ?? Promise.resolve();
}

/** If the caller cancels, the operation continues; only the wait ends. */
function untilDone(done: Promise<void>, operation: Operation, { cancel }: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const forget = cancel.onCancel((reason) => {
      reject(new GatewayError('TOOL_CANCELLED', `the wait for the ${operation} was cancelled: ${reason}`));
    });
    done.then(resolve, reject).finally(forget);
  });
}

/** A sign-in is each caller's own, so no operation on the service ends the wait for it. Source: requirement state.auth */
function locked({ name, error, remedy }: ServiceRecord, hasSignIn: boolean): GatewayError {
  const needs = hasSignIn ? 'OAuth authentication' : 'authentication';
  const fix = error ?? 'set headers in its definition';
  const text = `service ${name} requires ${needs}: ${fix}`;
  return new GatewayError('UPSTREAM_AUTH_REQUIRED', text, {
    details: { ...helpIn(remedy) },
  });
}

function helpIn(remedy: ServiceRecord['remedy']): GatewayError['details'] {
  const action = readRemedy(remedy)?.action;
  return { ...(action && { action }) };
}

/** @throws GatewayError if the record shows that the operation failed */
function underWay(operation: Operation, { name, state, error, remedy, metadata }: ServiceRecord): string {
  const why = error ?? `it is ${state}`;
  if (['starting', 'stopping', 'connecting'].includes(state))
    return `Service '${name}' is ${state}${metadata.progress === undefined ? '' : `: ${metadata.progress}`}`;
  // It counts as done, because the server is retried automatically. Source: requirement state.processed.
  if (operation === 'restart') {
    const next = metadata.nextRetryAfter;
    const retry = next === undefined ? '' : `; the next attempt is at ${next}`;
    return `Restarted service '${name}', and it is ${state}: ${why}${retry}`;
  }
  throw new GatewayError('UPSTREAM_UNREACHABLE', `Failed to ${operation} service: ${name}: ${why}`, {
    details: { state, ...helpIn(remedy) },
  });
}

/** Worded as clients of such services expect it. Source: requirement core.texts. */
function failed(operation: Operation, service: string, error: unknown): unknown {
  if (!isGatewayError(error) || error.code === 'TOOL_CANCELLED') return error;
  const { code, message, details, expose } = error;
  const about = message.includes(service) ? message : `${service}: ${message}`;
  return new GatewayError(code, `Failed to ${operation} service: ${about}`, {
    cause: error,
    details,
    expose,
  });
}
