import { coreTool, structuredResult } from 'pegboard';
import type { InboundRequest, JsonObject, JsonSchema, Scope, Tool } from 'pegboard';
import { GuardedServers } from '../contracts/credentials.ts';
import { SignInStatuses } from '../contracts/signIns.ts';
import { allServices } from '../kit/definitions/allServices.ts';
import { findService } from './findService.ts';
import { OPERATIONS, operate } from './operate.ts';
import type { Operation } from './operate.ts';
import { serverLogsTool } from './serverLogsTool.ts';

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

/** core_service_* and core_server_logs: the life cycle of every ManagedService, and what its process writes. */
export function serviceTools(scope: Scope<unknown>): readonly Tool[] {
  const operations = Object.keys(OPERATIONS) as readonly Operation[];
  return [
    listTool(scope),
    statusTool(scope),
    serverLogsTool(scope),
    ...operations.map((operation) => operationTool(scope, operation)),
  ];
}

function listTool(scope: Scope<unknown>): Tool {
  return coreTool({
    name: 'core_service_list',
    authority: 'use',
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
    authority: 'use',
    description: 'Get the state, health and runtime information of one service',
    schema: NAME_ARGUMENTS,
    run: ({ name }: Named, { request }) => structuredResult(findService(scope, name).status(request)),
  });
}

function operationTool(scope: Scope<unknown>, operation: Operation): Tool {
  const { description, hints } = OPERATIONS[operation];
  return coreTool({
    name: `core_service_${operation}`,
    authority: 'operate',
    writesThroughStore: true,
    description,
    schema: operation === 'stop' ? STOP_ARGUMENTS : NAME_ARGUMENTS,
    hints,
    run: async ({ name, confirm: isConfirmed = false }: Named & { readonly confirm?: boolean }, call) => {
      const hasSignIn = (): Promise<boolean> => wantsSignIn(scope, name, call.request);
      const asked = { call, isConfirmed, hasSignIn };
      return structuredResult(await operate(operation, findService(scope, name), asked));
    },
  });
}

/** Whether callers sign in at a server, or would if a plugin let them. */
async function wantsSignIn(scope: Scope<unknown>, name: string, request: InboundRequest): Promise<boolean> {
  const signIn = await scope.find(SignInStatuses)?.of(name, request);
  return signIn?.authTool !== undefined || scope.find(GuardedServers)?.get(name)?.wantsSignIns === true;
}
