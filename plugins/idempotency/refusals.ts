import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Call } from 'pegboard';

// Errors of calls with a key that do not run. Messages do not include the key, which is private to its caller.

const REMEDY = 'let some expire or raise plugins.idempotency.config.maxKeys';

export function callUnderWay({ tool }: Call, retryAfter: number): GatewayError {
  const text = `a call of ${tool.name} with this idempotency key is under way; ask again in ${retryAfter} s`;
  return new GatewayError('TOOL_KEY_BUSY', text, { details: { retryAfter } });
}

export function reused({ tool }: Call): GatewayError {
  const text = `this idempotency key belongs to a call of ${tool.name} with other arguments; use a new key`;
  return new GatewayError('TOOL_KEY_REUSED', text);
}

export function callCutOff({ tool }: Call): GatewayError {
  const text = `a call of ${tool.name} with this idempotency key was cut off: it may have run`;
  return new GatewayError('TOOL_OUTCOME_UNKNOWN', `${text}; check its effect before calling with a new key`);
}

export function noRoom(maxKeys: number): GatewayError {
  return new GatewayError('STORE_FORBIDDEN', `${maxKeys} keys are stored already; ${REMEDY}`);
}

export function noShare(held: number, left: number, maxKeys: number): GatewayError {
  const text = `this caller has ${held} of at most ${maxKeys} keys, and the rest (${left}) is reserved for others`;
  return new GatewayError('STORE_FORBIDDEN', `${text}; ${REMEDY}`);
}

/** @param error of the vault */
export function notRecorded({ tool }: Call, error: unknown): GatewayError {
  const text = `${tool.name} has not run: its idempotency key cannot be recorded: ${messageOf(error)}`;
  return new GatewayError(isGatewayError(error) ? error.code : 'STORE_UNREACHABLE', text, { cause: error });
}
