import type { JsonObject, JsonSchema } from 'pegboard';
import { mcpServerKind } from './mcpServerKind.ts';

type Properties = Readonly<Record<string, JsonObject>>;

const NAME: JsonObject = { description: 'Name of the MCP server.', type: 'string', minLength: 1 };
const FIELDS = mcpServerKind.schema['properties'] as Properties;

const SWITCH: JsonObject = { type: 'boolean' };
export const LIST_ARGUMENTS: JsonSchema = objectOf({ showAll: SWITCH, verbose: SWITCH }, []);
export const NAME_ARGUMENTS: JsonSchema = objectOf({ name: NAME }, ['name']);
export const CREATE_ARGUMENTS: JsonSchema = objectOf({ name: NAME, ...FIELDS }, ['name', 'type']);
export const UPDATE_ARGUMENTS: JsonSchema = objectOf({ name: NAME, ...clearable(FIELDS) }, ['name']);

function objectOf(properties: Properties, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The fields of an update: null clears a field, and there are no defaults, because absent fields stay unchanged. */
function clearable(fields: Properties): Properties {
  const cleared = Object.entries(fields).map(([name, field]) => {
    if (name === 'type') return [name, field];
    const rest = Object.entries(field).filter(([key]) => key !== 'default');
    const values = Array.isArray(field['enum']) && { enum: [...(field['enum'] as unknown[]), null] };
    return [name, { ...Object.fromEntries(rest), ...values, type: [field['type'], 'null'].flat() }];
  });
  return Object.fromEntries(cleared) as Properties;
}
