import { ConfigControl, coreTool, structuredResult, validateArguments } from 'pegboard';
import type { Issue, JsonObject, Resource, Scope, Tool } from 'pegboard';
import { refusedReferences } from '../kit/definitions/refuseReferences.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { registeredByOf } from '../kit/definitions/registeredBy.ts';
import { CREATE_ARGUMENTS, LIST_ARGUMENTS, NAME_ARGUMENTS } from './arguments.ts';
import { foreignNames } from './foreignNames.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import { unpinnedWarnings } from './serverFindings.ts';
import { isMoved } from './refuseMoved.ts';
import { inForce, serverRecordOf, refusalsOf } from './serverRecord.ts';

/** The read-only tools. */
export function readTools(scope: Scope<unknown>): readonly Tool[] {
  return [listTool(scope), getTool(scope), validateTool(scope)];
}

function listTool(scope: Scope<unknown>): Tool {
  const name = 'core_mcpserver_list';
  return coreTool({
    name,
    authority: 'use',
    description: 'List all MCP server definitions with the state of their services',
    // Older clients send showAll and verbose; nothing is hidden, so they are not declared.
    read: (args) => validateArguments(LIST_ARGUMENTS, args, name),
    run: async (_, call) => {
      const resources = scope.get(ConfigControl).resources(MCP_SERVER);
      const mcpServers = await Promise.all(
        resources.map((resource) => serverRecordOf(resource, call, scope)),
      );
      return structuredResult({ mcpServers, mode: scope.get(ResourceStore).mode, total: mcpServers.length });
    },
  });
}

function getTool(scope: Scope<unknown>): Tool {
  return coreTool({
    name: 'core_mcpserver_get',
    authority: 'use',
    description:
      'Get one MCP server definition as it is in force with the state of its service; refused says what is wrong with its file',
    schema: NAME_ARGUMENTS,
    run: async ({ name }: { readonly name: string }, call) => {
      const refused = refusalsOf(name, scope);
      const record = await serverRecordOf(inForce(name, scope), call, scope);
      const registeredBy = await registeredByOf(MCP_SERVER, name, scope.get(ResourceStore));
      return structuredResult({
        ...record,
        ...(registeredBy && { registeredBy }),
        ...(refused.length > 0 && { refused }),
      });
    },
  });
}

function validateTool(scope: Scope<unknown>): Tool {
  const name = 'core_mcpserver_validate';
  return coreTool({
    name,
    authority: 'use',
    description: 'Check an MCP server definition and report errors and warnings; nothing is created',
    schema: CREATE_ARGUMENTS,
    // Faults of the definition are the answer; only a wrong name fails the call.
    read: ({ name: server, ...spec }) => {
      validateArguments(NAME_ARGUMENTS, server === undefined ? {} : { name: server }, name);
      return { server: server as string, spec };
    },
    run: ({ server, spec }) => structuredResult(verdictOn(server, spec, scope)),
  });
}

function verdictOn(server: string, spec: JsonObject, scope: Scope<unknown>): JsonObject {
  const control = scope.get(ConfigControl);
  const issues = control.validate(MCP_SERVER, server, spec);
  const texts = (severity: Issue['severity']): readonly string[] =>
    issues.filter((issue) => issue.severity === severity).map(({ message }) => message);
  const present = control.resources(MCP_SERVER).find((resource) => resource.name === server);
  const taken =
    present === undefined
      ? []
      : [`an MCP server named ${server} exists already; core_mcpserver_update changes it`];
  const stored = present === undefined || isMoved(present.spec, spec) ? {} : present.spec;
  const refused = refusedReferences(scope, { next: spec, stored });
  const errors = [...texts('error'), ...refused.map(({ message }) => message)];
  const related = errors.length === 0 ? warningsBeside(control.resources(MCP_SERVER), server, spec) : [];
  // Of a spec with errors, the command may have any type.
  const unpinned = errors.length === 0 ? unpinnedWarnings(server, spec) : [];
  const warnings = [...texts('warning'), ...related, ...unpinned, ...taken];
  return { name: server, valid: errors.length === 0, errors, warnings };
}

/** Warnings that result from the other definitions. */
function warningsBeside(known: readonly Resource[], name: string, spec: JsonObject): readonly string[] {
  const others = known.filter((resource) => resource.name !== name);
  const own = { kind: MCP_SERVER, name, spec, origin: { locate: () => ({}) } };
  return foreignNames([...others, own])
    .filter(({ resource }) => resource === own)
    .map(({ message }) => `${MCP_SERVER} ${name}: ${message}`);
}
