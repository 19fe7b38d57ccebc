import { ConfigControl, coreTool, structuredResult } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { showAggregator } from './aggregatorSettings.ts';
import { showSettings } from './show.ts';

/** The tools that change nothing. */
export function readTools(scope: Scope<unknown>): readonly Tool[] {
  return [
    coreTool({
      name: 'core_config_get',
      authority: 'operate',
      description:
        'Get the whole configuration in force, defaults and unsaved changes included; secrets are redacted',
      run: () => structuredResult(showSettings(scope.get(ConfigControl))),
    }),
    coreTool({
      name: 'core_config_get_aggregator',
      authority: 'operate',
      description: 'Get the configuration of the endpoint that clients connect to',
      run: () => structuredResult(showAggregator(scope.get(ConfigControl).settings().aggregator)),
    }),
  ];
}
