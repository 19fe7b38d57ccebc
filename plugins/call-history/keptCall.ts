import { isObject } from 'pegboard';

/** One call, as a line of a file keeps it: JSON without secrets. */
export interface KeptCall {
  /** When it ended, ms since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly tool: string;
  /** Absent if it was refused before it became a call. */
  readonly kind?: string;
  readonly server?: string;
  /** See `outcomeOf`. */
  readonly code: string;
  readonly isRefused?: true;
  /** The whole text of a failure, up to maxContentChars. */
  readonly error?: string;
  /** Size of the result as JSON. */
  readonly bytes?: number;
  /** Absent without sign-in. */
  readonly subject?: string;
  readonly issuer?: string;
  readonly email?: string;
  /** The id of its session, as in the log. */
  readonly session?: string;
  /** The name that its client gives itself. */
  readonly client?: string;
  readonly transport: string;
  readonly request: string;
  readonly trace?: string;
  /** JSON text, only with `content`. */
  readonly args?: string;
  readonly result?: string;
}

/** Calls that are not in the history, because the disk or the queue was full. */
export interface Gap {
  readonly lost: number;
  readonly since: number;
  readonly until: number;
}

/** What a line holds; undefined for half a line and for one of others. */
export function readLine(text: string): KeptCall | Gap | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { at, ms, tool, code, request, lost, since, until } = value;
  if (areNumbers(lost, since, until)) return value as unknown as Gap;
  const isCall = areNumbers(at, ms) && [tool, code, request].every((one) => typeof one === 'string');
  return isCall ? (value as unknown as KeptCall) : undefined;
}

function areNumbers(...values: readonly unknown[]): boolean {
  return values.every((value) => Number.isFinite(value));
}
