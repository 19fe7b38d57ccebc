import { ConfigControl, ToolTable, definePlugin, readSchema } from 'pegboard';
import { Turns } from '../kit/limits/turns.ts';
import { MemoryBudget } from '../contracts/memory.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { CallSecrets, References } from '../contracts/secrets.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { Tracer } from '../contracts/tracing.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import { RunStore, WorkflowRuns } from '../contracts/runs.ts';
import { restrictedInAll } from './definition/restrictedUses.ts';
import { stepReferences } from './definition/stepReferences.ts';
import type { WorkflowConfig } from './config.ts';
import { RunMetrics } from './run/runMetrics.ts';
import { WorkflowEvents } from './run/workflowEvents.ts';
import { Executions } from './records/executions.ts';
import { allRuns } from './tools/allRuns.ts';
import { executionTools } from './tools/executionTools.ts';
import { WORKFLOW, workflowKind } from './definition/workflowKind.ts';
import { readTools } from './tools/readTools.ts';
import { answerCancels } from './tools/remoteCancel.ts';
import { Registry } from './registry.ts';
import { Runs } from './runs.ts';
import { Templates } from './definition/templates.ts';
import { writeTools } from './tools/writeTools.ts';

/** Workflows: definitions that chain tools, each offered as a tool. */
export const plugin = definePlugin<WorkflowConfig>({
  name: 'workflow',
  api: 1,
  keeps: 'the records of workflow runs',
  configSchema: readSchema('config/workflow'),
  requires: [ConfigControl, ResourceStore, ToolTable],
  uses: [RunStore, Vault, Channel, MemoryBudget, Peers, References, Tracer],
  provides: [CallSecrets, MetricSource, WorkflowRuns],
  kinds: [workflowKind],
  review: (facts) => [...stepReferences(facts), ...restrictedInAll(facts)],
  apply(scope) {
    let current = scope.config;
    const config = (): WorkflowConfig => current;
    const metrics = new RunMetrics(
      () => registry.all().map(({ workflow }) => workflow.name),
      () => runs.running(),
    );
    const events = new WorkflowEvents((event) => scope.emit(event), metrics);
    const executions = new Executions(scope, config);
    const turns = new Turns();
    const templates = new Templates(config, turns);
    const registry: Registry = new Registry(scope, events, () => runs);
    const runs: Runs = new Runs({ scope, config, templates, turns, events, executions, find: registry.find });
    const parts = { scope, config, registry, runs, events, executions };
    scope.provide(CallSecrets, runs);
    scope.provide(MetricSource, metrics);
    scope.provide(WorkflowRuns, allRuns(parts));

    for (const tool of [...readTools(parts), ...writeTools(parts), ...executionTools(parts)])
      scope.addTool(tool);
    scope.each(Channel, (channel) => answerCancels(channel, parts));
    scope.tap('onConfigApply', (diff) => registry.apply(diff));
    scope.onStart(() => {
      registry.apply({ added: scope.get(ConfigControl).resources(WORKFLOW), changed: [], removed: [] });
      executions.start();
    });
    scope.onReload((next) => {
      current = next;
      executions.start();
    });
    scope.onDrain(() => runs.stop('the service stopped'));
    scope.onStop(async () => {
      await runs.stop('the service stopped');
      await executions.stop();
    });
  },
});
