import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Call } from 'pegboard';

// Why a keyed call is not made. The key itself is its caller's business and stands in no message.

const REMEDY = 'let some expire or raise plugins.idempotency.config.maxKeys';

export function busy({ tool }: Call, retryAfter: number): GatewayError {
  const text = `a call of ${tool.name} with this idempotency key is under way; ask again in ${retryAfter} s`;
  return new GatewayError('TOOL_KEY_BUSY', text, { details: { retryAfter } });
}

export function reused({ tool }: Call): GatewayError {
  const text = `this idempotency key stands for a call of ${tool.name} with other arguments; take a new key`;
  return new GatewayError('TOOL_KEY_REUSED', text);
}

export function cutOff({ tool }: Call): GatewayError {
  const text = `a call of ${tool.name} with this idempotency key was cut off: it may have run`;
  return new GatewayError('TOOL_OUTCOME_UNKNOWN', `${text}; check its effect before calling with a new key`);
}

export function noRoom(maxKeys: number): GatewayError {
  return new GatewayError('STORE_FORBIDDEN', `${maxKeys} are known already; ${REMEDY}`);
}

export function noShare(held: number, left: number, maxKeys: number): GatewayError {
  const text = `this caller has ${held} of the ${maxKeys} that may be known, and the rest (${left}) is kept for others`;
  return new GatewayError('STORE_FORBIDDEN', `${text}; ${REMEDY}`);
}

/** @param error of the vault */
export function notRecorded({ tool }: Call, error: unknown): GatewayError {
  const text = `${tool.name} has not run: its idempotency key cannot be recorded: ${messageOf(error)}`;
  return new GatewayError(isGatewayError(error) ? error.code : 'STORE_UNREACHABLE', text, { cause: error });
}
