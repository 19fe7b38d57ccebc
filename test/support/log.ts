import type { Log, LogData, LogLevel } from '../../kernel/log.ts';
import { until } from './until.ts';

export interface LogRecord {
  readonly level: LogLevel;
  readonly text: string;
  readonly data: LogData;
}
export interface CapturedLog extends Log {
  readonly records: readonly LogRecord[];
  /** Records whose text contains `part`. */
  having(part: string, level?: LogLevel): readonly LogRecord[];
  /** Waits for the first record whose text contains `part`. */
  heard(part: string): Promise<LogRecord>;
}

/** A log that collects its records instead of writing them. */
export function captureLog(records: LogRecord[] = [], bound: LogData = {}): CapturedLog {
  const at =
    (level: LogLevel) =>
    (text: string, data: LogData = {}) => {
      records.push({ level, text, data: { ...bound, ...data } });
    };
  const having = (part: string, level?: LogLevel): readonly LogRecord[] =>
    records.filter((one) => one.text.includes(part) && (level === undefined || one.level === level));
  return {
    records,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => captureLog(records, { ...bound, ...more }),
    having,
    heard: (part) => until(() => having(part)[0], { what: `log record "${part}"` }),
  };
}
