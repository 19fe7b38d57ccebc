import { GatewayError, isObject, pathBelow } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import type { PageRequest } from '../entry/entryPage.ts';

/** Depth limit for JSON inside a string, which the front does not check; equals the default of `front.maxDepth`. */
const MAX_LEVELS = 512;

/** @throws GatewayError TOOL_ARGUMENTS if it is absent, empty or not a string */
export function requiredText(args: JsonObject, key: string): string {
  const value = args[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new GatewayError('TOOL_ARGUMENTS', `${key} argument is required and must be a non-empty string`);
}

/** Reads an object, or a string with its JSON, as some models send it; `{}` if absent.
 *  @param fix advice for the message @throws GatewayError TOOL_ARGUMENTS */
export function objectArgument(args: JsonObject, key: string, fix: string): JsonObject {
  const given = args[key] ?? {};
  const value = typeof given === 'string' ? parsed(given) : given;
  if (isObject(value)) return value;
  throw new GatewayError('TOOL_ARGUMENTS', `${key} must be a JSON object; ${fix}`);
}

/** @returns undefined if it is not JSON, or is nested too deeply to be passed on */
function parsed(text: string): unknown {
  const value = jsonIn(text);
  return pathBelow(value, MAX_LEVELS) === undefined ? value : undefined;
}

/** @throws GatewayError TOOL_ARGUMENTS if it is not a string */
export function optionalText(args: JsonObject, key: string): string | undefined {
  const value = args[key];
  if (value === undefined || typeof value === 'string') return value;
  throw new GatewayError('TOOL_ARGUMENTS', `${key} must be a string`);
}

/** Arguments that are matched against every tool must be short. @throws GatewayError TOOL_ARGUMENTS */
export function refuseLonger(args: JsonObject, keys: readonly string[], maxChars: number): void {
  for (const key of keys) {
    const value = args[key] ?? '';
    const chars = (typeof value === 'string' ? value : JSON.stringify(value)).length;
    if (chars > maxChars)
      throw new GatewayError(
        'TOOL_ARGUMENTS',
        `${key} has ${chars} characters; at most ${maxChars} are allowed`,
      );
  }
}

/** False if absent. @throws GatewayError TOOL_ARGUMENTS if it is not a boolean */
export function flag(args: JsonObject, key: string): boolean {
  const value = args[key] ?? false;
  if (typeof value === 'boolean') return value;
  throw new GatewayError('TOOL_ARGUMENTS', `${key} must be true or false`);
}

/** A whole number, truncated toward zero; `fallback` if absent. @throws GatewayError TOOL_ARGUMENTS */
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
