import { GatewayError, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { PageRequest } from '../entry/page.ts';

/** @throws GatewayError TOOL_ARGUMENTS when it is absent, empty or no string */
export function requiredText(args: JsonObject, key: string): string {
  const value = args[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new GatewayError('TOOL_ARGUMENTS', `${key} argument is required and must be a non-empty string`);
}

/** Absent and null count as `{}`. @throws GatewayError TOOL_ARGUMENTS for anything else that is no object */
export function objectArgument(args: JsonObject, key: string): JsonObject {
  const value = args[key] ?? {};
  if (isObject(value)) return value;
  const fix = 'describe_tool shows the fields it takes';
  throw new GatewayError('TOOL_ARGUMENTS', `${key} must be a JSON object; ${fix}`);
}

/** Undefined for another type: optional arguments of a wrong type count as absent. Source: aggregator.md 1.1. */
export function optionalText(args: JsonObject, key: string): string | undefined {
  const value = args[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What is matched against every tool must be short. @throws GatewayError TOOL_ARGUMENTS */
export function refuseLonger(args: JsonObject, keys: readonly string[], maxChars: number): void {
  for (const key of keys) {
    const value = args[key] ?? '';
    const chars = (typeof value === 'string' ? value : JSON.stringify(value)).length;
    if (chars > maxChars)
      throw new GatewayError(
        'TOOL_ARGUMENTS',
        `${key} has ${chars} characters; at most ${maxChars} are read`,
      );
  }
}

export function flag(args: JsonObject, key: string, fallback = false): boolean {
  const value = args[key];
  return typeof value === 'boolean' ? value : fallback;
}

/** A whole number, truncated toward zero; `fallback` when absent. @throws GatewayError TOOL_ARGUMENTS */
export function wholeNumber(
  args: JsonObject,
  key: string,
  bounds: { least: number; fallback: number },
): number {
  const value = args[key];
  if (value === undefined) return bounds.fallback;
  if (typeof value !== 'number') throw new GatewayError('TOOL_ARGUMENTS', `${key} must be a number`);
  const whole = Math.trunc(value);
  if (whole < bounds.least)
    throw new GatewayError('TOOL_ARGUMENTS', `${key} must be at least ${bounds.least}`);
  return whole;
}

/** @throws GatewayError TOOL_ARGUMENTS */
export function readPage(args: JsonObject, fallbackLimit: number): PageRequest {
  const limit = wholeNumber(args, 'limit', { least: 1, fallback: fallbackLimit });
  const offset = wholeNumber(args, 'offset', { least: 0, fallback: 0 });
  return { limit, offset, isDefault: args['limit'] === undefined };
}
