import { isObject } from 'pegboard';
import type { JsonObject, LogLevel } from 'pegboard';

/** What each line of the log begins with. */
const HEAD: ReadonlySet<string> = new Set(['time', 'level', 'text']);

/** A line of a worker's log. */
export interface LogLine {
  readonly level: LogLevel;
  readonly text: string;
  readonly facts: JsonObject;
}

/** @returns undefined for a line that the log has not written */
export function readLine(line: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || !['debug', 'info', 'warn', 'error'].includes(String(value['level'])))
      return undefined;
    const facts = Object.entries(value).filter(([name]) => !HEAD.has(name));
    return {
      level: value['level'] as LogLevel,
      text: String(value['text']),
      facts: Object.fromEntries(facts),
    };
  } catch {
    return undefined;
  }
}
