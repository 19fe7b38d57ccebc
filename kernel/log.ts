export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogData = Readonly<Record<string, unknown>>;

/** One line per record: constant text, data beside it. */
export interface Log {
  debug(text: string, data?: LogData): void;
  info(text: string, data?: LogData): void;
  warn(text: string, data?: LogData): void;
  error(text: string, data?: LogData): void;
  /** A log whose every line carries `bound` too. */
  child(bound: LogData): Log;
}
