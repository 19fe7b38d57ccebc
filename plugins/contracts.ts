/** The contracts of the built-in plugins by role, for one another and for third parties' plugins, imported as `pegboard/contracts`:
 *  capabilities, error codes and events. */
export * from './contracts/adminPages.ts';
export * from './contracts/callHistory.ts';
export * from './contracts/credentials.ts';
export * from './contracts/definitions.ts';
export type * from './contracts/guards.ts';
export * from './contracts/http.ts';
export * from './contracts/idempotency.ts';
export * from './contracts/mcp.ts';
export * from './contracts/memory.ts';
export type * from './contracts/metatools.ts';
export * from './contracts/metrics.ts';
export type * from './contracts/notices.ts';
export * from './contracts/oauth.ts';
export * from './contracts/operators.ts';
export * from './contracts/pins.ts';
export * from './contracts/processes.ts';
export * from './contracts/runs.ts';
export * from './contracts/search.ts';
export * from './contracts/secrets.ts';
export * from './contracts/servers.ts';
export * from './contracts/services.ts';
export * from './contracts/sessions.ts';
export * from './contracts/settings.ts';
export * from './contracts/signIns.ts';
export * from './contracts/toolsets.ts';
export * from './contracts/tracing.ts';
export * from './contracts/vault.ts';
