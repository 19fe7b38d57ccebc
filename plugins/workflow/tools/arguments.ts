import { GatewayError, validateArguments } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { workflowKind } from '../definition/workflowKind.ts';

type Properties = Readonly<Record<string, JsonObject>>;

const NAME: JsonObject = { description: 'Name of the workflow.', type: 'string', minLength: 1 };
const LABELS: JsonObject = {
  description: 'Labels of the definition; discovery shows them with the tool.',
  type: 'object',
  additionalProperties: { type: 'string' },
};
const FIELDS = workflowKind.schema['properties'] as Properties;
const $defs = workflowKind.schema['$defs'] as JsonObject;

export const NAME_ARGUMENTS: JsonSchema = objectOf({ name: NAME }, ['name']);
export const VALIDATE_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME, ...FIELDS }, ['name', 'steps']),
  $defs,
};
export const CREATE_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME, ...FIELDS, labels: LABELS }, ['name', 'steps']),
  $defs,
};
export const UPDATE_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME, ...clearable(FIELDS) }, ['name']),
  $defs,
};

function objectOf(properties: Properties, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** In an update, null clears a field. */
function clearable(fields: Properties): Properties {
  const cleared = Object.entries(fields).map(([name, field]) =>
    name === 'steps' ? [name, field] : [name, { ...field, type: [field['type'], 'null'].flat() }],
  );
  return Object.fromEntries(cleared) as Properties;
}

/** Reads the arguments of a tool that takes a name and nothing else. @throws GatewayError TOOL_ARGUMENTS */
export function readName(args: JsonObject, tool: string): string {
  const name = requiredName(args);
  validateArguments(NAME_ARGUMENTS, args, tool);
  return name;
}

/** @throws GatewayError TOOL_ARGUMENTS */
export function requiredName(args: JsonObject): string {
  const { name } = args;
  if (typeof name === 'string' && name !== '') return name;
  throw new GatewayError('TOOL_ARGUMENTS', 'name argument is required');
}
