import { channel } from 'node:diagnostics_channel';
import { HIDDEN } from '../lib/hidden.ts';
import { escapeUnprintable } from '../lib/plainText.ts';
import type { Log, LogData, LogLevel } from '../log.ts';

export type LogFormat = 'text' | 'json';

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const SECRET = /^(?:authorization|cookie|set-cookie)$|password|secret|token|api-?key|credential/i;
const COLOUR: Readonly<Record<LogLevel, string>> = { debug: '2', info: '32', warn: '33', error: '31' };
/** Who shows the log subscribes to its lines as text: the admin pages. */
const LINES = channel('pegboard:log');
const MAX_VALUE_CHARS = 2_000;
const UNSERIALIZABLE = '"not serializable"';

export interface LogOptions {
  /** Asked for every line, so that it may change. */
  readonly level: () => LogLevel;
  readonly format: LogFormat;
  readonly colour: boolean;
  readonly write: (line: string) => void;
  readonly now?: () => Date;
}

/** @returns a log that writes whole lines, each ending in a newline */
export function createLog(options: LogOptions, bound: LogData = {}): Log {
  const write = (level: LogLevel, text: string, data: LogData = {}): void => {
    if (RANK[level] < RANK[options.level()]) return;
    const time = (options.now?.() ?? new Date()).toISOString();
    const facts = { ...bound, ...data };
    const line = options.format === 'json' ? jsonLine : textLine;
    options.write(line(time, level, text, facts, options.colour));
    if (LINES.hasSubscribers) LINES.publish(textLine(time, level, text, facts, false));
  };
  return {
    debug: (text, data) => write('debug', text, data),
    info: (text, data) => write('info', text, data),
    warn: (text, data) => write('warn', text, data),
    error: (text, data) => write('error', text, data),
    child: (more) => createLog(options, { ...bound, ...more }),
  };
}

function jsonLine(time: string, level: LogLevel, text: string, facts: LogData): string {
  const line =
    serialize({ time, level, text, ...facts }) ?? serialize({ time, level, text, data: 'not serializable' });
  return `${escapeUnprintable(line ?? '')}\n`;
}

function textLine(time: string, level: LogLevel, text: string, facts: LogData, colour: boolean): string {
  const word = colour ? `\u001b[${COLOUR[level]}m${level.padEnd(5)}\u001b[0m` : level.padEnd(5);
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const pairs = known.map(([key, value]) => ` ${key}=${textValue(redact(key, value))}`);
  return `${time} ${word} ${escapeUnprintable(text)}${pairs.join('')}\n`;
}

/** Text from outside can contain line breaks and terminal sequences, so only plain words stay unquoted. */
function textValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+\-[\]]+$/.test(value)) return value;
  return escapeUnprintable(serialize([value])?.slice(1, -1) ?? UNSERIALIZABLE);
}

/** Undefined for values that JSON cannot represent, such as circular data: a log line must never fail. */
function serialize(value: object): string | undefined {
  try {
    return JSON.stringify(value, redact);
  } catch {
    return undefined;
  }
}

function redact(key: string, value: unknown): unknown {
  if (SECRET.test(key) && value !== undefined) return HIDDEN;
  if (value instanceof Error) return errorFacts(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && value.length > MAX_VALUE_CHARS)
    return `${value.slice(0, MAX_VALUE_CHARS)}…`;
  return value;
}

function errorFacts(error: Error): LogData {
  const { message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const own = 'code' in error && error.name === 'GatewayError';
  return { ...code, message, ...(own ? {} : { stack }), ...(cause === undefined ? {} : { cause }) };
}
