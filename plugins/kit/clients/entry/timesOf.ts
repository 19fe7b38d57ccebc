import type { EntryFields } from './entryFields.ts';

/** Keys of a definition, in seconds. */
export interface Times {
  readonly timeout?: number;
  readonly callTimeout?: number;
}
/** Clients, or folders and files of theirs, whose `timeout` is in ms. */
const IN_MS = /(^|[\\/.])(gemini|qwen|opencode|kiro|amazon-?q|claude-code)(-extension)?(\.jsonc?$|[\\/]|$)/;
const OPENCODE = /(^|[\\/.])opencode(\.jsonc?$|[\\/]|$)/;
/** Clients whose `timeout` is in seconds. */
const IN_SECONDS = /^(cline|roo|goose|codex|zed|hermes|crush)/;
/** Larger ones of a file whose client is not known are in ms: no one waits for a quarter of an hour. */
const MOST_SECONDS = 900;
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** The times that an entry sets. Codex has keys of its own, mcpproxy texts such as `5m`; opencode's `timeout` is that of the connection.
 *  @param client its name, or the path of a file */
export function timesOf(fields: EntryFields, client: string): Times {
  const general = (value: unknown): number | undefined => secondsIn(value, unitOf(client, value));
  const inSeconds = (value: unknown): number | undefined => secondsIn(value, 1);
  const inMs = (value: unknown): number | undefined => secondsIn(value, 0.001);
  const isOfConnection = OPENCODE.test(client);
  const ofAll = fields.take(['timeout'], general);
  const timeout =
    fields.take(['startup_timeout_sec'], inSeconds) ??
    fields.take(['startup_timeout_ms', 'connectionTimeout', 'initTimeout', 'startupTimeout'], inMs) ??
    (isOfConnection ? ofAll : undefined);
  const callTimeout =
    fields.take(['tool_timeout_sec', 'read_timeout_seconds', 'sse_read_timeout'], inSeconds) ??
    fields.take(['requestTimeout', 'timeoutMs', 'timeout_ms', 'toolTimeout'], inMs) ??
    ['options', 'requestOptions']
      .map((key) => fields.below(key).take(['timeout'], general))
      .find((one) => one) ??
    (isOfConnection ? undefined : ofAll);
  return { ...(timeout !== undefined && { timeout }), ...(callTimeout !== undefined && { callTimeout }) };
}

function unitOf(client: string, value: unknown): number {
  if (IN_SECONDS.test(client)) return 1;
  return IN_MS.test(client) || Number(value) > MOST_SECONDS ? 0.001 : 1;
}

/** @param unit seconds in one of what a bare number counts */
function secondsIn(value: unknown, unit: number): number | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  const [, digits, word = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text) ?? [];
  const time = Number(digits) * (UNITS[word] ?? unit);
  return time > 0 ? Math.ceil(time) : undefined;
}
