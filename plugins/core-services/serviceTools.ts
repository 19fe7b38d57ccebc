import { GatewayError, structuredResult, nearest, NO_ARGUMENTS, READING, validateArguments } from 'pegboard';
import { ServiceSource } from './contract.ts';
import type { JsonObject, JsonSchema, Scope, Tool } from 'pegboard';
import type { ManagedService } from './contract.ts';
import { OPERATIONS, operate } from './operate.ts';
import type { Operation } from './operate.ts';

const NAME_ARGUMENTS: JsonSchema = {
  type: 'object',
  properties: {
    name: {
      description: 'Name of the service, as core_service_list shows it.',
      type: 'string',
      minLength: 1,
    },
  },
  required: ['name'],
  additionalProperties: false,
};
const STOP_ARGUMENTS: JsonSchema = {
  ...NAME_ARGUMENTS,
  properties: {
    ...(NAME_ARGUMENTS['properties'] as JsonObject),
    confirm: {
      description: 'Must be true to stop mcp-aggregator, the endpoint that every client connects to.',
      type: 'boolean',
      default: false,
    },
  },
};

/** core_service_*: the life cycle of every ManagedService. */
export function serviceTools(scope: Scope<unknown>): readonly Tool[] {
  const operations = Object.keys(OPERATIONS) as readonly Operation[];
  return [
    listTool(scope),
    statusTool(scope),
    ...operations.map((operation) => operationTool(scope, operation)),
  ];
}

function listTool(scope: Scope<unknown>): Tool {
  const name = 'core_service_list';
  return {
    name,
    kind: 'core',
    description: 'List all services with their state and health',
    inputSchema: NO_ARGUMENTS,
    annotations: READING,
    invoke(args) {
      validateArguments(NO_ARGUMENTS, args, name);
      const services = allServices(scope).map((service) => service.status());
      return structuredResult({ services, total: services.length });
    },
  };
}

function statusTool(scope: Scope<unknown>): Tool {
  const name = 'core_service_status';
  return {
    name,
    kind: 'core',
    description: 'Get the state, health and runtime information of one service',
    inputSchema: NAME_ARGUMENTS,
    annotations: READING,
    invoke(args) {
      return structuredResult(findService(scope, args, name).status());
    },
  };
}

function operationTool(scope: Scope<unknown>, operation: Operation): Tool {
  const name = `core_service_${operation}`;
  const { description, annotations } = OPERATIONS[operation];
  const inputSchema = operation === 'stop' ? STOP_ARGUMENTS : NAME_ARGUMENTS;
  return {
    name,
    kind: 'core',
    description,
    inputSchema,
    annotations,
    async invoke(args, call) {
      const { confirm, ...named } = validateArguments(inputSchema, args, name);
      const service = findService(scope, named, name);
      return structuredResult(await operate(operation, service, { call, isConfirmed: confirm === true }));
    },
  };
}

/** @throws GatewayError TOOL_ARGUMENTS, SERVICE_NOT_FOUND */
function findService(scope: Scope<unknown>, args: JsonObject, tool: string): ManagedService {
  const { name } = validateArguments(NAME_ARGUMENTS, args, tool) as { readonly name: string };
  const services = allServices(scope);
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    services.map((service) => service.name),
    3,
  );
  const fix =
    near.length > 0 ? `did you mean ${near.join(', ')}?` : 'list the known ones with core_service_list';
  throw new GatewayError('SERVICE_NOT_FOUND', `service ${name} not found; ${fix}`);
}

function allServices(scope: Scope<unknown>): readonly ManagedService[] {
  return scope.all(ServiceSource).flatMap((source) => source.services());
}
