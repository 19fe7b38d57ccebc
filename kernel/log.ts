export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogData = Readonly<Record<string, unknown>>;

/** One line per record: constant text, with data as separate fields. */
export interface Log {
  debug(text: string, data?: LogData): void;
  info(text: string, data?: LogData): void;
  warn(text: string, data?: LogData): void;
  error(text: string, data?: LogData): void;
  /** A log that adds `bound` to every line. */
  child(bound: LogData): Log;
}
