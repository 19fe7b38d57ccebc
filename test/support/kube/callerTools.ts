import { join } from 'node:path';
import { ROOT } from '../sources.ts';

const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');
export const SERVER = { type: 'stdio', command: [process.execPath, HOSTILE, 'plain'], autoStart: true };
export const WORKFLOW = { description: 'one', steps: [{ id: 'a', tool: 'core_mcpserver_list', args: {} }] };

/** The tools that write, in an order in which an editor succeeds with each, and the verb that each needs. */
export const WRITES = [
  ['core_mcpserver_create', { name: 's', ...SERVER }, 'create', 'mcpservers'],
  ['core_mcpserver_update', { name: 's', description: 'changed' }, 'patch', 'mcpservers'],
  ['core_service_restart', { name: 's' }, 'patch', 'mcpservers'],
  ['core_service_stop', { name: 's' }, 'patch', 'mcpservers'],
  ['core_service_start', { name: 's' }, 'patch', 'mcpservers'],
  ['core_service_stop', { name: 's' }, 'patch', 'mcpservers'],
  ['core_mcpserver_delete', { name: 's' }, 'delete', 'mcpservers'],
  ['core_workflow_create', { name: 'w', ...WORKFLOW }, 'create', 'workflows'],
  ['core_workflow_update', { name: 'w', description: 'two' }, 'patch', 'workflows'],
  ['core_workflow_delete', { name: 'w' }, 'delete', 'workflows'],
] as const;
/** Those that read, with a server `kept` that exists. */
export const READS = [
  ['core_mcpserver_list', {}],
  ['core_mcpserver_get', { name: 'kept' }],
  ['core_mcpserver_validate', { name: 'n', ...SERVER }],
  ['core_workflow_list', {}],
  ['core_workflow_validate', { name: 'n', ...WORKFLOW }],
  ['core_service_status', { name: 'kept' }],
] as const;
