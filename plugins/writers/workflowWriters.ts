import { ConfigControl, ToolTable, messageOf } from 'pegboard';
import type { Call, Scope, Tool } from 'pegboard';
import { helpedBy } from '../kit/faults/remedy.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import type { Writer } from '../contracts/definitions.ts';
import type { People } from './people.ts';

const WORKFLOW = 'Workflow';
const TOOL_PREFIX = 'workflow_';
const WRITING: readonly string[] = ['core_workflow_create', 'core_workflow_update'];
/** It says whether the server of a tool is there now, and not what a person may do. */
const OF_SERVERS = 'server';
const FIX =
  'an operator takes the workflow over by changing it, or by removing the annotation pegboard.dev/registered-by';

/** Holds steps of workflows to what their writers may do. */
export class WorkflowWriters {
  readonly #scope: Scope<unknown>;
  readonly #people: People;
  #byWorkflow: ReadonlyMap<string, Writer> = new Map();
  #generation: number | undefined;

  constructor(scope: Scope<unknown>, people: People) {
    this.#scope = scope;
    this.#people = people;
  }

  /** A tap at STAGE.admit. @throws GatewayError WORKFLOW_WRITER */
  admit({ tool, parent, request: { caller } }: Call): Promise<undefined> | undefined {
    if (parent?.tool.kind === 'workflow') return this.#admitStep(tool, parent.tool.name);
    return caller !== undefined && WRITING.includes(tool.name) ? this.#people.remember(caller) : undefined;
  }

  async #admitStep(tool: Tool, workflow: string): Promise<undefined> {
    const writer = (await this.#writers()).get(workflow.slice(TOOL_PREFIX.length));
    if (writer === undefined) return;
    const why = await this.#refusal(tool, writer);
    if (why !== undefined)
      throw helpedBy(
        { do: 'say', what: FIX },
        'WORKFLOW_WRITER',
        `${workflow} may not call ${tool.name} for its writer ${writer.subject}: ${why}`,
      );
  }

  async #refusal(tool: Tool, writer: Writer): Promise<string | undefined> {
    const caller = await this.#people.lastSeen(writer);
    if (caller === undefined) return 'what they may do is not known before their next request';
    const table = this.#scope.get(ToolTable);
    try {
      const request = await this.#people.requestOf(caller);
      return table
        .explain(tool.name, tool, request)
        .find(({ layer, allow }) => !allow && layer !== OF_SERVERS)?.reason;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Read again after each reload: an update by another person may change nothing else. */
  async #writers(): Promise<ReadonlyMap<string, Writer>> {
    const generation = this.#scope.get(ConfigControl).lastReport()?.generation;
    if (generation !== this.#generation || generation === undefined) {
      const stored = (await this.#scope.find(ResourceStore)?.list(WORKFLOW)) ?? [];
      this.#byWorkflow = new Map(
        stored.flatMap(({ name, registeredBy }) => (registeredBy ? [[name, registeredBy] as const] : [])),
      );
      this.#generation = generation;
    }
    return this.#byWorkflow;
  }
}
