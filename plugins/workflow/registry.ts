import { ToolTable, placeText } from 'pegboard';
import type { InboundRequest, Resource, ResourceDiff, Scope, Tool } from 'pegboard';
import { isReadOnlyWorkflow } from './definition/availability.ts';
import type { Held } from './definition/availability.ts';
import type { WorkflowConfig } from './config.ts';
import type { WorkflowEvents } from './run/workflowEvents.ts';
import { inputSchemaOf } from './definition/inputs.ts';
import { restrictedUses } from './definition/restrictedUses.ts';
import { WORKFLOW, workflowOf } from './definition/workflowKind.ts';
import { TOOL_PREFIX } from './definition/model.ts';
import type { Runs } from './runs.ts';

const READS = { readOnlyHint: true } as const;

interface Registered extends Held {
  readonly resource: Resource;
  readonly remove: () => void;
}

/** Workflows in force, each with its tool; a run keeps the definition it started with. */
export class Registry {
  readonly #scope: Scope<WorkflowConfig>;
  readonly #runs: () => Runs;
  readonly #events: WorkflowEvents;
  readonly #byName = new Map<string, Registered>();

  constructor(scope: Scope<WorkflowConfig>, events: WorkflowEvents, runs: () => Runs) {
    this.#scope = scope;
    this.#runs = runs;
    this.#events = events;
  }

  readonly find = (name: string): Registered | undefined => this.#byName.get(name);

  /** Sorted by name. */
  all(): readonly Registered[] {
    return [...this.#byName.values()].sort((a, b) => (a.workflow.name < b.workflow.name ? -1 : 1));
  }

  apply({ added, changed, removed }: Pick<ResourceDiff, 'added' | 'changed' | 'removed'>): void {
    const own = [...added, ...changed, ...removed].filter(({ kind }) => kind === WORKFLOW);
    for (const { name } of own) this.#remove(name);
    for (const resource of [...added, ...changed]) if (resource.kind === WORKFLOW) this.#add(resource);
    for (const { name } of own)
      this.#events.tell(
        'WorkflowCapabilitiesRefreshed',
        name,
        `Aggregator capabilities refreshed after workflow ${name} changes`,
      );
  }

  #add(resource: Resource): void {
    const { name, labels, origin } = resource;
    const workflow = workflowOf(resource);
    const held: Held = { workflow, locate: (path) => origin.locate(path) };
    const tool: Tool = {
      name: TOOL_PREFIX + name,
      kind: 'workflow',
      description: workflow.description === '' ? `Runs the workflow ${name}` : workflow.description,
      inputSchema: inputSchemaOf(workflow),
      ...(labels && { labels }),
      annotationsFor: (request) => this.#annotations(held, request),
      invoke: (args, call) => this.#runs().invoke(held, args, call),
    };
    let remove = (): void => undefined;
    // Before the tool is there: from then on the annotations of others that call it follow from this one's.
    this.#byName.set(name, { ...held, resource, remove: () => remove() });
    remove = this.#scope.addTool(tool);
    for (const { path, message } of restrictedUses(workflow, this.#scope.config))
      this.#scope.log.warn(`Workflow ${name}: ${message}`, { at: placeText(origin.locate(path)) });
    this.#events.tell('WorkflowToolRegistered', name, `registered as tool '${tool.name}' in aggregator`);
  }

  #annotations(held: Held, request: InboundRequest): typeof READS | undefined {
    const table = this.#scope.get(ToolTable);
    return isReadOnlyWorkflow(held, { table, find: this.find, request }) ? READS : undefined;
  }

  #remove(name: string): void {
    const held = this.#byName.get(name);
    this.#byName.delete(name);
    held?.remove();
  }
}
