import { GatewayError, ToolTable, isObject, jsonResult } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, Tool } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';
import { toDescription } from '../entry/entry.ts';
import type { ShortSchemaOf } from '../entry/trimmedSchemaOf.ts';
import type { StillStarting } from './stillStarting.ts';
import { flag, requiredText } from './arguments.ts';
import { meantCall } from '../../kit/calls/meantCall.ts';
import { unknownTool } from '../../kit/calls/unknownTool.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import { alwaysLoad } from './clientHints.ts';
import { metaTool } from './metaTool.ts';

export function describeTool(
  scope: Scope<MetatoolsConfig>,
  starting: StillStarting,
  shortSchemaOf: ShortSchemaOf,
): Tool {
  return metaTool({
    name: 'describe_tool',
    description:
      'Show the full description and input schema of one tool, if filter_tools did not give its schema.',
    properties: {
      name: { type: 'string', description: 'Exact name' },
      full: { type: 'boolean', description: 'Whole schemas' },
    },
    required: ['name'],
    listed: () => alwaysLoad(scope.config),
    run: async (args, { request, cancel }) => {
      const name = requiredText(args, 'name');
      await starting.forTool(name, { request, cancel });
      const tool = lookUp(scope, name, { request, starting });
      const described = flag(args, 'full') ? toDescription(tool) : toDescription(tool, shortSchemaOf);
      return jsonResult({ ...described, ...serverNote(scope, tool, request) });
    },
  });
}

interface LookUp {
  readonly request: InboundRequest;
  readonly starting: StillStarting;
}

/** Finds a tool visible to the request. @throws GatewayError TOOL_NOT_FOUND with near names, or the layer's refusal */
function lookUp(scope: Scope<unknown>, name: string, { request, starting }: LookUp): Tool {
  const table = scope.get(ToolTable);
  const found = table.find(name, request);
  const tool = found?.kind === 'meta' ? undefined : found;
  table.admit(name, tool, request);
  if (tool !== undefined) return tool;
  if (found !== undefined) throw isMetaTool(found);
  const servers = starting.names(request);
  const more = servers.length === 0 ? '' : `; servers are still connecting: ${servers.join(', ')}`;
  const notFound = `tool not found: ${name}${more}`;
  const meant = meantNames(name, table, request);
  const { near, text, action } =
    meant.length > 0 ? { near: meant, text: '' } : unknownTool(name, scope, request);
  if (near.length > 0) throw new GatewayError('TOOL_NOT_FOUND', notFound, { details: { near } });
  throw new GatewayError('TOOL_NOT_FOUND', `${notFound}; ${text}`, {
    details: { ...(action && { action }) },
  });
}

/** What to set for the tool's server if it has asked clients for something that it gets only on a connection of their own, such as roots. */
function serverNote(scope: Scope<unknown>, { server }: Tool, request: InboundRequest): JsonObject {
  const services = allServices(scope);
  const wish = services.find(({ name }) => name === server)?.status(request).metadata['recommended'];
  if (typeof wish !== 'string') return {};
  const why = 'all clients share its connection, so what it asks of one may be refused';
  return { server_note: `${why}; an operator can set ${wish}` };
}

/** Meta-tools are called directly; they are not in the catalogue. */
function isMetaTool({ name, inputSchema: { properties } }: Tool): GatewayError {
  const taken = isObject(properties) ? Object.keys(properties).join(', ') : '';
  const text = `tool not found: ${name} is not in the catalogue; it is a meta-tool, so call it directly; it takes ${taken || 'nothing'}`;
  return new GatewayError('TOOL_ARGUMENTS', text);
}

/** The names that one in another spelling can mean. */
function meantNames(name: string, table: ToolTable, request: InboundRequest): readonly string[] {
  const { call, names } = meantCall({ name, args: {} }, table, request);
  const only = call?.name === 'call_tool' ? call.arguments['name'] : undefined;
  if (typeof only === 'string') return [only];
  return names;
}
