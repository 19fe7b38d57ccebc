import { isObject } from 'pegboard';
import type { JsonObject, Tool } from 'pegboard';
import { objectArgument } from './arguments.ts';

/** The call that a call of call_tool means. */
export interface InsideCall {
  readonly name: string;
  readonly args: JsonObject;
  /** What was understood, for programs. */
  readonly said: string;
}

/** The call that a call of call_tool inside another means, or one whose arguments are wrapped twice; undefined if it means itself.
 *  @param tool of that name, if there is one */
export function insideCall(name: string, given: JsonObject, tool: Tool | undefined): InsideCall | undefined {
  const inner = given['name'];
  if (name === 'call_tool' && typeof inner === 'string')
    return { name: inner, args: innerArguments(given), said: 'call_tool was called inside call_tool' };
  const isWrapped =
    given['arguments'] !== undefined &&
    tool !== undefined &&
    !takes(tool, 'arguments') &&
    (inner === undefined || inner === name) &&
    Object.keys(given).every((key) => key === 'arguments' || key === 'name') &&
    (typeof given['arguments'] === 'string' || isObject(given['arguments']));
  return isWrapped
    ? { name, args: innerArguments(given), said: 'arguments was wrapped in itself' }
    : undefined;
}

function innerArguments(given: JsonObject): JsonObject {
  return objectArgument(given, 'arguments', 'describe_tool shows the fields it takes');
}

/** Whether a tool has such an argument, or may have: its schema names none. */
function takes({ inputSchema }: Tool, key: string): boolean {
  const { properties } = inputSchema;
  return !isObject(properties) || Object.keys(properties).length === 0 || Object.hasOwn(properties, key);
}
