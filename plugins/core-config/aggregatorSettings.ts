import { readSchema } from 'pegboard';
import type { AggregatorSettings, JsonObject, JsonSchema } from 'pegboard';
import { capitalise } from './show.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** Keys of the aggregator section that core_config_*_aggregator show and change. Source: requirement config.aggregator. */
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
    confirm: {
      description:
        'Must be true for a change that closes the last way in: Enabled false, or Transport stdio.',
      type: 'boolean',
      default: false,
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

/** The part of a change that would leave no client able to reach the endpoint and undo it; undefined if clients still can.
 *  @param sent keys as in config.yaml */
export function closedBy(sent: JsonObject, { enabled, transport }: AggregatorSettings): string | undefined {
  if (sent['enabled'] === false && enabled) return 'Enabled: false';
  return sent['transport'] === 'stdio' && transport !== 'stdio' ? 'Transport: stdio' : undefined;
}

function sectionSchema(): Properties {
  const { aggregator } = readSchema('config')['properties'] as Properties;
  return (aggregator?.['properties'] ?? {}) as Properties;
}

/** A key that is missing from an update keeps its value; a default in the schema would suggest a reset. */
function withoutDefault(schema: JsonSchema = {}): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'default'));
}
