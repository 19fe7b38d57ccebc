import { isObject } from 'pegboard';
import type { Finding, JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { parseDuration } from '../../kit/text/parseDuration.ts';

/** Reports a fault while a definition is read. */
export type ReportFault = (path: Path, message: string, severity?: Finding['severity']) => void;

export function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const found = value[key];
  return isObject(found) ? found : undefined;
}

/** The value under the camelCase key, else under its snake_case spelling, together with the key that was used. */
export function either(value: JsonObject, camel: string): { readonly key: string; readonly value: unknown } {
  const snake = snakeOf(camel);
  const key = value[camel] === undefined && value[snake] !== undefined ? snake : camel;
  return { key, value: value[key] };
}

export function snakeOf(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Seconds, or a text such as `500ms`, `30s`, `1m30s`. @returns ms, or undefined when it is neither */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && Number.isFinite(value) ? value * 1000 : undefined;
  return typeof value === 'string' ? parseDuration(value) : undefined;
}
