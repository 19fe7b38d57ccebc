import { expect } from 'chai';
import type { Call, Tool } from '../../../kernel/contracts/call.ts';
import type { InboundRequest } from '../../../kernel/contracts/request.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { Cancellation } from '../../../kernel/lib/cancellation.ts';
import { readSchema } from '../../../kernel/lib/readSchema.ts';
import type { LimitsConfig } from '../../../plugins/limits/config.ts';
import { toolOf } from '../../support/kernel.ts';
import { requestOf } from '../../support/requests.ts';

const SCHEMA = readSchema('config/limits');
export const META = toolOf('call_tool', { kind: 'meta' });
export const READ = toolOf('x_github_read', { server: 'github' });
export const WRITE = toolOf('x_github_write', { server: 'github' });
export const OTHER = toolOf('x_files_read', { server: 'files' });

export function configOf(config: object): LimitsConfig {
  const { value, findings } = validate(SCHEMA, config);
  expect(findings).deep.equal([]);
  return value as LimitsConfig;
}

let lastId = 0;
export function callOf(tool: Tool, from: Partial<InboundRequest> = {}, parent?: Call): Call {
  const request = Object.assign(requestOf(), { sessionId: 'a', ...from });
  const child = () => Promise.reject(new Error('not here'));
  const rest = {
    args: {},
    cancel: new Cancellation(),
    progress: undefined,
    client: undefined,
    meta: undefined,
    idempotencyKey: undefined,
    child,
  };
  return { id: (lastId += 1), tool, request, parent, ...rest };
}
/** A call of a tool as call_tool makes it. */
export function inner(tool: Tool, from: Partial<InboundRequest> = {}): Call {
  return callOf(tool, from, callOf(META, from));
}
