import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import { readToolArguments } from './readToolArguments.ts';
import type { ArgumentSources } from './readToolArguments.ts';

/** What a verb understands that passes arguments to a tool. */
export const ARGUMENTS = {
  parameter: {
    name: '[arguments...]',
    description: '--name value, --name @file, --switch: typed by the tool',
  },
  options: [
    { flags: '--json <object>', description: 'arguments as a JSON object' },
    { flags: '--file <file>', description: 'arguments from a JSON or YAML file; - is standard input' },
  ],
};

/** The arguments that were given for a tool, by the inputSchema that the gateway describes. @throws Failure */
export async function argumentsFor(
  gateway: Gateway,
  tool: string,
  { words, ...sources }: ArgumentSources & { readonly words: readonly string[] },
  invocation: Invocation,
): Promise<JsonObject> {
  const { inputSchema } = await gateway.read('describe_tool', { name: tool });
  return readToolArguments(words, isObject(inputSchema) ? inputSchema : {}, sources, invocation);
}
