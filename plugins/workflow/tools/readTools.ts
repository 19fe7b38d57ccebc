import { ConfigControl, GatewayError, coreTool, resultOf, structuredResult } from 'pegboard';
import type { InboundRequest, JsonObject, Tool } from 'pegboard';
import { helpedBy } from '../../kit/faults/remedy.ts';
import { ResourceStore } from '../../contracts/definitions.ts';
import { registeredByOf } from '../../kit/definitions/registeredBy.ts';
import { CREATE_ARGUMENTS, NAME_ARGUMENTS, readName, requiredName } from './arguments.ts';
import { missingTools } from '../definition/availability.ts';
import type { Held, MissingTool } from '../definition/availability.ts';
import { toolUses } from '../definition/model.ts';
import { WORKFLOW } from '../definition/workflowKind.ts';
import type { ToolParts } from './toolParts.ts';
import { definitionOf } from './definitionOf.ts';
import { examine, rowOf } from './examine.ts';
import { omit } from '../definition/omit.ts';

/** The read-only tools for definitions. */
export function readTools(parts: ToolParts): readonly Tool[] {
  return [listTool(parts), getTool(parts), availableTool(parts), validateTool(parts)];
}

function listTool({ scope, registry }: ToolParts): Tool {
  return coreTool({
    name: 'core_workflow_list',
    authority: 'use',
    description: 'List all workflow definitions and whether each can run now',
    run: (_args, { request }) => {
      const missingIn = missingTools({ scope, find: registry.find, request });
      const workflows = registry.all().map((held) => ({
        name: held.workflow.name,
        ...(held.workflow.description !== '' && { description: held.workflow.description }),
        available: missingIn(held).length === 0,
      }));
      return structuredResult({ workflows });
    },
  });
}

function getTool(parts: ToolParts): Tool {
  const name = 'core_workflow_get';
  return coreTool({
    name,
    authority: 'use',
    description: 'Get one workflow definition, as an object and as the YAML text of a file',
    schema: NAME_ARGUMENTS,
    read: (args) => readName(args, name),
    run: async (workflow, { request }) => {
      const definition = shownWorkflow(workflow, parts, request);
      const registeredBy = await registeredByOf(WORKFLOW, workflow, parts.scope.get(ResourceStore));
      return structuredResult({ ...definition, ...(registeredBy && { registeredBy }) });
    },
  });
}

/** A definition in force in the form that tools return. @throws GatewayError STORE_NOT_FOUND */
export function shownWorkflow(
  name: string,
  { scope, registry }: ToolParts,
  request: InboundRequest,
): JsonObject {
  const resource = scope
    .get(ConfigControl)
    .resources(WORKFLOW)
    .find((one) => one.name === name);
  const held = registry.find(name);
  if (resource === undefined || held === undefined) throw workflowNotFound(name);
  const { issues = [] } = scope.get(ConfigControl).lastReport() ?? {};
  const refused = issues.filter(
    ({ severity, definition }) =>
      severity === 'error' && definition?.kind === WORKFLOW && definition.name === name,
  );
  return {
    ...definitionOf(resource, missingTools({ scope, find: registry.find, request })(held).length === 0),
    status: {
      stepCount: held.workflow.steps.length,
      referencedTools: [...new Set(toolUses(held.workflow).map(({ tool }) => tool))],
      // Of a newer version, which is not in force.
      ...(refused.length > 0 && { validationErrors: refused.map(({ message }) => message) }),
    },
  };
}

export function workflowNotFound(name: string): GatewayError {
  return helpedBy({ do: 'list', kind: 'workflows' }, 'STORE_NOT_FOUND', `workflow ${name} not found`);
}

function availableTool({ scope, registry }: ToolParts): Tool {
  const name = 'core_workflow_available';
  return coreTool({
    name,
    authority: 'use',
    description: 'Say whether a workflow can run now, and which of its tools are missing and why',
    schema: NAME_ARGUMENTS,
    read: (args) => readName(args, name),
    run: (workflow, { request }) => {
      const held: Held | undefined = registry.find(workflow);
      if (held === undefined) throw workflowNotFound(workflow);
      const missing = missingTools({ scope, find: registry.find, request })(held);
      return structuredResult({
        name: workflow,
        available: missing.length === 0,
        missing_tools: missing.map(({ tool }) => tool),
        details: missing.map(detailOf),
      });
    },
  });
}

function detailOf({
  tool,
  code,
  reason,
  remedy,
  step,
  server,
  via,
  place: { file, line },
}: MissingTool): JsonObject {
  return {
    tool,
    code,
    reason,
    ...(remedy !== undefined && { remedy }),
    step,
    ...(server !== undefined && { server }),
    ...(via.length > 0 && { via }),
    ...(file !== undefined && { file, line }),
  };
}

function validateTool(parts: ToolParts): Tool {
  return coreTool({
    name: 'core_workflow_validate',
    authority: 'use',
    description: 'Check a workflow definition: errors, warnings, tools that are missing; nothing is created',
    schema: CREATE_ARGUMENTS,
    // Whatever is wrong below the name is the answer, not a failure of the tool.
    read: (args) => ({ name: requiredName(args), spec: omit(args, 'name', 'labels') }),
    run: ({ name, spec }, { request }) => {
      const { errors, warnings, missing, referenced } = examine(name, spec, parts, request);
      const [first] = errors;
      const rest =
        first === undefined ? 'validation completed successfully' : `validation failed: ${first.message}`;
      parts.events.tell(
        first === undefined ? 'WorkflowValidationSucceeded' : 'WorkflowValidationFailed',
        name,
        rest,
      );
      const verdict = {
        name,
        valid: first === undefined,
        errors: errors.map(rowOf),
        warnings: warnings.map(rowOf),
        tools: { available: missing.length === 0, missing: missing.map(({ tool }) => tool), referenced },
        message:
          first === undefined
            ? `Validation successful for workflow ${name}`
            : `Validation failed: ${first.message}`,
      };
      const content = [{ type: 'text', text: JSON.stringify(verdict) }];
      return resultOf(first === undefined ? { content } : { content, isError: true });
    },
  });
}
