import { readSchema } from 'pegboard';
import type { AggregatorSettings, JsonObject, JsonSchema } from 'pegboard';
import { capitalise } from './show.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** Keys of the aggregator section that core_config_*_aggregator show and change. Source: interface.md. */
const KEYS = ['port', 'host', 'transport', 'enabled', 'servicePrefix'] as const;

export const AGGREGATOR_ARGUMENTS: JsonSchema = {
  type: 'object',
  properties: {
    aggregator: {
      description: 'The keys to change; the others stay as they are.',
      type: 'object',
      properties: Object.fromEntries(
        KEYS.map((key) => [capitalise(key), withoutDefault(sectionSchema()[key])]),
      ),
      additionalProperties: false,
    },
  },
  required: ['aggregator'],
  additionalProperties: false,
};

/** `port` becomes `Port`. */
export function showAggregator(settings: AggregatorSettings): JsonObject {
  return Object.fromEntries(KEYS.map((key) => [capitalise(key), settings[key]]));
}

/** `Port` becomes `port`. */
export function readAggregator(sent: JsonObject): JsonObject {
  const given = KEYS.filter((key) => sent[capitalise(key)] !== undefined);
  return Object.fromEntries(given.map((key) => [key, sent[capitalise(key)]]));
}

function sectionSchema(): Properties {
  const { aggregator } = readSchema('config')['properties'] as Properties;
  return (aggregator?.['properties'] ?? {}) as Properties;
}

/** What is left out of an update stays; a default would say that it is reset. */
function withoutDefault(schema: JsonSchema = {}): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'default'));
}
