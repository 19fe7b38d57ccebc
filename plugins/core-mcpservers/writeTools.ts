import {
  CHANGING,
  ConfigControl,
  GatewayError,
  coreTool,
  isGatewayError,
  structuredResult,
  validateArguments,
} from 'pegboard';
import { inTurn, isOperator } from 'pegboard/kit';
import type { Call, Issue, JsonObject, JsonSchema, Scope, Tool, ToolAnnotations } from 'pegboard';
import { helpedBy } from '../kit/faults/remedy.ts';
import { refuseReferences } from '../kit/definitions/refuseReferences.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import type { StoredDefinition } from '../contracts/definitions.ts';
import { writerOf } from '../kit/definitions/registeredBy.ts';
import { CREATE_ARGUMENTS, NAME_ARGUMENTS, UPDATE_ARGUMENTS } from './arguments.ts';
import { withWriteEvents } from './withWriteEvents.ts';
import type { WrittenReason } from './withWriteEvents.ts';
import { MCP_SERVER } from './mcpServerKind.ts';
import { inForce, serverNotFound, serverRecordOf, serviceOf } from './serverRecord.ts';
import { restore } from './redact.ts';
import { isMoved, refuseMoved } from './refuseMoved.ts';
import { unpinnedWarnings } from './serverFindings.ts';

type Work = (name: string, fields: JsonObject, call: Call) => Promise<JsonObject>;

/** The tools that write definitions. They run one after another, because an update reads, merges and writes. */
export function writeTools(scope: Scope<unknown>): readonly Tool[] {
  const queued = inTurn();
  const tool = (name: string, schema: JsonSchema, hints: ToolAnnotations, described: Described): Tool =>
    coreTool({
      name,
      authority: 'define',
      writesThroughStore: true,
      description: described.description,
      schema,
      hints,
      // Not the validated arguments: defaults are not stored.
      read: (args) => {
        validateArguments(schema, args, name);
        const { name: server, ...fields } = args;
        return { server: server as string, fields };
      },
      run: async ({ server, fields }, call) => {
        const work = (): Promise<JsonObject> => described.work(server, fields, call);
        return structuredResult(
          await queued(() => withWriteEvents(scope, { reason: described.reason, server }, work)),
        );
      },
    });
  return [
    tool('core_mcpserver_create', CREATE_ARGUMENTS, CREATING, {
      reason: 'MCPServerCreated',
      description:
        'Create an MCP server definition; the server starts when it is of a remote type or has autoStart',
      work: (name, fields, call) => createServer(scope, name, fields, call),
    }),
    tool('core_mcpserver_update', UPDATE_ARGUMENTS, CHANGING, {
      reason: 'MCPServerUpdated',
      description:
        'Change an MCP server definition: only the fields given change, null clears a field, env and headers replace the whole map; a value shown as [redacted] may be sent back to keep it, but has to be sent anew with a url at another origin or another command',
      work: (name, fields, call) => updateServer(scope, name, fields, call),
    }),
    tool('core_mcpserver_delete', NAME_ARGUMENTS, DELETING, {
      reason: 'MCPServerDeleted',
      description: 'Delete an MCP server definition; the server must be stopped first',
      work: (name, _, call) => deleteServer(scope, name, call),
    }),
  ];
}

interface Described {
  readonly reason: WrittenReason;
  readonly description: string;
  readonly work: Work;
}
const DELETING = { ...CHANGING, idempotentHint: false };
const CREATING = { ...DELETING, destructiveHint: false };

async function createServer(
  scope: Scope<unknown>,
  name: string,
  fields: JsonObject,
  call: Call,
): Promise<JsonObject> {
  const spec = restore(fields, {});
  refuseInvalid(scope, name, spec);
  refuseReferences(scope, {
    next: isOperator(call.request) ? withoutOwnSecrets(name, spec) : spec,
    stored: {},
  });
  const store = scope.get(ResourceStore);
  try {
    await store.create(MCP_SERVER, { name, spec, registeredBy: writerOf(call.request) }, call.request);
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'STORE_CONFLICT') throw error;
    const action = { do: 'change', kind: 'server', name } as const;
    throw helpedBy(action, 'STORE_CONFLICT', `MCP server '${name}' already exists`);
  }
  return takenOver(scope, { name, fields }, call);
}

/** The definition without the references to files of its own secrets: the admin pages have just written these (decision D196). */
function withoutOwnSecrets(name: string, spec: JsonObject): JsonObject {
  const text = JSON.stringify(spec).replaceAll(
    /\$\{file:secrets\/([\w.-]{1,300})\}/g,
    (whole, file: string) =>
      // Parts around it must not come together.
      file.startsWith(`${name}.`) ? ' ' : whole,
  );
  return JSON.parse(text) as JsonObject;
}

async function updateServer(
  scope: Scope<unknown>,
  name: string,
  fields: JsonObject,
  call: Call,
): Promise<JsonObject> {
  const store = scope.get(ResourceStore);
  const stored = await store.get(MCP_SERVER, name);
  if (stored === undefined) throw serverNotFound(name);
  const spec = merged(stored, restore(fields, stored.spec));
  refuseMoved({ sent: fields, stored: stored.spec, next: spec });
  refuseInvalid(scope, name, spec);
  refuseReferences(scope, { next: spec, stored: isMoved(stored.spec, spec) ? {} : stored.spec });
  await store.replace(MCP_SERVER, { ...stored, spec, registeredBy: writerOf(call.request) }, call.request);
  return takenOver(scope, { name, fields }, call);
}

async function deleteServer(scope: Scope<unknown>, name: string, call: Call): Promise<JsonObject> {
  const state = serviceOf(name, scope)?.state;
  if (state === 'running' || state === 'connected') {
    throw helpedBy({ do: 'stop', server: name }, 'SERVICE_RUNNING', `MCP server '${name}' is running`);
  }
  try {
    await scope.get(ResourceStore).delete(MCP_SERVER, name, call.request);
  } catch (error) {
    throw isGatewayError(error) && error.code === 'STORE_NOT_FOUND' ? serverNotFound(name) : error;
  }
  await scope.get(ConfigControl).reload();
  return { name, status: 'deleted', message: `MCP server '${name}' deleted successfully` };
}

function merged({ spec }: StoredDefinition, fields: JsonObject): JsonObject {
  const all: JsonObject = { ...spec, ...fields };
  const kept = Object.entries(all).filter(([, value]) => value !== null);
  return Object.fromEntries<unknown>(kept);
}

/** @throws GatewayError TOOL_ARGUMENTS */
function refuseInvalid(scope: Scope<unknown>, name: string, spec: JsonObject): void {
  const issues = scope.get(ConfigControl).validate(MCP_SERVER, name, spec);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const text = `invalid MCP server definition: ${errors.map(({ message }) => message).join('; ')}`;
  throw new GatewayError('TOOL_ARGUMENTS', text);
}

/** Reloads, and returns the record in force, or throws why the written definition is not in force. */
async function takenOver(
  scope: Scope<unknown>,
  { name, fields }: { readonly name: string; readonly fields: JsonObject },
  call: Pick<Call, 'request'>,
): Promise<JsonObject> {
  const { issues } = await scope.get(ConfigControl).reload();
  const own = issues.filter(({ message }) => message.startsWith(`${MCP_SERVER} ${name}:`));
  const texts = (severity: Issue['severity']): readonly string[] =>
    own.filter((issue) => issue.severity === severity).map(({ message }) => message);
  const errors = texts('error');
  if (errors.length === 0) {
    const definition = inForce(name, scope);
    // A change of something else says nothing of the command.
    const isCommand = ['type', 'command', 'args'].some((key) => key in fields);
    const unpinned = isCommand ? unpinnedWarnings(name, definition.spec) : [];
    const warnings = [...texts('warning'), ...unpinned];
    return {
      ...(await serverRecordOf(definition, call, scope)),
      ...(warnings.length > 0 && { warnings }),
    };
  }
  const text = `MCP server '${name}' is written, but not in force: ${errors.join('; ')}`;
  throw new GatewayError('CONFIG_INVALID', text);
}
