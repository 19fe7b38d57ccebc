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
  const { at, ms, tool, code, request, isRefused, bytes, lost, since, until } = value;
  if (lost !== undefined)
    return isCount(lost) && isTime(since) && isTime(until) ? (value as unknown as Gap) : undefined;
  const isCall =
    isTime(at) &&
    Number.isFinite(ms) &&
    [tool, code, request].every(isText) &&
    TEXTS.every((name) => value[name] === undefined || isText(value[name])) &&
    (isRefused === undefined || isRefused === true) &&
    (bytes === undefined || isCount(bytes));
  return isCall ? (value as unknown as KeptCall) : undefined;
}

/** Those that a line may lack. */
const TEXTS = [
  'kind',
  'server',
  'error',
  'subject',
  'issuer',
  'email',
  'session',
  'client',
  'transport',
  'trace',
  'args',
  'result',
] as const satisfies readonly (keyof KeptCall)[];
/** What a Date takes. */
const MAX_TIME = 8.64e15;

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTime(value: unknown): boolean {
  return isCount(value) && value <= MAX_TIME;
}
