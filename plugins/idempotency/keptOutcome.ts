import { GatewayError, isGatewayError, jsonText, messageOf, rawResult } from 'pegboard';
import type { Call, CallResult, ErrorCode, Tool } from 'pegboard';
import { withRawMeta } from '../kit/text/rawJson.ts';
import { URL_ELICITATION_REQUIRED } from '../contracts/servers.ts';

/** The record of a key; without outcome the call has begun and not ended. */
export interface KeyRecord {
  readonly digest: string;
  /** Random id of the begin, another one for each. */
  readonly begin?: string;
  /** The process that runs the call, if others share the vault. */
  readonly process?: string;
  readonly outcome?: KeptOutcome;
}
/** How a call ended. */
export type KeptOutcome =
  | { readonly kind: 'result'; readonly json: string }
  | { readonly kind: 'oversized'; readonly bytes: number }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: GatewayError['details'];
      readonly expose: boolean;
    };

/** Key in `_meta` of a result: the result is a stored one, and the tool did not run. */
const REPLAYED = 'pegboard.dev/replayed';

/** Errors of a server's tool or a workflow that did not run, unless `details.mayHaveRun` is true. Other tools may forward
 *  these errors from tools they have called, so they may have run. */
const HAS_NOT_RUN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TOOL_ARGUMENTS',
  'TOOL_DENIED',
  'WORKFLOW_UNAVAILABLE',
  'WORKFLOW_BUSY',
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_AUTH_REQUIRED',
  'UPSTREAM_SUSPENDED',
  'UPSTREAM_TASK_ONLY',
]);

export function keptOutcomeOf({ json }: CallResult, maxBytes: number): KeptOutcome {
  const bytes = Buffer.byteLength(json);
  return bytes > maxBytes ? { kind: 'oversized', bytes } : { kind: 'result', json };
}

/** @returns undefined if the tool has certainly not run */
export function outcomeOfError(error: unknown, { server, kind }: Tool): KeptOutcome | undefined {
  if (!isGatewayError(error))
    return { kind: 'error', code: 'PLUGIN_TAP', message: messageOf(error), details: {}, expose: false };
  const { code, message, details, expose } = error;
  if (code === 'UPSTREAM_ERROR' && details.code === URL_ELICITATION_REQUIRED) return undefined;
  const isItsOwn = server !== undefined || kind === 'workflow';
  const mayHaveRun = details.mayHaveRun ?? !(isItsOwn && HAS_NOT_RUN.has(code));
  if (!mayHaveRun) return undefined;
  return { kind: 'error', code, message, details: jsonText(details) === undefined ? {} : details, expose };
}

/** Returns or throws the stored outcome again; a result is marked as replayed. @throws GatewayError */
export function retold(outcome: KeptOutcome, { tool }: Call): CallResult {
  if (outcome.kind === 'result') return rawResult(withRawMeta(outcome.json, REPLAYED, 'true'));
  if (outcome.kind === 'oversized') {
    const text = `${tool.name} has run with this idempotency key; its result of ${outcome.bytes} bytes was too large to keep`;
    throw new GatewayError('TOOL_RESULT_GONE', `${text}; check its effect instead of calling it again`);
  }
  const { code, message, details, expose } = outcome;
  throw new GatewayError(code, message, { details, expose });
}
