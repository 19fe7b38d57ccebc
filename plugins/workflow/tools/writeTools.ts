import {
  CHANGING,
  ConfigControl,
  GatewayError,
  coreTool,
  isGatewayError,
  structuredResult,
  validateArguments,
} from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { Call, JsonObject, JsonSchema, Tool, ToolAnnotations } from 'pegboard';
import { helpedBy } from '../../kit/faults/remedy.ts';
import { ResourceStore } from '../../contracts/definitions.ts';
import { writerOf } from '../../kit/definitions/registeredBy.ts';
import { CREATE_ARGUMENTS, NAME_ARGUMENTS, UPDATE_ARGUMENTS, requiredName } from './arguments.ts';
import { WORKFLOW } from '../definition/workflowKind.ts';
import type { ToolParts } from './toolParts.ts';
import { workflowNotFound, shownWorkflow } from './readTools.ts';
import { snakeOf } from '../definition/spelling.ts';
import { examine, rowOf } from './examine.ts';
import { omit } from '../definition/omit.ts';

interface Described {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly hints: ToolAnnotations;
  readonly work: (name: string, fields: JsonObject, call: Call) => Promise<JsonObject>;
}

/** The tools that write definitions. They run one at a time, because an update reads, merges and writes. */
export function writeTools(parts: ToolParts): readonly Tool[] {
  const queued = inTurn();
  const tool = ({ work, ...described }: Described): Tool =>
    coreTool({
      ...described,
      authority: 'define',
      writesThroughStore: true,
      // The rest is checked in turn, as what it makes of the definition.
      read: (args) => ({ name: requiredName(args), fields: omit(args, 'name') }),
      run: async ({ name, fields }, call) => structuredResult(await queued(() => work(name, fields, call))),
    });
  return [
    tool({
      name: 'core_workflow_create',
      description: 'Create a workflow definition; its tool workflow_<name> is there when the answer comes',
      schema: CREATE_ARGUMENTS,
      hints: { ...CHANGING, destructiveHint: false, idempotentHint: false },
      work: (name, fields, call) => create(name, fields, { parts, call }),
    }),
    tool({
      name: 'core_workflow_update',
      description:
        'Change a workflow definition: only the fields given change, steps and args replace the former ones, null clears a field',
      schema: UPDATE_ARGUMENTS,
      hints: CHANGING,
      work: (name, fields, call) => update(name, fields, { parts, call }),
    }),
    tool({
      name: 'core_workflow_delete',
      description: 'Delete a workflow definition; runs under way and records of runs stay',
      schema: NAME_ARGUMENTS,
      hints: { ...CHANGING, idempotentHint: false },
      work: (name, fields, call) => remove(name, fields, { parts, call }),
    }),
  ];
}

interface Context {
  readonly parts: ToolParts;
  readonly call: Call;
}

async function create(name: string, fields: JsonObject, context: Context): Promise<JsonObject> {
  const { scope, events } = context.parts;
  const { labels, ...spec } = fields;
  const warned = warningsOf(name, spec, { ...context, verb: 'create' });
  validateArguments(CREATE_ARGUMENTS, { name, ...fields }, 'core_workflow_create');
  const definition = {
    name,
    spec,
    registeredBy: writerOf(context.call.request),
    ...(labels !== undefined && { labels: labels as Record<string, string> }),
  };
  try {
    await scope.get(ResourceStore).create(WORKFLOW, definition, context.call.request);
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'STORE_CONFLICT') throw error;
    const text = `failed to create workflow: workflow '${name}' already exists`;
    throw helpedBy({ do: 'change', kind: 'workflow', name }, 'STORE_CONFLICT', text);
  }
  const taken = await takenOver(name, context);
  events.tell('WorkflowCreated', name, `successfully created with ${stepCount(spec)} steps`);
  return { ...taken, message: 'Workflow created successfully', ...warned };
}

async function update(name: string, fields: JsonObject, context: Context): Promise<JsonObject> {
  const { scope, events } = context.parts;
  const store = scope.get(ResourceStore);
  const stored = await store.get(WORKFLOW, name);
  if (stored === undefined) throw workflowNotFound(name);
  const spec = merged(stored.spec, fields);
  const warned = warningsOf(name, spec, { ...context, verb: 'update' });
  await store.replace(
    WORKFLOW,
    { ...stored, spec, registeredBy: writerOf(context.call.request) },
    context.call.request,
  );
  const taken = await takenOver(name, context);
  events.tell('WorkflowUpdated', name, `successfully updated with ${stepCount(spec)} steps`);
  return { ...taken, message: `Workflow '${name}' updated successfully`, ...warned };
}

async function remove(name: string, fields: JsonObject, { parts, call }: Context): Promise<JsonObject> {
  const { scope, events } = parts;
  validateArguments(NAME_ARGUMENTS, { name, ...fields }, 'core_workflow_delete');
  try {
    await scope.get(ResourceStore).delete(WORKFLOW, name, call.request);
  } catch (error) {
    throw isGatewayError(error) && error.code === 'STORE_NOT_FOUND' ? workflowNotFound(name) : error;
  }
  const control = scope.get(ConfigControl);
  await control.reload();
  events.tell('WorkflowDeleted', name, `successfully deleted from namespace ${control.settings().namespace}`);
  return { name, status: 'deleted', message: `Workflow '${name}' deleted successfully` };
}

/** A field given in one spelling replaces the stored field in the other spelling. */
function merged(spec: JsonObject, fields: JsonObject): JsonObject {
  const given = new Set(Object.keys(fields).map(snakeOf));
  const kept = Object.entries(spec).filter(([key]) => !given.has(snakeOf(key)));
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries<unknown>([...kept, ...set]);
}

interface Warned {
  readonly warnings?: readonly JsonObject[];
}

/** What core_workflow_validate would warn of; nothing if it would not. @throws GatewayError TOOL_ARGUMENTS if it is not valid */
function warningsOf(
  name: string,
  spec: JsonObject,
  { parts, call, verb }: Context & { readonly verb: string },
): Warned {
  const { errors, warnings, absent } = examine(name, spec, parts, call.request);
  const [first] = errors;
  if (first === undefined) {
    parts.events.tell('WorkflowValidationSucceeded', name, 'validation completed successfully');
    return warnings.length === 0 ? {} : { warnings: warnings.map(rowOf) };
  }
  parts.events.tell('WorkflowValidationFailed', name, `validation failed: ${first.message}`);
  // A wrong name of a tool is told now, and not only when the rest is right.
  const told = [...errors, ...absent].map(({ message }) => message);
  const text = `failed to ${verb} workflow: ${told.join('; ')}`;
  throw new GatewayError('TOOL_ARGUMENTS', text, { details: { findings: errors } });
}

/** Reloads, so that the definition takes effect now. @throws GatewayError CONFIG_INVALID with the reason if it does not */
async function takenOver(name: string, { parts, call }: Context): Promise<JsonObject> {
  const { issues } = await parts.scope.get(ConfigControl).reload();
  const own = issues.filter(
    ({ severity, message }) => severity === 'error' && message.startsWith(`${WORKFLOW} ${name}:`),
  );
  if (own.length === 0) return shownWorkflow(name, parts, call.request);
  const text = `workflow '${name}' is written, but not in force: ${own.map(({ message }) => message).join('; ')}`;
  throw new GatewayError('CONFIG_INVALID', text);
}

function stepCount({ steps }: JsonObject): number {
  return Array.isArray(steps) ? steps.length : 0;
}
