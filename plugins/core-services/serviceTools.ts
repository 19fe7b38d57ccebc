import { GatewayError, coreTool, nearest, structuredResult } from 'pegboard';
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

interface Named {
  readonly name: string;
}

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
  return coreTool({
    name: 'core_service_list',
    description: 'List all services with their state and health',
    run: (_, { request }) => {
      const services = allServices(scope).map((service) => service.status(request));
      return structuredResult({ services, total: services.length });
    },
  });
}

function statusTool(scope: Scope<unknown>): Tool {
  return coreTool({
    name: 'core_service_status',
    description: 'Get the state, health and runtime information of one service',
    schema: NAME_ARGUMENTS,
    run: ({ name }: Named, { request }) => structuredResult(findService(scope, name).status(request)),
  });
}

function operationTool(scope: Scope<unknown>, operation: Operation): Tool {
  const { description, hints } = OPERATIONS[operation];
  return coreTool({
    name: `core_service_${operation}`,
    description,
    schema: operation === 'stop' ? STOP_ARGUMENTS : NAME_ARGUMENTS,
    hints,
    run: async ({ name, confirm: isConfirmed = false }: Named & { readonly confirm?: boolean }, call) =>
      structuredResult(await operate(operation, findService(scope, name), { call, isConfirmed })),
  });
}

/** @throws GatewayError SERVICE_NOT_FOUND */
function findService(scope: Scope<unknown>, name: string): ManagedService {
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
