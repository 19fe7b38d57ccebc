import type { JsonObject } from 'pegboard';

/** Keys of a definition, in seconds. */
export interface Times {
  readonly timeout?: number;
  readonly callTimeout?: number;
}
/** Clients whose `timeout` is in ms. */
const IN_MS = new Set(['gemini', 'qwen', 'opencode', 'kiro']);
/** Larger ones of a file whose client is not known are in ms: no one waits for a quarter of an hour. */
const MOST_SECONDS = 900;
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** The times that an entry sets. Codex has keys of its own, mcpproxy texts such as `5m`; opencode's `timeout` is that of the connection. */
export function timesOf(value: JsonObject, client: string): Times {
  const seconds = (key: string, unit: number): number | undefined => {
    const given = value[key];
    const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
    const [, digits, word = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
    const time = Number(digits) * (UNITS[word] ?? unit);
    return time > 0 ? Math.ceil(time) : undefined;
  };
  const given = Number(value['timeout']);
  const unit = IN_MS.has(client) || given > MOST_SECONDS ? 0.001 : 1;
  const general = seconds('timeout', unit);
  const isOfConnection = client === 'opencode';
  const timeout =
    seconds('startup_timeout_sec', 1) ??
    seconds('startup_timeout_ms', 0.001) ??
    (isOfConnection ? general : undefined);
  const callTimeout = seconds('tool_timeout_sec', 1) ?? (isOfConnection ? undefined : general);
  return { ...(timeout !== undefined && { timeout }), ...(callTimeout !== undefined && { callTimeout }) };
}
