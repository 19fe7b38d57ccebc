import type { Log, LogData, LogLevel } from '../../kernel/index.ts';

export interface LogRecord {
  readonly level: LogLevel;
  readonly text: string;
  readonly data: LogData;
}

/** A log that collects its records instead of writing them. */
export function keepRecords(): { readonly log: Log; readonly records: readonly LogRecord[] } {
  const records: LogRecord[] = [];
  const bind = (bound: LogData): Log => {
    const at =
      (level: LogLevel) =>
      (text: string, data: LogData = {}): void =>
        void records.push({ level, text, data: { ...bound, ...data } });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (more) => bind({ ...bound, ...more }),
    };
  };
  return { log: bind({}), records };
}
