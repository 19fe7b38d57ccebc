import { GatewayError, isObject, pathBelow } from 'pegboard';
import type { JsonObject, Tool } from 'pegboard';
import { keepExactNumbers } from '../../kit/calls/exactNumbers.ts';
import { wantedTypes } from '../../kit/calls/wantedTypes.ts';
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
  if (!isObject(value)) throw new GatewayError('TOOL_ARGUMENTS', `${key} must be a JSON object; ${fix}`);
  if (typeof given === 'string') keepExactNumbers(`{"arguments":${given}}`, { arguments: value });
  return value;
}

const BEGINS_JSON = /^\s*[[{]/;

/** Whether an argument may be a list or an object as JSON text. */
export function hasJsonText(args: JsonObject): boolean {
  return Object.values(args).some((value) => typeof value === 'string' && BEGINS_JSON.test(value));
}

/** The arguments of a tool, with each list and object that is sent as JSON text, as some clients do, where its schema wants one. Any
 *  other text is left to the schema. */
export function withListsRead(args: JsonObject, { inputSchema }: Tool): JsonObject {
  const { properties } = inputSchema;
  if (!isObject(properties)) return args;
  return Object.fromEntries<unknown>(
    Object.entries(args).map(([key, value]) => {
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, isObject(schema) && typeof value === 'string' ? listOrObject(value, schema) : value];
    }),
  );
}

function listOrObject(text: string, schema: JsonObject): unknown {
  const types = wantedTypes(schema);
  if (!BEGINS_JSON.test(text) || types.includes('string')) return text;
  const value = parsed(text);
  if (value === undefined) return text;
  return types.includes(Array.isArray(value) ? 'array' : 'object') ? value : text;
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
