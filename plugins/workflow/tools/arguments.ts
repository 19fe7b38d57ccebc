import { GatewayError, validateArguments } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { omit } from '../definition/omit.ts';

type Properties = Readonly<Record<string, JsonObject>>;

const NAME: JsonObject = { description: 'Name of the workflow.', type: 'string', minLength: 1 };
const TIME: JsonObject = { type: ['number', 'string'], description: 'Seconds, or a text such as 1m30s.' };
const TOOL_STEPS: JsonObject = { type: 'array', items: { type: 'object' } };
const STEP: JsonObject = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', description: 'Letters, digits, "_" and "-"; the result is .results.<id>.' },
    tool: { type: 'string', description: 'Exact name, as filter_tools gives it. Else forEach or parallel.' },
    args: { type: ['object', 'null'], description: 'Arguments of the tool; texts may be templates.' },
    condition: {
      type: ['string', 'object'],
      description:
        'A template that prints true; or {fromStep: id} or {tool, args}, each with expect or expectNot: {success: true} or {jsonPath: {"a.b[0]": value}}; or {all: [...]}, {any: [...]}, {not: ...}.',
    },
    forEach: {
      type: 'object',
      properties: {
        items: { type: ['string', 'array'], description: 'A list, or a template of one.' },
        as: { type: 'string', default: 'item', description: 'The item is .vars.<as>.' },
        concurrency: { type: 'integer', default: 1 },
        maxItems: { type: 'integer' },
        steps: { ...TOOL_STEPS, description: 'Steps with tools.' },
      },
    },
    parallel: { ...TOOL_STEPS, description: 'Steps with tools that run at the same time.' },
    outputs: { type: 'object', description: 'Names below .vars with templates of .result.' },
    output: { type: ['boolean', 'null'], description: 'Whether the answer shows the result.' },
    allowFailure: { type: 'boolean', description: 'Whether to go on when it fails.' },
    timeout: TIME,
    retry: {
      type: 'object',
      properties: {
        max: { type: 'integer' },
        delay: TIME,
        factor: { type: 'number', default: 2 },
        maxDelay: TIME,
        retryOn: { type: 'array', items: { enum: ['transport', 'isError', 'timeout'] } },
      },
    },
  },
};

/** The kind's schema in short, as a model reads it: what it allows, this allows too. The definition is checked against the
 *  schema of the kind. */
const FIELDS: Properties = {
  description: { type: 'string', description: 'What the workflow does.' },
  version: { type: ['string', 'number'] },
  args: {
    description: 'What a call gives, by name; read as .input.<name>.',
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        type: { enum: ['string', 'integer', 'boolean', 'number', 'object', 'array'] },
        required: { type: 'boolean', default: false },
        default: {},
        description: { type: 'string' },
        enum: { type: 'array' },
        sensitive: { type: 'boolean', description: 'Whether its value is masked.' },
      },
    },
  },
  steps: {
    description:
      "Run in order. Templates are Go's with sprig: {{ .input.name | upper }}, {{ .results.id.field }}.",
    type: 'array',
    items: STEP,
  },
  onFailure: { ...TOOL_STEPS, description: 'Steps with tools that run after a failure.' },
  finally: { ...TOOL_STEPS, description: 'Steps with tools that run at the end in any case.' },
  output: { description: 'The answer, with templates; else it lists the steps.', type: 'object' },
  timeout: TIME,
};
const LABELS: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };

const EXAMPLE: JsonObject = {
  name: 'read-all',
  description: 'Reads files',
  args: { paths: { type: 'array', required: true } },
  steps: [
    {
      id: 'each',
      condition: '{{ not (empty .input.paths) }}',
      forEach: {
        items: '{{ .input.paths }}',
        steps: [{ id: 'read', tool: 'x_files_read', args: { path: '{{ .vars.item }}' }, allowFailure: true }],
      },
    },
  ],
  output: { texts: '{{ get .results "each" }}' },
};

export const NAME_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME }, ['name']),
  additionalProperties: false,
};
export const CREATE_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME, ...FIELDS, labels: LABELS }, ['name', 'steps']),
  examples: [EXAMPLE],
};
export const UPDATE_ARGUMENTS: JsonSchema = {
  ...objectOf({ name: NAME, ...clearable(FIELDS) }, ['name']),
  examples: [omit(EXAMPLE, 'description', 'args')],
};

function objectOf(properties: Properties, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required };
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
