import { join } from 'node:path';
import { ConfigControl, jsonResult, resultOf, validateArguments } from 'pegboard';
import type { CallResult, JsonObject, JsonSchema, ReloadReport, Scope, Tool } from 'pegboard';
import { AGGREGATOR_ARGUMENTS, readAggregator, showAggregator } from './aggregator.ts';
import { isError, issueText } from './edits.ts';
import type { Edits } from './edits.ts';
import { NO_ARGUMENTS } from './readTools.ts';
import { saveAggregator } from './save.ts';

export interface ConfigToolsConfig {
  readonly writeAttempts: number;
}

const CHANGING = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** The tools that change the configuration. */
export function writeTools(scope: Scope<ConfigToolsConfig>, edits: Edits): readonly Tool[] {
  return [updateTool(scope, edits), saveTool(scope, edits), reloadTool(edits)];
}

function updateTool(scope: Scope<ConfigToolsConfig>, edits: Edits): Tool {
  const description =
    'Change the configuration of the endpoint that clients connect to; it takes effect at once and is lost at a restart or reload unless core_config_save follows';
  return changing('core_config_update_aggregator', description, AGGREGATOR_ARGUMENTS, async (args) => {
    await edits.change(readAggregator(args['aggregator'] as JsonObject));
    return jsonResult(showAggregator(scope.get(ConfigControl).settings().aggregator));
  });
}

function saveTool(scope: Scope<ConfigToolsConfig>, edits: Edits): Tool {
  const description =
    'Write unsaved configuration changes to config.yaml; comments and order of the file stay';
  return changing('core_config_save', description, NO_ARGUMENTS, async () => {
    const file = join(scope.get(ConfigControl).directory, 'config.yaml');
    const paths = await edits.save((aggregator) =>
      saveAggregator(file, aggregator, scope.config.writeAttempts),
    );
    return jsonResult({ status: paths ? 'saved' : 'unchanged', paths: paths ? [file] : [] });
  });
}

function reloadTool(edits: Edits): Tool {
  const description = 'Read the configuration anew from disk and apply it; unsaved changes are discarded';
  return changing('core_config_reload', description, NO_ARGUMENTS, async () =>
    reloadResult(await edits.discard()),
  );
}

function changing(
  name: string,
  description: string,
  inputSchema: JsonSchema,
  run: (args: JsonObject) => Promise<CallResult>,
): Tool {
  return {
    name,
    kind: 'core',
    description,
    inputSchema,
    annotations: CHANGING,
    invoke: (args) => run(validateArguments(inputSchema, args, name)),
  };
}

function reloadResult({ applied, issues, generation, actions, diff, ms }: ReloadReport): CallResult {
  const errors = issues.filter(isError).map(issueText);
  const warnings = issues.filter((issue) => !isError(issue)).map(issueText);
  const status = applied ? 'reloaded' : 'rejected';
  const result = jsonResult({ status, errors, warnings, generation, actions, diff, ms });
  return applied ? result : resultOf({ ...result.value(), isError: true });
}
