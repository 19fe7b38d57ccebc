import { ConfigControl, structuredResult, NO_ARGUMENTS, READING, validateArguments } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { showAggregator } from './aggregatorSettings.ts';
import { showSettings } from './show.ts';

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
        return structuredResult(showSettings(scope.get(ConfigControl).settings()));
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
        return structuredResult(showAggregator(scope.get(ConfigControl).settings().aggregator));
      },
    },
  ];
}
