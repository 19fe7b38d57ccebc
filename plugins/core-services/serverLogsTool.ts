import { GatewayError, coreTool, structuredResult } from 'pegboard';
import type { JsonSchema, Scope, Tool } from 'pegboard';
import type { OutputQuery } from '../contracts/services.ts';
import { mayOperate } from '../kit/authority/mayOperate.ts';
import { onlyForOperators } from '../kit/authority/authority.ts';
import { findService } from './findService.ts';

const ARGUMENTS: JsonSchema = {
  type: 'object',
  properties: {
    server: { description: 'Name of the server.', type: 'string', minLength: 1 },
    lines: {
      description: 'How many lines at most.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 100,
    },
    after: { description: '`next` of an earlier answer: only what followed it.', type: 'string' },
  },
  required: ['server'],
  additionalProperties: false,
};

/** core_server_logs: lines of a shared server are of everybody's calls, and so for operators; of others a caller sees those of their
 *  own process. */
export function serverLogsTool(scope: Scope<unknown>): Tool {
  return coreTool({
    name: 'core_server_logs',
    authority: 'use',
    description: 'Show the last lines that a stdio server wrote on standard error, without secrets',
    schema: ARGUMENTS,
    run: ({ server, ...query }: OutputQuery & { readonly server: string }, { request }) => {
      const service = findService(scope, server);
      if (service.output === undefined) {
        const text = `service ${server} has no process of its own, and so no standard error`;
        throw new GatewayError('SERVICE_UNSUPPORTED', text);
      }
      const instance = service.instanceFor?.(request);
      if (instance === undefined && !mayOperate(scope, request))
        throw onlyForOperators(`the lines of server ${server}, whose process all callers share, are`);
      const output = service.output(request, query) ?? { lines: [] };
      return structuredResult({ server, ...(instance !== undefined && { instance }), ...output });
    },
  });
}
