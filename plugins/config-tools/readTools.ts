import { ConfigControl, jsonResult, validateArguments } from 'pegboard';
import type { JsonSchema, Scope, Tool } from 'pegboard';
import { showAggregator } from './aggregator.ts';
import { showSettings } from './show.ts';

export const NO_ARGUMENTS: JsonSchema = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
};
const READING = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** The tools that change nothing. */
export function readTools(scope: Scope<unknown>): readonly Tool[] {
  return [
    {
      name: 'core_config_get',
      kind: 'core',
      description:
        'Get the whole configuration in force, defaults and unsaved changes included; secrets are redacted',
      inputSchema: NO_ARGUMENTS,
      annotations: READING,
      invoke(args) {
        validateArguments(NO_ARGUMENTS, args, 'core_config_get');
        return jsonResult(showSettings(scope.get(ConfigControl).settings()));
      },
    },
    {
      name: 'core_config_get_aggregator',
      kind: 'core',
      description: 'Get the configuration of the endpoint that clients connect to',
      inputSchema: NO_ARGUMENTS,
      annotations: READING,
      invoke(args) {
        validateArguments(NO_ARGUMENTS, args, 'core_config_get_aggregator');
        return jsonResult(showAggregator(scope.get(ConfigControl).settings().aggregator));
      },
    },
  ];
}
