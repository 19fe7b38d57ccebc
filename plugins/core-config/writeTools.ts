import { setTimeout as pause } from 'node:timers/promises';
import {
  CHANGING,
  ConfigControl,
  GatewayError,
  coreTool,
  isError,
  resultOf,
  structuredResult,
} from 'pegboard';
import type { CallResult, JsonObject, ReloadReport, Scope, Tool } from 'pegboard';
import { SettingsStore } from '../contracts/settings.ts';
import { AGGREGATOR_ARGUMENTS, closedBy, readAggregator, showAggregator } from './aggregatorSettings.ts';
import type { ConfigToolsConfig } from './config.ts';
import { issueLine } from './edits.ts';
import type { Edits } from './edits.ts';

/** The tools that change the configuration. */
export function writeTools(scope: Scope<ConfigToolsConfig>, edits: Edits): readonly Tool[] {
  return [updateTool(scope, edits), saveTool(scope, edits), reloadTool(scope, edits)];
}

function updateTool(scope: Scope<ConfigToolsConfig>, edits: Edits): Tool {
  return coreTool({
    name: 'core_config_update_aggregator',
    authority: 'define',
    description:
      'Change the configuration of the endpoint that clients connect to; it takes effect at once and is lost at a restart or reload unless core_config_save follows',
    schema: AGGREGATOR_ARGUMENTS,
    hints: CHANGING,
    run: async (args) => {
      const sent = readAggregator(args['aggregator'] as JsonObject);
      const closed = closedBy(sent, scope.get(ConfigControl).settings().aggregator);
      if (closed !== undefined && args['confirm'] !== true) {
        const text = `${closed} closes the endpoint that every client connects to, and no tool can open it again; send "confirm": true beside aggregator if this is intended, and open it again in config.yaml`;
        throw new GatewayError('TOOL_ARGUMENTS', text);
      }
      const isDone = await settledInTime(
        scope,
        edits.change(sent).then(() => true),
      );
      const { aggregator } = scope.get(ConfigControl).settings();
      if (isDone) return structuredResult(showAggregator(aggregator));
      return structuredResult({ ...showAggregator({ ...aggregator, ...sent }), ...APPLYING });
    },
  });
}

function saveTool(scope: Scope<ConfigToolsConfig>, edits: Edits): Tool {
  return coreTool({
    name: 'core_config_save',
    authority: 'define',
    description: 'Write unsaved configuration changes to config.yaml; comments and order of the file stay',
    hints: CHANGING,
    run: async () => {
      const path = await edits.save((aggregator) => scope.get(SettingsStore).merge('aggregator', aggregator));
      const isSaved = path !== undefined;
      return structuredResult({ status: isSaved ? 'saved' : 'unchanged', paths: isSaved ? [path] : [] });
    },
  });
}

function reloadTool(scope: Scope<ConfigToolsConfig>, edits: Edits): Tool {
  return coreTool({
    name: 'core_config_reload',
    authority: 'operate',
    description: 'Read the configuration anew from disk and apply it; unsaved changes are discarded',
    hints: CHANGING,
    run: async () => {
      const report = await settledInTime(scope, edits.discard());
      return report === undefined ? structuredResult({ ...APPLYING, errors: [] }) : reloadResult(report);
    },
  });
}

const APPLYING = {
  status: 'applying',
  message: 'the change is being applied; core_config_get shows the result, the log shows errors',
};

/** A plugin that restarts may wait for its running calls, and this call may be one of them.
 *  @returns undefined if the work continues after the answer */
async function settledInTime<T>(scope: Scope<ConfigToolsConfig>, work: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController();
  const late = pause(scope.config.answerWithinMs, LATE, { signal: ended.signal }).catch(() => LATE);
  const first = await Promise.race([work, late]).finally(() => ended.abort());
  if (first !== LATE) return first as T;
  work.catch((error: unknown) => scope.log.error('configuration change failed after its answer', { error }));
  return undefined;
}
const LATE = Symbol('late');

function reloadResult({ applied, issues, generation, actions, diff, ms }: ReloadReport): CallResult {
  const errors = issues.filter(isError).map(issueLine);
  const warnings = issues.filter((issue) => !isError(issue)).map(issueLine);
  const status = applied ? 'reloaded' : 'rejected';
  const result = structuredResult({ status, errors, warnings, generation, actions, diff, ms });
  return applied ? result : resultOf({ ...result.value(), isError: true });
}
