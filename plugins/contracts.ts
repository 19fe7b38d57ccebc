/** The contracts of the built-in plugins, for one another and for third parties' plugins, imported as `pegboard/contracts`:
 *  capabilities, error codes and events. */
export * from './admin/contract.ts';
export * from './auth-client/contract.ts';
export * from './auth-exchange/contract.ts';
export * from './auth-server/contract.ts';
export * from './core-config/contract.ts';
export * from './cassettes/contract.ts';
export * from './core-events/contract.ts';
export * from './core-mcpservers/contract.ts';
export * from './core-services/contract.ts';
export type * from './deny/contract.ts';
export * from './front/contract.ts';
export * from './http/contract.ts';
export * from './idempotency/contract.ts';
export type * from './limits/contract.ts';
export * from './memory/contract.ts';
export type * from './metatools/contract.ts';
export * from './metrics/contract.ts';
export * from './operators/contract.ts';
export * from './settings-file/contract.ts';
export * from './store-file/contract.ts';
export * from './store-kubernetes/contract.ts';
export * from './toolsets/contract.ts';
export * from './tracing/contract.ts';
export * from './upstream/contract.ts';
export * from './vault-file/contract.ts';
export * from './vault-redis/contract.ts';
export * from './workflow/contract.ts';
